// Selects and sorts the streams that have a row in the chart of the streams, and computes their cells. Pure.

import type { PointStreams, StreamStrip } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { type Cell, kindOf } from "../figures/margin";

/** One stream in one load point. */
export interface Strip {
  point: PointStreams;
  strip: StreamStrip;
  cells: Cell[];
}

/** A stream over the whole run. */
export interface Row {
  stream: number;
  name: string;
  late_frames: number;
  /** The smallest margin; null if no frame was expected. */
  margin_ms: number | null;
  strips: Strip[];
}

/**
 * The rows, the most important first: most late frames, then the smallest margin. One row holds one stream of one kind
 * and format, because the probes of a quick check number their streams from the start for each format.
 */
export function rowsOf(streams: readonly PointStreams[], points: readonly LoadPoint[]): Row[] {
  const rows = new Map<string, Row>();
  for (const point of streams) {
    const load = points.find((one) => one.index === point.point);
    for (const strip of point.streams) {
      const key = `${strip.stream} ${strip.name}`;
      const { stream, name } = strip;
      const row = rows.get(key) ?? { stream, name, late_frames: 0, margin_ms: null, strips: [] };
      rows.set(key, row);
      row.late_frames += strip.late_frames.reduce((sum, late) => sum + late, 0);
      const cells = cellsOf(point, strip, bufferOf(load, strip));
      row.margin_ms = smaller(row.margin_ms, cells.map((cell) => cell.margin_ms).reduce(smaller, null));
      row.strips.push({ point, strip, cells });
    }
  }
  const margin = (row: Row) => row.margin_ms ?? Infinity;
  return [...rows.values()].sort(
    (one, two) =>
      two.late_frames - one.late_frames ||
      (margin(one) === margin(two) ? 0 : margin(one) - margin(two)) ||
      one.stream - two.stream,
  );
}

/** The bins of one stream or of all. */
type Bins = Pick<StreamStrip, "min_margin_us" | "late_frames">;

/** The buffer of a stream, in ms. If the page has no figures of the stream, those of a stream with the same name. */
function bufferOf(load: LoadPoint | undefined, strip: StreamStrip): number {
  const all = load?.streams?.streams ?? [];
  const facts = all.find((one) => one.stream === strip.stream) ?? all.find((one) => one.name === strip.name);
  return (facts?.buffer_s ?? 0) * 1e3;
}

/** The shortest buffer of a load point's streams, in ms, with which the smallest margin of all is compared. */
export function shortestBuffer(load: LoadPoint | undefined): number {
  const all = (load?.streams?.streams ?? []).map((one) => one.buffer_s * 1e3);
  return all.length === 0 ? 0 : Math.min(...all);
}

/** A cell for each bin in which a frame was expected or late. */
export function cellsOf({ time }: Pick<PointStreams, "time">, strip: Bins, buffer_ms: number): Cell[] {
  const at = (bin: number) => time.from_s + bin * time.bin_s;
  return strip.min_margin_us.flatMap((margin_us, bin) => {
    const late_frames = strip.late_frames[bin] ?? 0;
    const margin_ms = margin_us === null ? null : margin_us / 1e3;
    const kind = kindOf(late_frames, margin_ms, buffer_ms);
    return kind === null ? [] : [{ from_s: at(bin), to_s: at(bin + 1), kind, late_frames, margin_ms }];
  });
}

/** A line through the smallest margin of each cell, with gaps where no frame was expected. */
export function marginLine(cells: readonly Cell[]): [number, number | null][] {
  return cells.flatMap(({ from_s, to_s, margin_ms }, at): [number, number | null][] => {
    const before = cells[at - 1];
    const goesOn = before !== undefined && from_s - before.to_s < (to_s - from_s) / 2;
    return goesOn || before === undefined ? [[to_s, margin_ms]] : [[before.to_s, null], [to_s, margin_ms]];
  });
}

function smaller(one: number | null, two: number | null): number | null {
  if (one === null || two === null) return one ?? two;
  return Math.min(one, two);
}
