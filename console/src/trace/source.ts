// Where more than the page holds can be had: the live console's server. A report that lies on a disk has none.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { MapLevel, OpColumns } from "../data/page";

export interface DetailSource {
  /** Cells for a part of a file's map. */
  map: (query: URLSearchParams, stop: AbortSignal) => Promise<MapLevel>;
  /** Operations that match, as `reelgauge ops` lists them. */
  ops: (query: URLSearchParams, stop: AbortSignal) => Promise<NamedOps>;
}

/** Operations with the names of their files, where the page may not have them. */
export interface NamedOps extends OpColumns {
  file_names?: Record<string, string>;
}

export const SourceContext = createContext<DetailSource | null>(null);

export function useSource(): DetailSource | null {
  return useContext(SourceContext);
}
