// The part of the offset map in view, and how it changes: time and offset, zoom and pan. Pure, without canvas or
// pointer. The time is the page's period (src/period.ts); the offset belongs to the map.

import { type Extent, type Period, inView, moved, zoomed } from "../period";

/** A range of offsets in a file. */
export interface Bytes {
  from_bytes: number;
  to_bytes: number;
}

/** The part in view, and its size in pixels. */
export interface MapView extends Period, Bytes {
  width_px: number;
  height_px: number;
}

/** The whole range of time and offset. */
export interface MapExtent {
  time: Extent;
  end_bytes: number;
}

/** The chosen part; null for the whole range of an axis. */
export interface MapChoice {
  period: Period | null;
  bytes: Bytes | null;
}

/** The shortest range of offsets in view. */
const FEWEST_BYTES = 4096;

/** The choice as ranges. */
export function viewOf(extent: MapExtent, choice: MapChoice, width_px: number, height_px: number): MapView {
  const bytes = choice.bytes ?? { from_bytes: 0, to_bytes: extent.end_bytes };
  return { ...inView(extent.time, choice.period), ...bytes, width_px, height_px };
}

/** Offsets inside the file; null if they cover the whole file. */
export function bytesWithin(end_bytes: number, wish: Bytes): Bytes | null {
  const length = Math.max(wish.to_bytes - wish.from_bytes, Math.min(FEWEST_BYTES, end_bytes));
  if (!(length < end_bytes * 0.9995)) return null;
  const from_bytes = Math.min(Math.max(wish.from_bytes, 0), end_bytes - length);
  return { from_bytes, to_bytes: from_bytes + length };
}

/** The fixed point of a zoom, as shares of the picture from the left and from the bottom. */
export interface Anchor {
  across: number;
  up: number;
}

const MIDDLE: Anchor = { across: 0.5, up: 0.5 };

export type Axes = "both" | "time" | "offset";

/** Zooms in (factor below 1) or out; the anchor keeps its position. */
export function zoomedMap(
  extent: MapExtent,
  choice: MapChoice,
  factor: number,
  axes: Axes = "both",
  anchor: Anchor = MIDDLE,
): MapChoice {
  const view = viewOf(extent, choice, 1, 1);
  const at_s = view.from_s + (view.to_s - view.from_s) * anchor.across;
  const length = view.to_bytes - view.from_bytes;
  const at_bytes = view.from_bytes + length * anchor.up;
  const from_bytes = at_bytes - length * anchor.up * factor;
  return {
    period: axes === "offset" ? choice.period : zoomed(extent.time, choice.period, factor, at_s),
    bytes:
      axes === "time"
        ? choice.bytes
        : bytesWithin(extent.end_bytes, { from_bytes, to_bytes: from_bytes + length * factor }),
  };
}

/** Moves by shares of the part in view, and stops at the ends. */
export function movedMap(extent: MapExtent, choice: MapChoice, across: number, up: number): MapChoice {
  const bytes = choice.bytes;
  const by_bytes = bytes === null ? 0 : (bytes.to_bytes - bytes.from_bytes) * up;
  return {
    period: across === 0 ? choice.period : moved(extent.time, choice.period, across),
    bytes:
      bytes === null
        ? null
        : bytesWithin(extent.end_bytes, {
            from_bytes: bytes.from_bytes + by_bytes,
            to_bytes: bytes.to_bytes + by_bytes,
          }),
  };
}

/** The choice after a key; undefined if the key has no meaning. */
export function mapKey(key: string, extent: MapExtent, choice: MapChoice): MapChoice | undefined {
  switch (key) {
    case "ArrowLeft":
      return movedMap(extent, choice, -0.2, 0);
    case "ArrowRight":
      return movedMap(extent, choice, 0.2, 0);
    case "ArrowUp":
      return movedMap(extent, choice, 0, 0.2);
    case "ArrowDown":
      return movedMap(extent, choice, 0, -0.2);
    case "+":
    case "=":
      return zoomedMap(extent, choice, 0.5);
    case "-":
      return zoomedMap(extent, choice, 2);
    case "Escape":
    case "0":
      return { period: null, bytes: null };
    default:
      return undefined;
  }
}

/** A step of 1, 2 or 5 times a power of ten, for an axis with at most this many marks. */
export function roundStep(length: number, marks: number): number {
  const rough = length / Math.max(marks, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999_999) ?? 10;
  return factor * power;
}

/** The marks of an axis at round steps, or at given ones. */
export function marksOf(from: number, to: number, marks: number, given?: number): { step: number; at: number[] } {
  if (!(to > from)) return { step: 1, at: [] };
  const step = given ?? roundStep(to - from, marks);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return { step, at: Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => (first + index) * step) };
}
