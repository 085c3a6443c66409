// What stands of each run in the table of systems: figures of its summary, or none. Pure.

import type { RunPage } from "../data/page";

export interface RunFigures {
  /** What a search found, else the most that ran at once. */
  streams: number | null;
  /** The search found a count that more may pass. */
  isAtLeast: boolean;
  late_frames: number | null;
  worst_margin_us: number | null;
  /** The most of all load points, reads and writes together. */
  bytes_per_s: number | null;
}

export function figuresOf({ summary, hero }: RunPage): RunFigures {
  // Where no frame was judged, as in a mix or a warm-up that was stopped, nothing is known of late ones.
  const judged = summary.load_points.filter((point) => (point.streams?.total.frames_judged ?? 0) > 0);
  const totals = judged.flatMap((point) => (point.streams == null ? [] : [point.streams.total]));
  const counts = summary.load_points.flatMap((point) => (point.stream_count == null ? [] : [point.stream_count]));
  const margins = totals.flatMap((total) => (total.worst_margin == null ? [] : [total.worst_margin.margin_us]));
  const rates = summary.load_points.flatMap((point) => (point.total.bytes_per_s == null ? [] : [point.total.bytes_per_s]));
  const { number } = hero.statement;
  const searched = number.of === "capacity" ? number.streams : null;
  // A first look has an answer for each format, and none for the whole run.
  const most = summary.check == null && summary.search == null && counts.length > 0 ? Math.max(...counts) : null;
  return {
    streams: searched ?? most,
    isAtLeast: number.of === "capacity" && number.at_least !== null,
    late_frames: totals.length === 0 ? null : totals.reduce((sum, total) => sum + total.late_frames, 0),
    worst_margin_us: margins.length === 0 ? null : Math.min(...margins),
    bytes_per_s: rates.length === 0 ? null : Math.max(...rates),
  };
}
