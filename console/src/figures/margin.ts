// The margin by the clock: the time until the deadline of the next outstanding frame; negative if it is overdue. The
// report and the live view colour streams by it, with the same thresholds. Pure.

import { counted, ms } from "./units";

/** The state of a stream in a period: late frames, less than a tenth of its buffer left, less than half, or more. */
export type Kind = "late" | "close" | "some" | "free";

/** The states, each with the share of the buffer from which it applies. */
const STEPS: [Kind, number][] = [
  ["free", 0.5],
  ["some", 0.1],
  ["close", 0],
];

/** A period in which a stream was in one state. */
export interface Cell {
  from_s: number;
  to_s: number;
  kind: Kind;
  late_frames: number;
  /** The smallest margin; null if no frame was expected. */
  margin_ms: number | null;
}

/** The caption of charts of this margin. */
export const MARGIN_NOTE = "Time until the next outstanding frame is due. Below 0, the frame is overdue.";

export const NO_FRAME_DUE = "no frame was due";

/** `2 late frames, smallest margin 12.4 ms`. */
export function cellWords({ late_frames, margin_ms }: Pick<Cell, "late_frames" | "margin_ms">): string {
  const margin = margin_ms === null ? NO_FRAME_DUE : `smallest margin ${ms(margin_ms * 1e3)} ms`;
  return `${counted(late_frames, "late frame")}, ${margin}`;
}

/** Null if no frame was expected and none was late. */
export function kindOf(late_frames: number, margin_ms: number | null, buffer_ms: number): Kind | null {
  if (late_frames > 0 || (margin_ms !== null && margin_ms < 0)) return "late";
  if (margin_ms === null) return null;
  return STEPS.find(([, share]) => margin_ms >= share * Math.max(buffer_ms, 1))?.[0] ?? "close";
}

/** The times at which a margin that shrinks until the deadline `needed_s` leaves each state, and that state. */
export function turnsOf(needed_s: number, buffer_ms: number): { until_s: number; kind: Kind }[] {
  const buffer_s = Math.max(buffer_ms, 1) / 1e3;
  return STEPS.map(([kind, share]) => ({ kind, until_s: needed_s - share * buffer_s }));
}
