// Paints the offset map: cells or accesses of the chosen files, and the axes. Reads are filled; writes are hatched
// (cells) or hollow (accesses), so that they differ without colour. Canvas and SVG get the same marks.

import { tickTime } from "../charts/axes";
import type { Look } from "../charts/palette";
import type { FileMap, MapLevel } from "../data/page";
import { amount, fixed } from "../figures/units";
import { CELL, type CellSlice, MIN_CELL_PX, type PointSlice, cellsFor, drawnPoints, levelsFor } from "./map-cells";
import { type MapView, marksOf } from "./map-view";

export interface MapFile {
  map: FileMap;
  /** The finer level that the server sent for a part of the file. */
  finer: MapLevel | null;
  colour: string;
}

export interface Scene {
  view: MapView;
  files: readonly MapFile[];
  reads: boolean;
  writes: boolean;
}

/** The plot, and the space for the axes around it. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export type Fill = "solid" | "hatched" | "hollow";

/** Draws marks: first their style, then their positions. */
export interface Pen {
  begin: (colour: string, fill: Fill, alpha: number) => void;
  rect: (x: number, y: number, width: number, height: number) => void;
}

/** The opacity of cells, from few bytes to many. */
const ALPHAS = [0.4, 0.6, 0.8, 1] as const;
const POINT_PX = 4;

/** The plot inside a canvas of this size. */
export function areaOf(width: number, height: number): Area {
  const left = width < 480 ? 56 : 68;
  return { left, top: 8, width: Math.max(width - left - 10, 10), height: Math.max(height - 34, 10) };
}

/** Draws everything in view. 0, 0 is the plot's upper left corner. Returns the number of marks. */
export function paintMarks(scene: Scene, pen: Pen): number {
  let marks = 0;
  for (const file of scene.files) {
    const points = drawnPoints(scene.view, file.map.points);
    if (points !== null) {
      marks += paintPoints(scene, file, points, pen);
      continue;
    }
    const cells = cellsFor(scene.view, levelsFor(scene.view, file.map, file.finer));
    if (cells !== null) marks += paintCells(scene, file, cells, pen);
  }
  return marks;
}

function paintPoints(scene: Scene, file: MapFile, slice: PointSlice, pen: Pen): number {
  const { view } = scene;
  const { points } = slice;
  const perSecond = view.width_px / (view.to_s - view.from_s);
  const perByte = view.height_px / (view.to_bytes - view.from_bytes);
  let marks = 0;
  for (const write of [false, true]) {
    if (!(write ? scene.writes : scene.reads)) continue;
    pen.begin(file.colour, write ? "hollow" : "solid", 1);
    const least = write ? POINT_PX + 1 : POINT_PX;
    for (let at = slice.first; at < slice.end; at += 1) {
      if (points.write[at] !== write) continue;
      const offset = points.offset_bytes[at] ?? 0;
      const length = points.len_bytes[at] ?? 0;
      if (offset > view.to_bytes || offset + length < view.from_bytes) continue;
      const top = Math.max((view.to_bytes - offset - length) * perByte, -least);
      const bottom = Math.min((view.to_bytes - offset) * perByte, view.height_px + least);
      const tall = Math.max(bottom - top, least);
      // From issue to completion, so that a long wait is a line.
      const x = ((points.issued_s[at] ?? 0) - view.from_s) * perSecond;
      const took = ((points.service_us[at] ?? 0) / 1e6) * perSecond;
      const [left, right] = [Math.max(x - least / 2, -least), Math.min(x + Math.max(took, least / 2), view.width_px + least)];
      if (right < 0) continue;
      pen.rect(left, (top + bottom - tall) / 2, right - left, tall);
      marks += 1;
    }
  }
  return marks;
}

function paintCells(scene: Scene, file: MapFile, slice: CellSlice, pen: Pen): number {
  const { level } = slice;
  const shades = shadesOf(level);
  let marks = 0;
  for (const write of [false, true]) {
    if (!(write ? scene.writes : scene.reads)) continue;
    const shade = write ? shades.written : shades.read;
    const other = write ? shades.read : shades.written;
    const mixed = write ? scene.reads : scene.writes;
    ALPHAS.forEach((alpha, index) => {
      // If a cell has reads and writes, the fill is faint, so that the hatching stays visible.
      pen.begin(file.colour, write ? "hatched" : "solid", alpha);
      marks += paintShade(scene.view, slice, (cell) => shade[cell] === index + 1 && (write || !mixed || other[cell] === 0), pen);
    });
    if (!write && mixed) {
      pen.begin(file.colour, "solid", 0.35);
      marks += paintShade(scene.view, slice, (cell) => (shade[cell] ?? 0) > 0 && (other[cell] ?? 0) > 0, pen);
    }
  }
  return marks;
}

function paintShade(view: MapView, slice: CellSlice, holds: (cell: number) => boolean, pen: Pen): number {
  const { level, first, end } = slice;
  const perSecond = view.width_px / (view.to_s - view.from_s);
  const perByte = view.height_px / (view.to_bytes - view.from_bytes);
  const width = Math.max(level.time_bin_s * perSecond, MIN_CELL_PX);
  const height = level.offset_bin_bytes * perByte;
  const tall = Math.max(height, MIN_CELL_PX);
  const left = (level.from_s - view.from_s) * perSecond;
  const bottom = (view.to_bytes - level.from_bytes) * perByte;
  let marks = 0;
  for (let cell = first; cell < end; cell += 1) {
    if (!holds(cell)) continue;
    const y = bottom - ((level.cells[cell * CELL + 1] ?? 0) + 1) * height - (tall - height) / 2;
    if (y > view.height_px || y + tall < 0) continue;
    pen.rect(left + (level.cells[cell * CELL] ?? 0) * level.time_bin_s * perSecond, y, width, tall);
    marks += 1;
  }
  return marks;
}

interface Shades {
  /** By cell: 0 for none, 1 (few bytes) to 4 (many). */
  read: Uint8Array;
  written: Uint8Array;
}

const known = new WeakMap<MapLevel, Shades>();

function shadesOf(level: MapLevel): Shades {
  const before = known.get(level);
  if (before !== undefined) return before;
  const count = Math.floor(level.cells.length / CELL);
  const shades = { read: new Uint8Array(count), written: new Uint8Array(count) };
  let most = 1;
  for (let cell = 0; cell < count; cell += 1) {
    most = Math.max(most, level.cells[cell * CELL + 2] ?? 0, level.cells[cell * CELL + 3] ?? 0);
  }
  const shade = (bytes: number) => (bytes === 0 ? 0 : Math.max(4 + Math.ceil(Math.log(bytes / most) / Math.log(4)), 1));
  for (let cell = 0; cell < count; cell += 1) {
    shades.read[cell] = Math.min(shade(level.cells[cell * CELL + 2] ?? 0), 4);
    shades.written[cell] = Math.min(shade(level.cells[cell * CELL + 3] ?? 0), 4);
  }
  known.set(level, shades);
  return shades;
}

/** A mark of an axis. */
export interface Mark {
  at_px: number;
  text: string;
}

/** Marks of the time axis, in the plot. With steps of a minute or more they are at whole minutes. */
export function timeMarks(view: MapView): Mark[] {
  const marks = Math.max(Math.floor(view.width_px / (view.width_px < 400 ? 65 : 90)), 2);
  const rough = (view.to_s - view.from_s) / marks;
  const step = rough > 30 ? (MINUTES.find((seconds) => seconds >= rough) ?? rough) : undefined;
  const { at } = marksOf(view.from_s, view.to_s, marks, step);
  const per = view.width_px / (view.to_s - view.from_s);
  return at.map((at_s) => ({ at_px: (at_s - view.from_s) * per, text: markText(at_s, view) }));
}

/** Steps of the time axis in seconds: minutes, hours, days. */
const MINUTES = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400, 172_800, 604_800];

/** The time with as many digits as the view needs; in the charts' usual format unless the view is very short. */
function markText(at_s: number, view: MapView): string {
  const digits = Math.ceil(-Math.log10((view.to_s - view.from_s) / 100));
  return digits > 4 && at_s < 120 ? `${fixed(at_s, Math.min(digits, 6))} s` : tickTime(Number(at_s.toFixed(6)));
}

/** Marks of the offset axis, from the top of the plot. */
export function offsetMarks(view: MapView): Mark[] {
  const { step, at } = marksOf(view.from_bytes, view.to_bytes, Math.max(Math.floor(view.height_px / 48), 2));
  const per = view.height_px / (view.to_bytes - view.from_bytes);
  return at.map((bytes) => ({ at_px: (view.to_bytes - bytes) * per, text: offsetText(bytes, step) }));
}

/** An offset with as many digits as the distance to the next mark needs. */
export function offsetText(bytes: number, step: number): string {
  if (bytes === 0) return "0 B";
  const units = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]] as const;
  const unit = units.find(([factor]) => bytes >= factor);
  if (unit === undefined) return amount(bytes);
  const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(step / unit[0]) + 1e-9)), 6);
  return `${fixed(bytes / unit[0], decimals)} ${unit[1]}`;
}

/** Marks of the axes and their labels, around the plot. */
export function paintAxes(context: CanvasRenderingContext2D, view: MapView, area: Area, look: Look, font: string): void {
  context.strokeStyle = look.line;
  context.fillStyle = look.faint;
  context.lineWidth = 1;
  context.font = `12px ${font}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const mark of offsetMarks(view)) {
    context.fillText(mark.text, area.left - 6, area.top + Math.round(mark.at_px) + 0.5);
  }
  context.textBaseline = "top";
  context.textAlign = "center";
  const bottom = area.top + area.height;
  for (const mark of timeMarks(view)) {
    const x = area.left + Math.round(mark.at_px) + 0.5;
    context.beginPath();
    context.moveTo(x, bottom);
    context.lineTo(x, bottom + 4);
    context.stroke();
    const half = context.measureText(mark.text).width / 2;
    context.fillText(mark.text, Math.min(x, area.left + area.width + 10 - half), bottom + 7);
  }
}

/** Lines at the marks of the offset axis, below everything else in the plot. */
export function paintGrid(view: MapView, pen: Pen, look: Look): void {
  pen.begin(look.line, "solid", 1);
  for (const mark of offsetMarks(view)) pen.rect(0, Math.round(mark.at_px), view.width_px, 1);
}
