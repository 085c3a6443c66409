// A running run, as its events tell it. Pure: one event after another makes the state that the screen shows.

import type { LiveEvent, LiveStreams, LiveTick } from "../data/live";
import { count, counted, duration, moment } from "../figures/units";

export interface LiveState {
  begin: Extract<LiveEvent, { event: "begin" }> | null;
  phase: string;
  /** How far the preparing is; null when it is done, or was none. */
  prepared: { done_bytes: number; total_bytes: number } | null;
  verified_bytes: number | null;
  /** The newest; null before the first. */
  tick: LiveTick | null;
  /** For the chart, oldest first; at most MAX_TICKS. */
  ticks: LivePoint[];
  /** Of load points that are over; the one that runs stands in tick. */
  earlier_late_frames: number;
  /** When frames were found to be late, newest first; at most MAX_LATE. */
  late: LateMoment[];
  end: Extract<LiveEvent, { event: "end" }> | null;
}

export interface LivePoint {
  at_s: number;
  /** The first of its load point: nothing before it counts for it. */
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
  /** How many more were late than before. */
  frames: number;
}

/** An hour at one a second. */
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
      // A newer server may tell more.
      return state;
  }
}

function afterTick(state: LiveState, tick: LiveTick): LiveState {
  const before = state.tick;
  // A new load point counts from 0 again.
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

/** Whether what goes on counts in no figure yet. */
export function isWarmingUp({ tick, prepared }: LiveState): boolean {
  return prepared === null && tick !== null && tick.elapsed_s < tick.warmup_s;
}

/** "results count from 2.0 s". */
export function warmUpWords({ tick }: LiveState): string {
  return tick === null ? "" : `results count from ${moment(tick.warmup_s)}`;
}

/** Late frames of the whole run; null where there are no frames. */
export function lateFrames(state: LiveState): number | null {
  const inAll = state.end?.late_frames ?? null;
  if (inAll !== null) return inAll;
  const now = state.tick?.late_frames ?? null;
  if (now === null && state.earlier_late_frames === 0) return null;
  // None is counted yet: that is not the same as none was late.
  if (isWarmingUp(state) && state.earlier_late_frames + (now ?? 0) === 0) return null;
  return state.earlier_late_frames + (now ?? 0);
}

/** The incident that goes on or was last: "incident 2, from 5.1 s of 2 recorders: 84 late frames, no answer for 1.7 s". */
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

/** How far it is, 0 to 1; null where nobody knows. */
export function progressOf(state: LiveState): number | null {
  const { prepared, tick } = state;
  if (prepared !== null) return prepared.total_bytes > 0 ? Math.min(prepared.done_bytes / prepared.total_bytes, 1) : null;
  if (tick === null || tick.total_s === null || !(tick.total_s > 0)) return null;
  return Math.min(tick.elapsed_s / tick.total_s, 1);
}

/** How long nothing has been answered, in seconds; null while answers come, and when it is over. */
export function silence(state: LiveState): number | null {
  return state.end === null ? (state.tick?.no_answer_s ?? null) : null;
}
