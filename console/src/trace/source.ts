// Where more than the page holds can be had: the live console's server. A report that lies on a disk has none.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { OpsFound } from "../data/live";
import type { MapLevel } from "../data/page";

export interface DetailSource {
  /** Cells for a part of a file's map. */
  map: (query: URLSearchParams, stop: AbortSignal) => Promise<MapLevel>;
  /** Operations that match, as `reelgauge ops` lists them. */
  ops: (query: URLSearchParams, stop: AbortSignal) => Promise<OpsFound>;
}

export const SourceContext = createContext<DetailSource | null>(null);

export function useSource(): DetailSource | null {
  return useContext(SourceContext);
}
