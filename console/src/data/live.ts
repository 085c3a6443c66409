// What the live console and its server say to each other. The server is crates/console.
//
// POST /api/enter                     {token}              sets the cookie that lets this browser in
// GET  /api/info                      Info
// GET  /api/runs                      RunEntry[]           newest first
// GET  /api/runs/ID/page              Page                 kind "run"
// GET  /api/runs/ID/map?file=N&from_s=&to_s=&from_bytes=&to_bytes=&columns=&rows=      MapLevel
// GET  /api/runs/ID/ops?from_s=&to_s=&file=GLOB&kind=&sort=&top=                      OpColumns
// GET  /api/runs/ID/live              server-sent events: each is one LiveEvent in `data:`
// PUT  /api/runs/ID/notes             RunNotes
// POST /api/runs/ID/stop
// DELETE /api/runs/ID
// GET  /api/compare?run=ID&run=ID     Page                 kind "compare"
// GET  /api/forms                     Form[]
// POST /api/start                     StartRequest -> StartAnswer
// GET  /api/traces                    TraceEntry[]
// GET  /api/traces/NAME/page          Page                 kind "trace"
// GET  /metrics                       Prometheus text
// An error is { "error": "what, where, what to do" } with status 4xx or 5xx.
// Everything but GET carries the header `X-Reelgauge: 1`.

import type { RunNotes } from "./page";

export interface Info {
  version: string;
  host: string;
  /** Folder of the runs. */
  runs_dir: string;
  /** Directories below which targets may lie. */
  roots: string[];
}

export interface RunEntry {
  id: string;
  verb: string;
  label: string;
  target: string;
  /** RFC 3339; empty where nothing says so. */
  started_at: string;
  state: "running" | "complete" | "interrupted" | "broke_off" | "killed";
  /** The first sentence of the answer; empty while it runs. */
  sentence: string;
  /** null where no criteria were asked for. */
  passed: boolean | null;
  streams: number | null;
  bytes_on_disk: number;
  notes: RunNotes | null;
}

export interface TraceEntry {
  name: string;
  about: string;
}

/** A line of live.jsonl in the run directory, and an event of the console. */
export type LiveEvent =
  | { event: "begin"; at_s: number; pid: number; verb: string; label: string; target: string }
  | { event: "phase"; at_s: number; name: string }
  | { event: "prepared"; at_s: number; done_bytes: number; total_bytes: number }
  | { event: "verified"; at_s: number; checked_bytes: number }
  | LiveTick
  | {
      event: "end";
      at_s: number;
      outcome: "complete" | "interrupted" | "broke_off";
      reason: string | null;
      /** Of all load points, as in the summary; null where there are no frames, and no summary. */
      late_frames: number | null;
      /** The same of incidents. */
      incidents?: number | null;
    };

/**
 * Once a second, at once when a frame is late, when the storage falls silent and when it speaks again, and when the
 * load point ends.
 */
export interface LiveTick {
  event: "live";
  /** Since the run began. */
  at_s: number;
  /** The load point. */
  label: string;
  /** Since the load point began, warm-up included. */
  elapsed_s: number;
  warmup_s: number;
  /** How long it will take; null where nobody knows. */
  total_s: number | null;
  read_bytes_per_s: number;
  write_bytes_per_s: number;
  /**
   * By the clock, in this load point; null where there are no frames. A frame is late as soon as its deadline has
   * passed.
   */
  late_frames: number | null;
  /**
   * The smallest margin of all streams since the tick before: how long until a frame was needed that had not come.
   * Negative when it was overdue; null where nothing was due.
   */
  margin_ms: number | null;
  /** How long the oldest operation in flight has been so; null when none is. */
  longest_in_flight_s: number | null;
  /** How long something has been in flight and nothing was answered; null while answers come, which may take 0.4 s. */
  no_answer_s: number | null;
  /** Incidents in this load point: late frames with less than a second between them are one; null without frames. */
  incidents?: number | null;
  /** The latest of them. */
  incident?: LiveIncident | null;
  /** Streams that have frames, the worst first; at most 64. */
  streams: LiveStreams;
}

/** An incident while it happens. */
export interface LiveIncident {
  /** Since the load point began: when nothing was answered any more, or the first frame was late. */
  began_in_point_s: number;
  late_frames: number;
  /** The longest time in it in which nothing was answered; null where that was below 0.4 s. */
  no_answer_s: number | null;
  /** No frame has been late for a second. */
  is_over: boolean;
}

/** Streams in columns: each has its place in every one of them. */
export interface LiveStreams {
  stream: number[];
  late_frames: number[];
  margin_ms: (number | null)[];
  /** How long they may lag. */
  buffer_ms: number[];
}

/** A verb's flags, as the command line itself knows them. */
export interface Form {
  verb: string;
  about: string;
  fields: FormField[];
}

export interface FormField {
  /** `path`, or a flag without its dashes: `file-size`. */
  name: string;
  help: string;
  /** A flag that is there or not; one of a list; anything else is text. */
  kind: "switch" | "choice" | "text";
  choices: string[];
  default: string;
  /** `SIZE`, `TIME`, `N`. */
  value_name: string;
  required: boolean;
  /** Shown at once; the others under "more". */
  common: boolean;
}

export interface StartRequest {
  verb: string;
  /** Every field that is not as it was; a switch has the value "true". */
  values: Record<string, string>;
}

/** Exactly one of both. The error is what the command line would say. */
export interface StartAnswer {
  id: string | null;
  error: string | null;
}
