// The state of a run in progress, computed from its events one after the other. Pure.

import type { LiveEvent, LiveStreams, LiveTick } from "../data/live";
import { count, counted, duration, moment } from "../figures/units";

export interface LiveState {
  begin: Extract<LiveEvent, { event: "begin" }> | null;
  phase: string;
  /** The progress of the preparation; null if it is done, or was not needed. */
  prepared: { done_bytes: number; total_bytes: number } | null;
  verified_bytes: number | null;
  /** The newest tick; null before the first. */
  tick: LiveTick | null;
  /** For the chart, oldest first; at most MAX_TICKS. */
  ticks: LivePoint[];
  /** Late frames of the load points that have ended. Those of the current one are in `tick`. */
  earlier_late_frames: number;
  /** The times at which late frames were found, newest first; at most MAX_LATE. */
  late: LateMoment[];
  end: Extract<LiveEvent, { event: "end" }> | null;
}

export interface LivePoint {
  at_s: number;
  /** The first point of its load point: the chart must not connect it with the previous point. */
  isFirst: boolean;
  read_bytes_per_s: number;
  write_bytes_per_s: number;
  margin_ms: number | null;
  streams: LiveStreams;
}

export interface LateMoment {
  at_s: number;
  /** The load point. */
  label: string;
  /** The number of late frames since the previous tick. */
  frames: number;
}

/** One hour, at one tick per second. */
export const MAX_TICKS = 3_600;
export const MAX_LATE = 50;

export const NOTHING_YET: LiveState = {
  begin: null,
  phase: "",
  prepared: null,
  verified_bytes: null,
  tick: null,
  ticks: [],
  earlier_late_frames: 0,
  late: [],
  end: null,
};

export function afterEvent(state: LiveState, event: LiveEvent): LiveState {
  switch (event.event) {
    case "begin":
      return { ...NOTHING_YET, begin: event };
    case "phase":
      return { ...state, phase: event.name, prepared: null };
    case "prepared":
      return { ...state, prepared: { done_bytes: event.done_bytes, total_bytes: event.total_bytes } };
    case "verified":
      return { ...state, prepared: null, verified_bytes: event.checked_bytes };
    case "live":
      return afterTick(state, event);
    case "end":
      return { ...state, prepared: null, end: event };
    default:
      // A newer server may send other events.
      return state;
  }
}

function afterTick(state: LiveState, tick: LiveTick): LiveState {
  const before = state.tick;
  // The counters of a new load point start at 0.
  const isSame = before !== null && before.label === tick.label && before.elapsed_s <= tick.elapsed_s;
  const known = isSame ? (before.late_frames ?? 0) : 0;
  const frames = (tick.late_frames ?? 0) - known;
  const earlier = isSame || before === null ? 0 : (before.late_frames ?? 0);
  const point = {
    at_s: tick.at_s,
    isFirst: !isSame,
    margin_ms: tick.margin_ms,
    streams: tick.streams,
    read_bytes_per_s: tick.read_bytes_per_s,
    write_bytes_per_s: tick.write_bytes_per_s,
  };
  return {
    ...state,
    prepared: null,
    tick,
    ticks: [...state.ticks, point].slice(-MAX_TICKS),
    earlier_late_frames: state.earlier_late_frames + earlier,
    late: frames > 0 ? [{ at_s: tick.at_s, label: tick.label, frames }, ...state.late].slice(0, MAX_LATE) : state.late,
  };
}

/** Whether the load point is still in its warm-up, which no figure includes. */
export function isWarmingUp({ tick, prepared }: LiveState): boolean {
  return prepared === null && tick !== null && tick.elapsed_s < tick.warmup_s;
}

/** "results count from 2.0 s". */
export function warmUpWords({ tick }: LiveState): string {
  return tick === null ? "" : `results count from ${moment(tick.warmup_s)}`;
}

/** Late frames of the whole run; null if it has no frames. */
export function lateFrames(state: LiveState): number | null {
  const inAll = state.end?.late_frames ?? null;
  if (inAll !== null) return inAll;
  const now = state.tick?.late_frames ?? null;
  if (now === null && state.earlier_late_frames === 0) return null;
  // Nothing is counted yet, which does not mean that no frame was late.
  if (isWarmingUp(state) && state.earlier_late_frames + (now ?? 0) === 0) return null;
  return state.earlier_late_frames + (now ?? 0);
}

/** The current or last incident: "incident 2, from 5.1 s of 2 recorders: 84 late frames, no answer for 1.7 s". */
export function incidentWords(state: LiveState): string {
  const incident = state.tick?.incident ?? null;
  const last = state.late[0];
  if (incident === null) {
    return last === undefined ? "" : `last ${counted(last.frames, "frame")} at ${moment(last.at_s)}`;
  }
  const silent = incident.no_answer_s === null ? "" : `, no answer for ${duration(incident.no_answer_s * 1e6)}`;
  const number = `incident ${count(state.tick?.incidents ?? 1)}`;
  const from = `from ${moment(incident.began_in_point_s)} of ${state.tick?.label ?? ""}`;
  return `${number}, ${from}: ${counted(incident.late_frames, "late frame")}${silent}${incident.is_over ? "; ended" : ""}`;
}

/** The progress, 0 to 1; null if it is unknown. */
export function progressOf(state: LiveState): number | null {
  const { prepared, tick } = state;
  if (prepared !== null) return prepared.total_bytes > 0 ? Math.min(prepared.done_bytes / prepared.total_bytes, 1) : null;
  if (tick === null || tick.total_s === null || !(tick.total_s > 0)) return null;
  return Math.min(tick.elapsed_s / tick.total_s, 1);
}

/** How long the storage has not responded, in seconds; null while it responds, and after the run. */
export function silence(state: LiveState): number | null {
  return state.end === null ? (state.tick?.no_answer_s ?? null) : null;
}
