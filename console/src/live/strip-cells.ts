// Streams of a run in progress as rows of cells: how much of its buffer each had left. Pure.

import { type Cell, turnsOf } from "../figures/margin";
import type { LivePoint } from "./live-state";

export interface StripRow {
  /** The host of the stream; empty in a run of one host. */
  host: string;
  stream: number;
}

export interface StripCell extends StripRow, Cell {}

/** The state of a stream at a tick. */
interface Stand {
  at_s: number;
  late_frames: number;
  margin_ms: number | null;
}

/** The first tick of a load point covers this much time before it, in seconds. */
const FIRST_S = 1;

export function stripCells(ticks: readonly LivePoint[]): StripCell[] {
  const cells: StripCell[] = [];
  let known = new Map<string, Stand>();
  let before_s: number | null = null;
  for (const tick of ticks) {
    if (tick.isFirst || before_s === null) {
      // Late frames before the first tick that was kept are unknown.
      known = new Map();
      before_s = tick.at_s - FIRST_S;
    }
    const from_s = before_s;
    const { stream, late_frames, margin_ms, buffer_ms } = tick.streams;
    stream.forEach((number, index) => {
      const row = { host: tick.streams.host?.[index] ?? "", stream: number };
      const late = late_frames[index] ?? 0;
      const before = known.get(rowName(row)) ?? { at_s: from_s, late_frames: tick.isFirst ? 0 : late, margin_ms: null };
      const now = { at_s: tick.at_s, late_frames: late, margin_ms: margin_ms[index] ?? null };
      known.set(rowName(row), now);
      cellsBetween({ ...before, at_s: from_s }, now, buffer_ms[index] ?? 0).forEach((cell) => cells.push({ ...row, ...cell }));
    });
    before_s = tick.at_s;
  }
  return cells;
}

/**
 * The cells from one tick to the next. In between, the margin shrinks with the clock, and no frame is late before the
 * deadline of the frame that was outstanding at the first tick.
 */
function cellsBetween(before: Stand, now: Stand, buffer_ms: number): Cell[] {
  const late_frames = Math.max(now.late_frames - before.late_frames, 0);
  const isLate = late_frames > 0 || (now.margin_ms ?? 0) < 0;
  const neededOf = ({ at_s, margin_ms }: Stand) => (margin_ms === null ? null : at_s + margin_ms / 1e3);
  const needed_s = isLate ? (neededOf(before) ?? (late_frames > 0 ? before.at_s : neededOf(now))) : neededOf(now);
  if (needed_s === null) return [];
  const cells: Cell[] = [];
  let from_s = before.at_s;
  for (const { until_s, kind } of [...turnsOf(needed_s, buffer_ms), { until_s: Infinity, kind: "late" as const }]) {
    const to_s = Math.min(until_s, now.at_s);
    if (to_s <= from_s) continue;
    const isLast = to_s === now.at_s;
    const margin_ms = isLast ? now.margin_ms : (needed_s - to_s) * 1e3;
    cells.push({ from_s, to_s, kind, margin_ms, late_frames: isLast ? late_frames : 0 });
    from_s = to_s;
  }
  return cells;
}

/** The streams that have a cell, by host and number. */
export function rowsOf(cells: readonly StripCell[]): StripRow[] {
  const rows = new Map(cells.map(({ host, stream }) => [rowName({ host, stream }), { host, stream }]));
  return [...rows.values()].sort((one, two) => one.host.localeCompare(two.host, "en") || one.stream - two.stream);
}

/** "7"; in a run of several hosts "edit-2: 7". Unique. */
export function rowName({ host, stream }: StripRow): string {
  return host === "" ? String(stream) : `${host}: ${stream}`;
}
