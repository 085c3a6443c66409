// Which streams have a row in the picture of the streams, in which order, and what stands in it. Pure.

import type { PointStreams, StreamStrip } from "../data/page";
import type { LoadPoint } from "../data/summary";

/** How a stream was for a while: late frames, less than a tenth of its time left, less than half, more. */
export type Kind = "late" | "close" | "some" | "free";

export interface StripCell {
  from_s: number;
  to_s: number;
  kind: Kind;
  late_frames: number;
  /** The smallest; null where no frame came. */
  margin_us: number | null;
}

/** One stream in one load point. */
export interface Strip {
  point: PointStreams;
  strip: StreamStrip;
  cells: StripCell[];
}

/** A stream over the whole run. */
export interface Row {
  stream: number;
  name: string;
  late_frames: number;
  /** The smallest; null where no frame came at all. */
  margin_us: number | null;
  strips: Strip[];
}

/** The rows, those that matter most first: most late frames, then the smallest margin. One row holds one stream of one
 * kind and format: the probes of a first look number theirs anew for each format. */
export function rowsOf(streams: readonly PointStreams[], points: readonly LoadPoint[]): Row[] {
  const rows = new Map<string, Row>();
  for (const point of streams) {
    const load = points.find((one) => one.index === point.point);
    for (const strip of point.streams) {
      const key = `${strip.stream} ${strip.name}`;
      const { stream, name } = strip;
      const row = rows.get(key) ?? { stream, name, late_frames: 0, margin_us: null, strips: [] };
      rows.set(key, row);
      row.late_frames += strip.late_frames.reduce((sum, late) => sum + late, 0);
      row.margin_us = smaller(row.margin_us, smallest(strip.min_margin_us));
      row.strips.push({ point, strip, cells: cellsOf(point, strip, timesOf(load, strip)) });
    }
  }
  const margin = (row: Row) => row.margin_us ?? Infinity;
  return [...rows.values()].sort(
    (one, two) =>
      two.late_frames - one.late_frames ||
      (margin(one) === margin(two) ? 0 : margin(one) - margin(two)) ||
      one.stream - two.stream,
  );
}

/** What bins hold, of one stream or of all. */
type Bins = Pick<StreamStrip, "min_margin_us" | "late_frames">;

interface FrameTimes {
  /** null where nothing of the stream is known. */
  frame_s: number | null;
  /** Buffer and one frame: what the margin is held against. */
  allowance_us: number | null;
}

/** The longest frame of a load point's streams; null where none is known. */
export function longestFrame(load: LoadPoint | undefined): number | null {
  const rates = (load?.streams?.streams ?? []).map((one) => one.nominal_frames_per_s).filter((rate) => rate > 0);
  return rates.length === 0 ? null : 1 / Math.min(...rates);
}

/** A stream that has no figures of its own on the page is like the others of its name. */
function timesOf(load: LoadPoint | undefined, strip: StreamStrip): FrameTimes {
  const all = load?.streams?.streams ?? [];
  const facts = all.find((one) => one.stream === strip.stream) ?? all.find((one) => one.name === strip.name);
  if (facts === undefined || !(facts.nominal_frames_per_s > 0)) return { frame_s: null, allowance_us: null };
  const frame_s = 1 / facts.nominal_frames_per_s;
  return { frame_s, allowance_us: (facts.buffer_s + frame_s) * 1e6 };
}

/** Bins are joined until each is longer than a frame: in shorter ones a stream in time would have gaps. */
export function cellsOf(point: Pick<PointStreams, "time">, strip: Bins, times: FrameTimes): StripCell[] {
  const { time } = point;
  const per = times.frame_s === null ? 1 : binsPerCell(times.frame_s, time.bin_s);
  const cells: StripCell[] = [];
  for (let first = 0; first < time.bins; first += per) {
    const end = Math.min(first + per, time.bins);
    const late_frames = strip.late_frames.slice(first, end).reduce((sum, late) => sum + late, 0);
    const margin_us = smallest(strip.min_margin_us.slice(first, end));
    const kind = kindOf(late_frames, margin_us, times.allowance_us);
    if (kind === null) continue;
    const at = (bin: number) => time.from_s + bin * time.bin_s;
    cells.push({ from_s: at(first), to_s: at(end), kind, late_frames, margin_us });
  }
  return cells;
}

/** How many bins make a cell that is longer than a frame; 1 where each is. */
export function binsPerCell(frame_s: number, bin_s: number): number {
  return bin_s > frame_s ? 1 : Math.floor(frame_s / bin_s + 1e-6) + 1;
}

function kindOf(late_frames: number, margin_us: number | null, allowance_us: number | null): Kind | null {
  if (late_frames > 0) return "late";
  if (margin_us === null) return null;
  if (allowance_us === null) return "free";
  const left = margin_us / allowance_us;
  return left < 0.1 ? "close" : left < 0.5 ? "some" : "free";
}

function smallest(margins: readonly (number | null)[]): number | null {
  return margins.reduce(smaller, null);
}

function smaller(one: number | null, two: number | null): number | null {
  if (one === null || two === null) return one ?? two;
  return Math.min(one, two);
}
