// The source of details that are not in the page: the live console's server. A report on a disk has none.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { OpsFound } from "../data/live";
import type { MapLevel } from "../data/page";

export interface DetailSource {
  /** Requests cells for a part of a file's map. */
  map: (query: URLSearchParams, stop: AbortSignal) => Promise<MapLevel>;
  /** Requests the operations that match, as in `reelgauge ops`. */
  ops: (query: URLSearchParams, stop: AbortSignal) => Promise<OpsFound>;
}

export const SourceContext = createContext<DetailSource | null>(null);

export function useSource(): DetailSource | null {
  return useContext(SourceContext);
}
