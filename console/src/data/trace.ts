// What `reelgauge report TRACE --json` prints (crates/analysis/src/trace_stats and fragments), field by field.

import type { FragmentSigns } from "./signs";

export interface TraceReport {
  trace_report_version: number;
  about: TraceAbout;
  figures: TraceFigures;
  /** The files with the most bytes. */
  files: FileFigures[];
  over_time: ReportOverTime;
  signs: FragmentSigns;
}

/** What a trace says about itself. Texts may be empty. */
export interface TraceAbout {
  name: string;
  path: string;
  about: string;
  /** "record", "import strace", "synthetic"; "run" for a run. */
  made_by: string;
  /** The file that was imported, or the command that was recorded. */
  source: string;
  /** RFC 3339. */
  made_at: string;
  /** "application", "cache", "network", "block". */
  capture: string;
  /** 0 where that is not known. */
  threads: number;
  blind_to: string[];
  warnings: string[];
  /** What was seen and not kept: how often, by reason. */
  left_out: Record<string, number>;
  malformed_lines: number;
  /** The first of them: line number, text, what is wrong. */
  first_malformed: [number, string, string][];
  /** What its reads and writes moved in all, as its maker counted; null or missing where it doesn't say. */
  moved?: { reads: number; read_bytes: number; writes: number; written_bytes: number } | null;
  /** What the recorder took per operation, without the way to it and back. */
  cost_ns_per_op: number | null;
  /** What the way to the recorder and back took per operation; missing in older traces. */
  round_trip_ns?: number | null;
  /** Figure, what was published, what the trace has, how far it may be off. */
  synthetic: [string, number, number, number][];
}

export interface TraceFigures {
  /** The period that was asked for; null where all is told. */
  from_s: number | null;
  to_s: number | null;
  first_issued_s: number;
  span_s: number;
  ops: number;
  failed_ops: number;
  warmup_ops: number;
  accesses: number;
  reads: number;
  writes: number;
  read_bytes: number;
  written_bytes: number;
  read_bytes_per_s: number | null;
  written_bytes_per_s: number | null;
  sequential_accesses: number;
  /** Accesses that begin where the one before them, in the whole trace, ended in the same file. */
  sequential_percent: number | null;
  sequential_in_file_accesses: number;
  /** Accesses that begin where the last one to the same file ended. */
  sequential_in_file_percent: number | null;
  copied_ops: number;
  mapped_ops: number;
  reads_at_the_end: number;
  short_ops: number;
  read_sizes: SizeFigures | null;
  write_sizes: SizeFigures | null;
  read_service: ServiceFigures | null;
  write_service: ServiceFigures | null;
  by_kind: KindFigures[];
  errors: ErrorCount[];
  files: FilesTouched;
}

export interface KindFigures {
  kind: string;
  ops: number;
  failed_ops: number;
  service_s: number;
  mean_service_us: number | null;
  max_service_us: number | null;
}

export interface ErrorCount {
  errno: number;
  name: string;
  kind: string;
  count: number;
}

export interface FilesTouched {
  touched: number;
  only_read: number;
  only_written: number;
  read_and_written: number;
}

export interface FileFigures {
  file: number;
  path: string;
  end_bytes: number;
  read_bytes: number;
  written_bytes: number;
  reads: number;
  writes: number;
  other_ops: number;
  failed_ops: number;
  sequential_percent: number | null;
  sequential_in_file_percent: number | null;
  read_sizes: SizeFigures | null;
  write_sizes: SizeFigures | null;
  read_service: ServiceFigures | null;
  write_service: ServiceFigures | null;
  map: ReportMap | null;
}

/** The terminal's small map; the page draws from Detail.maps. */
export interface ReportMap {
  from_s: number;
  time_bin_s: number;
  time_bins: number;
  offset_bin_bytes: number;
  offset_bins: number;
  /** Bin of time, bin of the file, bytes read, bytes written. */
  cells: [number, number, number, number][];
}

export interface SizeFigures {
  count: number;
  mean_bytes: number;
  deviation_bytes: number;
  median_bytes: number;
  min_bytes: number;
  max_bytes: number;
  histogram: { from_bytes: number; below_bytes: number; count: number }[];
  frequent: { bytes: number; count: number }[];
}

export interface ServiceFigures {
  count: number;
  mean_us: number;
  deviation_us: number;
  median_us: number;
  p99_us: number;
  max_us: number;
  histogram: { from_us: number; below_us: number; count: number }[];
}

export interface ReportOverTime {
  from_s: number;
  bin_s: number;
  bins: { ops: number; failed_ops: number; read_bytes: number; written_bytes: number }[];
}
