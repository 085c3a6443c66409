// The offset map as rows for the CSV file: accesses if they are known, otherwise cells.

import type { Detail } from "../data/page";
import type { Cell } from "../parts/download";
import { fileName } from "./file-names";
import { CELL, cellsFor, levelsFor, pointsFor } from "./map-cells";
import type { MapFile } from "./map-paint";
import type { MapView } from "./map-view";

export const MAP_COLUMNS = ["file", "from, s", "to, s", "from, bytes", "to, bytes", "read, bytes", "written, bytes"];

/** The part of the files in view. An access extends from its issue to its completion. */
export function mapRows(view: MapView, files: readonly MapFile[], names: Detail["file_names"]): Cell[][] {
  return files.flatMap((file) => pointRows(view, file, names) ?? cellRows(view, file, names));
}

function pointRows(view: MapView, file: MapFile, names: Detail["file_names"]): Cell[][] | null {
  const slice = pointsFor(view, file.map.points, Infinity);
  if (slice === null) return null;
  const name = fileName(names, file.map.file);
  const rows: Cell[][] = [];
  for (let at = slice.first; at < slice.end; at += 1) {
    const { points } = slice;
    const [issued_s, offset, length] = [points.issued_s[at] ?? 0, points.offset_bytes[at] ?? 0, points.len_bytes[at] ?? 0];
    if (offset >= view.to_bytes || offset + length <= view.from_bytes) continue;
    const write = points.write[at] === true;
    rows.push([name, issued_s, issued_s + (points.service_us[at] ?? 0) / 1e6, offset, offset + length, write ? 0 : length, write ? length : 0]);
  }
  return rows;
}

function cellRows(view: MapView, file: MapFile, names: Detail["file_names"]): Cell[][] {
  const slice = cellsFor(view, levelsFor(view, file.map, file.finer));
  if (slice === null) return [];
  const { level } = slice;
  const name = fileName(names, file.map.file);
  const rows: Cell[][] = [];
  for (let cell = slice.first; cell < slice.end; cell += 1) {
    const [time = 0, row = 0, read = 0, written = 0] = level.cells.slice(cell * CELL, cell * CELL + CELL);
    const from_s = level.from_s + time * level.time_bin_s;
    const from_bytes = level.from_bytes + row * level.offset_bin_bytes;
    const end_bytes = from_bytes + level.offset_bin_bytes;
    if (from_bytes >= view.to_bytes || end_bytes <= view.from_bytes) continue;
    rows.push([name, from_s, from_s + level.time_bin_s, from_bytes, end_bytes, read, written]);
  }
  return rows;
}
