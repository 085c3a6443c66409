// Finds what is under the pointer on the offset map: the nearest access, or the cell. Pure.

import { CELL, cellsFor, drawnPoints, levelsFor } from "./map-cells";
import type { MapFile } from "./map-paint";
import { offsetText } from "./map-paint";
import type { Anchor, MapView } from "./map-view";
import { amount, blockSize, duration, fixed } from "../figures/units";

/** Marks farther away than this do not count. */
const NEAR_PX = 10;

export interface Pick {
  file: number;
  text: string;
}

/** The mark of the topmost file at a position; null if there is none. */
export function pickAt(view: MapView, files: readonly MapFile[], at: Anchor): Pick | null {
  let best: { pick: Pick; distance: number } | null = null;
  for (const file of files) {
    const found = nearestPoint(view, file, at) ?? cellAt(view, file, at);
    if (found !== null && (best === null || found.distance <= best.distance)) best = found;
  }
  return best?.pick ?? null;
}

function nearestPoint(view: MapView, file: MapFile, at: Anchor): { pick: Pick; distance: number } | null {
  const slice = drawnPoints(view, file.map.points);
  if (slice === null) return null;
  const { points } = slice;
  const perSecond = view.width_px / (view.to_s - view.from_s);
  const perByte = view.height_px / (view.to_bytes - view.from_bytes);
  let best = -1;
  let distance = NEAR_PX;
  for (let point = slice.first; point < slice.end; point += 1) {
    const begin = ((points.issued_s[point] ?? 0) - view.from_s) * perSecond - at.across * view.width_px;
    const end = begin + ((points.service_us[point] ?? 0) / 1e6) * perSecond;
    const x = begin > 0 ? begin : Math.min(end, 0);
    if (Math.abs(x) > distance) continue;
    const from = ((points.offset_bytes[point] ?? 0) - view.from_bytes) * perByte;
    const to = from + (points.len_bytes[point] ?? 0) * perByte;
    const y = at.up * view.height_px;
    const away = Math.hypot(x, y < from ? from - y : y > to ? y - to : 0);
    if (away <= distance) [best, distance] = [point, away];
  }
  if (best < 0) return null;
  const did = points.write[best] === true ? "written" : "read";
  const [length, offset] = [points.len_bytes[best] ?? 0, points.offset_bytes[best] ?? 0];
  const text = `${fixed(points.issued_s[best] ?? 0, 6)} s: ${blockSize(length)} ${did} at ${blockSize(offset)}, ${duration(points.service_us[best] ?? 0)}`;
  return { pick: { file: file.map.file, text }, distance };
}

function cellAt(view: MapView, file: MapFile, at: Anchor): { pick: Pick; distance: number } | null {
  const moment = view.from_s + at.across * (view.to_s - view.from_s);
  const place = view.from_bytes + at.up * (view.to_bytes - view.from_bytes);
  const level = cellsFor(view, levelsFor(view, file.map, file.finer))?.level;
  if (level === undefined) return null;
  const time = Math.floor((moment - level.from_s) / level.time_bin_s);
  const row = Math.floor((place - level.from_bytes) / level.offset_bin_bytes);
  const only = { ...view, from_s: moment, to_s: moment + level.time_bin_s / 1e6 };
  const slice = cellsFor({ ...only, width_px: 1e9, height_px: 1e9 }, [level]);
  if (slice === null) return null;
  for (let cell = slice.first; cell < slice.end; cell += 1) {
    if (level.cells[cell * CELL] !== time || level.cells[cell * CELL + 1] !== row) continue;
    const from_s = level.from_s + time * level.time_bin_s;
    const from_bytes = level.from_bytes + row * level.offset_bin_bytes;
    const end_bytes = from_bytes + level.offset_bin_bytes;
    const text =
      `from ${fixed(from_s, 3)} s for ${duration(level.time_bin_s * 1e6)}, ` +
      `${offsetText(from_bytes, level.offset_bin_bytes)} to ${offsetText(end_bytes, level.offset_bin_bytes)}: ` +
      `${amount(level.cells[cell * CELL + 2] ?? 0)} read, ${amount(level.cells[cell * CELL + 3] ?? 0)} written`;
    return { pick: { file: file.map.file, text }, distance: NEAR_PX };
  }
  return null;
}
