// Selects the cells or accesses of a file's map to draw for a view: those in view, of the finest level whose cells are
// large enough to be distinguished. Pure, and fast enough for every frame.

import type { FileMap, MapLevel, MapPoints } from "../data/page";
import type { MapView } from "./map-view";

/** Smaller cells, and their hatching, can't be distinguished. */
export const MIN_CELL_PX = 3;
/** If cells are larger than this, finer ones are requested from the server. */
export const COARSE_CELL_PX = 10;
/** More accesses than this are drawn as cells. */
export const MAX_POINTS = 8_000;

/** Values of a cell: bin of time, bin of the file, bytes read, bytes written. */
export const CELL = 4;

/** Part of a level: its cells from `first` to `end`, exclusive. */
export interface CellSlice {
  level: MapLevel;
  first: number;
  end: number;
}

/** Part of a file's accesses, from `first` to `end`, exclusive. */
export interface PointSlice {
  points: MapPoints;
  first: number;
  end: number;
}

/** The size of a cell of the level, in pixels. */
export function cellPx(view: MapView, level: MapLevel): { width: number; height: number } {
  return {
    width: (level.time_bin_s / (view.to_s - view.from_s)) * view.width_px,
    height: (level.offset_bin_bytes / (view.to_bytes - view.from_bytes)) * view.height_px,
  };
}

/** The finest level whose cells are large enough; the coarsest if there is none. */
export function levelFor(view: MapView, levels: readonly MapLevel[]): MapLevel | null {
  for (let at = levels.length - 1; at >= 0; at -= 1) {
    const level = levels[at];
    if (level === undefined) continue;
    const { width, height } = cellPx(view, level);
    // Both axes must be large enough, except for the coarsest level.
    if (at === 0 || (width >= MIN_CELL_PX && height >= MIN_CELL_PX)) return level;
  }
  return null;
}

/** The cells to draw; null if the file has no level. */
export function cellsFor(view: MapView, levels: readonly MapLevel[]): CellSlice | null {
  const level = levelFor(view, levels);
  if (level === null) return null;
  const bin = (seconds: number) => (seconds - level.from_s) / level.time_bin_s;
  return {
    level,
    first: lowerBound(level.cells.length / CELL, (cell) => (level.cells[cell * CELL] ?? 0) + 1 > bin(view.from_s)),
    end: lowerBound(level.cells.length / CELL, (cell) => (level.cells[cell * CELL] ?? 0) >= bin(view.to_s)),
  };
}

/** The accesses to draw if they are known and few enough; otherwise null. */
export function pointsFor(view: MapView, points: MapPoints | null, most = MAX_POINTS): PointSlice | null {
  if (points === null) return null;
  const count = points.issued_s.length;
  const first = lowerBound(count, (at) => (points.issued_s[at] ?? 0) >= view.from_s);
  const end = lowerBound(count, (at) => (points.issued_s[at] ?? 0) > view.to_s);
  return end - first <= most ? { points, first, end } : null;
}

const longest = new WeakMap<MapPoints, number>();

/** The longest duration of an access, in seconds. */
function longestOf(points: MapPoints): number {
  const known = longest.get(points);
  if (known !== undefined) return known;
  const found = points.service_us.reduce((most, us) => Math.max(most, us), 0) / 1e6;
  longest.set(points, found);
  return found;
}

/** The accesses to draw, including those that began before the view and may extend into it. */
export function drawnPoints(view: MapView, points: MapPoints | null): PointSlice | null {
  return points === null ? null : pointsFor({ ...view, from_s: view.from_s - longestOf(points) }, points);
}

/** The figures of the view. Cells that are partly in view count completely. */
export interface Seen {
  read_bytes: number;
  written_bytes: number;
  /** Null if only cells are known. */
  accesses: number | null;
}

/** The figures of a file in the view. */
export function seenIn(view: MapView, map: FileMap, levels: readonly MapLevel[]): Seen {
  const exact = pointsFor(view, map.points, Infinity);
  const seen: Seen = { read_bytes: 0, written_bytes: 0, accesses: exact === null ? null : 0 };
  if (exact !== null) {
    for (let at = exact.first; at < exact.end; at += 1) addPoint(seen, view, exact.points, at);
    return seen;
  }
  const slice = cellsFor(view, levels);
  if (slice === null) return seen;
  const { level } = slice;
  for (let cell = slice.first; cell < slice.end; cell += 1) {
    const from_bytes = level.from_bytes + (level.cells[cell * CELL + 1] ?? 0) * level.offset_bin_bytes;
    if (from_bytes >= view.to_bytes || from_bytes + level.offset_bin_bytes <= view.from_bytes) continue;
    seen.read_bytes += level.cells[cell * CELL + 2] ?? 0;
    seen.written_bytes += level.cells[cell * CELL + 3] ?? 0;
  }
  return seen;
}

function addPoint(seen: Seen, view: MapView, points: MapPoints, at: number): void {
  const offset = points.offset_bytes[at] ?? 0;
  const len = points.len_bytes[at] ?? 0;
  if (offset >= view.to_bytes || offset + len <= view.from_bytes) return;
  if (points.write[at] === true) seen.written_bytes += len;
  else seen.read_bytes += len;
  seen.accesses = (seen.accesses ?? 0) + 1;
}

/** Whether the finest known level is too coarse for the view, and the server may have a finer one. */
export function wantsMore(view: MapView, map: FileMap, levels: readonly MapLevel[]): boolean {
  if (map.points !== null) return false;
  const finest = levels.at(-1);
  if (finest === undefined) return false;
  const { width, height } = cellPx(view, finest);
  return width > COARSE_CELL_PX || height > COARSE_CELL_PX;
}

/** Whether the level covers everything in view. */
export function covers(view: MapView, level: MapLevel): boolean {
  const slack_s = level.time_bin_s;
  const slack_bytes = level.offset_bin_bytes;
  return (
    level.from_s <= view.from_s + slack_s &&
    level.from_s + level.time_bins * level.time_bin_s >= view.to_s - slack_s &&
    level.from_bytes <= view.from_bytes + slack_bytes &&
    level.from_bytes + level.offset_bins * level.offset_bin_bytes >= view.to_bytes - slack_bytes
  );
}

/** The levels of a file for a view: its own, and the finer one from the server if it covers the view. */
export function levelsFor(view: MapView, map: FileMap, finer: MapLevel | null): readonly MapLevel[] {
  return finer !== null && covers(view, finer) ? [...map.levels, finer] : map.levels;
}

/** The first index below `count` for which `holds` is true; it must be true for all later ones, too. */
function lowerBound(count: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
