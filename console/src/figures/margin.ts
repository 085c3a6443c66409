// The margin by the clock: how long until the next frame that has not come is needed; negative while it is overdue. The
// report and the live view colour streams by it, with one set of steps. Pure.

import { counted, ms } from "./units";

/** How a stream is for a while: late frames, less than a tenth of its buffer left, less than half, more. */
export type Kind = "late" | "close" | "some" | "free";

/** Where less of the buffer is left than this, and what that is called. */
const STEPS: [Kind, number][] = [
  ["free", 0.5],
  ["some", 0.1],
  ["close", 0],
];

/** A stretch of time in which a stream was of one kind. */
export interface Cell {
  from_s: number;
  to_s: number;
  kind: Kind;
  late_frames: number;
  /** The smallest; null where no frame was expected. */
  margin_ms: number | null;
}

/** What a chart of this margin shows. */
export const MARGIN_NOTE = "Time until the next outstanding frame is due. Below 0, the frame is overdue.";

export const NO_FRAME_DUE = "no frame was due";

/** `2 late frames, smallest margin 12.4 ms`. */
export function cellWords({ late_frames, margin_ms }: Pick<Cell, "late_frames" | "margin_ms">): string {
  const margin = margin_ms === null ? NO_FRAME_DUE : `smallest margin ${ms(margin_ms * 1e3)} ms`;
  return `${counted(late_frames, "late frame")}, ${margin}`;
}

/** Null where no frame was expected, and none late. */
export function kindOf(late_frames: number, margin_ms: number | null, buffer_ms: number): Kind | null {
  if (late_frames > 0 || (margin_ms !== null && margin_ms < 0)) return "late";
  if (margin_ms === null) return null;
  return STEPS.find(([, share]) => margin_ms >= share * Math.max(buffer_ms, 1))?.[0] ?? "close";
}

/** When a margin that falls with the clock towards `needed_s` turns from one kind into the next, and what it is then. */
export function turnsOf(needed_s: number, buffer_ms: number): { until_s: number; kind: Kind }[] {
  const buffer_s = Math.max(buffer_ms, 1) / 1e3;
  return STEPS.map(([kind, share]) => ({ kind, until_s: needed_s - share * buffer_s }));
}
