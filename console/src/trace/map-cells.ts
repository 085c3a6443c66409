// Which cells or accesses of a file's map are drawn for a view: those of the level whose cells are just large enough
// to be told apart, and only those in view. Pure, and quick enough to be done for every frame.

import type { FileMap, MapLevel, MapPoints } from "../data/page";
import type { MapView } from "./map-view";

/** Cells smaller than this can't be told apart, nor can their pattern be seen. */
export const MIN_CELL_PX = 3;
/** Cells larger than this are worth asking the server for finer ones. */
export const COARSE_CELL_PX = 10;
/** More accesses than this are drawn as cells. */
export const MAX_POINTS = 8_000;

/** Values of a cell: bin of time, bin of the file, bytes read, bytes written. */
export const CELL = 4;

/** Part of a level: its cells from first up to, and without, end. */
export interface CellSlice {
  level: MapLevel;
  first: number;
  end: number;
}

/** Part of a file's accesses. */
export interface PointSlice {
  points: MapPoints;
  first: number;
  end: number;
}

/** How many pixels a cell of the level has. */
export function cellPx(view: MapView, level: MapLevel): { width: number; height: number } {
  return {
    width: (level.time_bin_s / (view.to_s - view.from_s)) * view.width_px,
    height: (level.offset_bin_bytes / (view.to_bytes - view.from_bytes)) * view.height_px,
  };
}

/** The finest level whose cells are large enough; the coarsest where none is. */
export function levelFor(view: MapView, levels: readonly MapLevel[]): MapLevel | null {
  for (let at = levels.length - 1; at >= 0; at -= 1) {
    const level = levels[at];
    if (level === undefined) continue;
    const { width, height } = cellPx(view, level);
    // One axis may be finer than can be told apart, where the other would be too coarse otherwise.
    if (at === 0 || (width >= MIN_CELL_PX && height >= MIN_CELL_PX)) return level;
  }
  return null;
}

/** The cells to draw; null where a file has no level. */
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

/** The accesses to draw, where they are known and few enough; else null. */
export function pointsFor(view: MapView, points: MapPoints | null, most = MAX_POINTS): PointSlice | null {
  if (points === null) return null;
  const count = points.issued_s.length;
  const first = lowerBound(count, (at) => (points.issued_s[at] ?? 0) >= view.from_s);
  const end = lowerBound(count, (at) => (points.issued_s[at] ?? 0) > view.to_s);
  return end - first <= most ? { points, first, end } : null;
}

const longest = new WeakMap<MapPoints, number>();

/** The longest time that an access took, in seconds. */
function longestOf(points: MapPoints): number {
  const known = longest.get(points);
  if (known !== undefined) return known;
  const found = points.service_us.reduce((most, us) => Math.max(most, us), 0) / 1e6;
  longest.set(points, found);
  return found;
}

/** The accesses to draw, with those that began before the view and may last into it. */
export function drawnPoints(view: MapView, points: MapPoints | null): PointSlice | null {
  return points === null ? null : pointsFor({ ...view, from_s: view.from_s - longestOf(points) }, points);
}

/** What is in view, as numbers. Cells that are partly in view count whole. */
export interface Seen {
  read_bytes: number;
  written_bytes: number;
  /** null where only cells are known. */
  accesses: number | null;
}

/** What of a file is in view. */
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

/** Whether the finest level that is known is too coarse for the view and the server could tell more. */
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

/** The levels of a file for a view: its own, and the finer one that a server sent where it covers the view. */
export function levelsFor(view: MapView, map: FileMap, finer: MapLevel | null): readonly MapLevel[] {
  return finer !== null && covers(view, finer) ? [...map.levels, finer] : map.levels;
}

/** The first of `count` for which it holds, where it holds for all behind the first. */
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
