// Requests finer cells from the server if the map is zoomed in beyond the embedded ones, and keeps the last response
// for each file. A report without a server keeps its embedded cells.

import { useEffect, useRef, useState } from "preact/hooks";
import type { FileMap, MapLevel } from "../data/page";
import { covers, cellPx, COARSE_CELL_PX, wantsMore } from "./map-cells";
import type { MapView } from "./map-view";
import type { DetailSource } from "./source";

/** The view must rest this long before the server is asked. */
const REST_MS = 250;
/** The maximum number of files in one request. */
const FILES = 16;
/** The requested size of a cell, in pixels. */
const WISH_PX = 4;

export type Refined = ReadonlyMap<number, MapLevel>;

export interface Refining {
  /** By the number of the file. */
  levels: Refined;
  waits: boolean;
  error: string | null;
}

/** The query for a view. */
export function mapQuery(view: MapView, file: number): URLSearchParams {
  return new URLSearchParams({
    file: String(file),
    from_s: String(view.from_s),
    to_s: String(view.to_s),
    from_bytes: String(Math.floor(view.from_bytes)),
    to_bytes: String(Math.ceil(view.to_bytes)),
    columns: String(Math.max(Math.round(view.width_px / WISH_PX), 1)),
    rows: String(Math.max(Math.round(view.height_px / WISH_PX), 1)),
  });
}

/** Whether the server's last response suits this view. */
function isFine(view: MapView, map: FileMap, refined: Refined): boolean {
  const level = refined.get(map.file);
  if (level === undefined || !covers(view, level)) return false;
  const { width, height } = cellPx(view, level);
  return width <= COARSE_CELL_PX && height <= COARSE_CELL_PX;
}

export function useRefining(view: MapView | null, maps: readonly FileMap[], source: DetailSource | null): Refining {
  const [state, setState] = useState<Refining>({ levels: new Map(), waits: false, error: null });
  const current = useRef(state.levels);
  useEffect(() => {
    if (view === null || source === null) return undefined;
    const wanted = maps.filter((map) => wantsMore(view, map, map.levels) && !isFine(view, map, current.current)).slice(0, FILES);
    if (wanted.length === 0) return undefined;
    const stop = new AbortController();
    const timer = window.setTimeout(() => {
      setState((before) => ({ ...before, waits: true }));
      void ask(source, view, wanted, stop.signal).then((answer) => {
        if (stop.signal.aborted) return;
        const levels = new Map([...current.current, ...answer.levels]);
        current.current = levels;
        setState({ levels, waits: false, error: answer.error });
      });
    }, REST_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [view?.from_s, view?.to_s, view?.from_bytes, view?.to_bytes, view?.width_px, maps, source]);
  return state;
}

async function ask(source: DetailSource, view: MapView, maps: readonly FileMap[], stop: AbortSignal) {
  const levels = new Map<number, MapLevel>();
  let error: string | null = null;
  for (const map of maps) {
    try {
      levels.set(map.file, await source.map(mapQuery(view, map.file), stop));
    } catch (fault) {
      error = fault instanceof Error ? fault.message : String(fault);
    }
  }
  return { levels, error };
}
