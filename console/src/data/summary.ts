// summary.json, as crates/analysis writes it (summary.rs, figures.rs, late/figures.rs, facts/*.rs,
// rereads.rs, whose_memory.rs, verdict.rs, series.rs, self_cost.rs, paper.rs, vda.rs). What was not measured
// is null; fields with `?` are left out then.

export interface Summary {
  schema_version: number;
  tool_version: string;
  /** RFC 3339. */
  started_at: string;
  /** `mix`, `streams`, `check`, `vda`, `replay`, … */
  verb: string;
  /** May be empty. */
  label: string;
  run_dir: string | null;
  outcome: Outcome;
  outcome_reason: string | null;
  target: Target;
  /** Inexact above 2^53; the plan's text has it exactly. */
  seed: number;
  /** The plan as resolved, names and values. */
  plan: Record<string, string>;
  effective_mode: EffectiveMode;
  data_set: DataSet;
  load_points: LoadPoint[];
  series: Series;
  log: LogFacts;
  verify: VerifyFacts | null;
  self_cost: SelfCost;
  /** Warnings, each with its advice. */
  notes: string[];
  verdict?: Verdict | null;
  search?: SearchFacts | null;
  vda?: VdaFacts | null;
  check?: CheckFacts | null;
  replay?: ReplayFacts | null;
  memory?: MemoryFacts | null;
}

/** The memories that may have answered instead of the storage. */
export interface MemoryFacts {
  data_set_bytes: number;
  /** Before it measured; a server has them in its memory for sure. */
  written_by_this_run_bytes: number;
  own_files: boolean;
  read_bytes: number;
  on_network: boolean;
  target_is_memory: boolean;
  past_client_cache: boolean | null;
  /** 0 to 1. */
  client_cached_share: number | null;
  client_memory_bytes: number | null;
  /** As stated. */
  server_memory_bytes: number | null;
  rereads: Rereads[];
  /** null where nothing was read. */
  suspicion: CacheSuspicion | null;
}

/** First against later reads of the same bytes in one load point. */
export interface Rereads {
  point: number;
  first_read_bytes: number;
  later_read_bytes: number;
  compared: ComparedReads | null;
}

export interface ComparedReads {
  /** Reads of at least so many bytes, and less than twice that. */
  read_bytes_from: number;
  first: ReadTimes;
  later: ReadTimes;
}

export interface ReadTimes {
  reads: number;
  p25_service_us: number;
  p50_service_us: number;
  p75_service_us: number;
  bytes_per_s_each: number | null;
}

export type CacheSuspicion =
  | { finding: "not_suspected" }
  | { finding: "may_have_answered"; why: WhySuspected[] }
  | { finding: "answered"; evidence: CacheEvidence };

export type WhySuspected =
  | "just_written"
  | "fits_server_memory"
  | "used_before"
  | "read_again"
  | "fits_client_memory";

export type CacheEvidence =
  | { kind: "target_is_memory" }
  | { kind: "client_counted"; share: number }
  | { kind: "later_reads_faster"; point: number; reads: ComparedReads };

/** "running": made from the log of a run that goes on. */
export type Outcome = "complete" | "interrupted" | "broke_off" | "running";

export interface Target {
  path: string;
  fs_type: string | null;
  description: string | null;
  source: string | null;
  server: string | null;
  mount_options: string | null;
  is_shared?: boolean;
}

/** Past the client's cache, or not. Shares are 0 to 1. */
export interface EffectiveMode {
  asked: string;
  found: string;
  /** In words, when it matters; else empty. */
  sentence: string;
  cached_share_before: number | null;
  cached_share_after: number | null;
}

export interface DataSet {
  files: number;
  file_size_bytes: number;
  reused: boolean;
}

export interface LoadPoint {
  index: number;
  label: string;
  workers: number;
  /** What was swept, as it stands in the plan. */
  sweep_value: string | null;
  /** Warm-up included, since the start of the run. */
  started_s: number;
  /** Without the warm-up. */
  measured_s: number;
  /** The same exactly: what throughput is divided by. */
  measured_ns?: number | null;
  ended_early: string | null;
  /** Why it has no figures although it was not cut short. */
  not_measured?: "warmup_visited_all" | "nothing_finished";
  total: Figures;
  per_worker: WorkerFigures[];
  paper: PaperTables;
  stream_count?: number | null;
  streams?: LateFigures | null;
  rates?: ProcessRate[];
  rates_mean_response_ms?: number | null;
  verdict?: Verdict | null;
  culprit?: Culprit | null;
}

export interface Figures {
  ops: number;
  failed_ops: number;
  ops_by_kind: Record<OpKind, number>;
  warmup_ops: number;
  transfers: number;
  transfers_left_out: number;
  short_transfers: number;
  /** The writes among them. */
  short_writes?: number | null;
  read_bytes: number;
  written_bytes: number;
  read_bytes_per_s: number | null;
  written_bytes_per_s: number | null;
  bytes_per_s: number | null;
  data_ops_per_s: number | null;
  response: TimesByKind;
  service: TimesByKind;
  lateness: LatenessFigures | null;
  errors: ErrorFigures[];
  first_error: FirstError | null;
}

export interface WorkerFigures extends Figures {
  worker: number;
  /** Of this worker alone, without the cells for which it measured nothing. */
  paper?: PaperTables;
}

export const OP_KINDS = [
  "read",
  "write",
  "open",
  "close",
  "sync",
  "create",
  "unlink",
  "stat",
  "access",
  "readdir",
  "truncate",
  "allocate",
  "rename",
  "mkdir",
  "rmdir",
  "setattr",
  "other",
  "link",
  "symlink",
  "readlink",
] as const;

export type OpKind = (typeof OP_KINDS)[number];

/** `data`: reads and writes together. Kinds that an older program didn't know are missing. */
export type TimesByKind = { data: TimeFigures | null } & { [Kind in OpKind]?: TimeFigures | null };

/** Of operations that succeeded. */
export interface TimeFigures {
  count: number;
  mean_us: number;
  p50_us: number;
  p95_us: number;
  p99_us: number;
  p99_9_us: number;
  max_us: number;
  /** Since the start of the run. */
  max_began_s: number;
  /** Since the start of the load point. */
  max_began_in_point_s: number;
}

export interface LatenessFigures {
  p50_us: number;
  p99_us: number;
  max_us: number;
}

export interface ErrorFigures {
  errno: number;
  message: string;
  count: number;
  max_response_us: number;
  first: FirstError;
}

export interface FirstError {
  errno: number;
  kind: OpKind;
  worker: number;
  file: number;
  offset_bytes: number;
  failed_at_s: number;
  failed_at_in_point_s: number;
}

/** The paper's three tables in long form. */
export interface PaperTables {
  /** Whether every transfer is booked whole, under the block size drawn for it, and by the paper's § 5.1. */
  per_transfer?: boolean;
  block_bytes: number[];
  /** Row by row in the paper's order, each row ending with its margin. */
  cells: PaperCell[];
}

export type PaperMode = "seq_rd" | "rand_rd" | "seq_wr" | "rand_wr" | "all";

export interface PaperCell {
  mode: PaperMode;
  /** null: all block sizes together. */
  block_bytes: number | null;
  data_ops: number;
  /** Of the reads and writes, those shorter than the block size, 0 to 1. */
  short_block_share?: number | null;
  bytes: number;
  transfers: number;
  /** MB = 10^6 bytes. One worker's rate while transferring; not throughput. */
  transfer_rate_while_transferring_mb_per_s: number | null;
  average_latency_ms: number | null;
  /** How much of the average latency lay between operations. */
  average_gap_ms?: number | null;
  maximum_latency_s: number | null;
}

/** Who an incident or a failed load point is booked to. */
export type Culprit = "tool" | "this_machine" | "link" | "storage" | "not_known";

/** One disturbance: when, whom it hit, what the storage and this machine did meanwhile, whose it was. */
export interface Incident {
  began_s: number;
  began_in_point_s: number;
  ended_s: number;
  stream_count: number;
  streams: number[];
  late_frames: number;
  dropped_frames: number;
  failed_frames: number;
  late_frames_with_own_delay: number;
  worst_late_us: number | null;
  storage: StorageThen;
  machine: MachineThen | null;
  culprit: Culprit;
}

export interface StorageThen {
  behaviour: "no_answer" | "failed" | "slow" | "single_slow_ops" | "usual" | "not_known";
  no_answer_s: number | null;
  no_answer_began_s: number | null;
  answered_share: number | null;
  longest_op_us: number | null;
}

export interface MachineThen {
  own_delay_max_us: number | null;
  paused_s: number | null;
  longest_pause_s: number | null;
  processors_busy_percent: number | null;
  own_processors_percent: number | null;
  others_processors_percent: number | null;
  steal_percent: number | null;
  throttled_percent: number | null;
  memory_waiting_percent: number | null;
  link_share: number | null;
  disk_busy_percent: number | null;
}

export interface LateFigures {
  total: StreamTotals;
  streams: StreamFigures[];
  /** The first of them, in the order of time. */
  incidents: Incident[];
  incident_count: number;
  ignored_ops: number;
}

export interface StreamFigures {
  stream: number;
  name: string;
  writes: boolean;
  policy: "drop" | "stall";
  buffer_s: number;
  nominal_frames_per_s: number;
  began_s: number | null;
  frames_judged: number;
  late_frames: number;
  dropped_frames: number;
  failed_frames: number;
  unfinished_frames: number;
  late_frames_with_own_delay: number;
  worst_margin: WorstMargin | null;
  margin_p1_us: number | null;
  margin_trend: MarginTrend | null;
  first_late: FirstLateFrame | null;
  late_runs: number;
  first_late_runs: LateRun[];
  worst_late_runs: LateRun[];
  response: TimeFigures | null;
  throughput: ThroughputFigures | null;
  frames_per_s: number | null;
  achieved_share: number | null;
  ops_per_s: number | null;
  bytes_per_s: number | null;
  own_delay: LatenessFigures | null;
  ops_after_frame: number;
}

export interface StreamTotals {
  streams: number;
  streams_not_begun: number;
  streams_with_late_frames: number;
  frames_judged: number;
  late_frames: number;
  dropped_frames: number;
  failed_frames: number;
  unfinished_frames: number;
  late_frames_with_own_delay: number;
  late_runs: number;
  worst_margin: (WorstMargin & { stream: number }) | null;
  first_late: (FirstLateFrame & { stream: number }) | null;
  response: TimeFigures | null;
  own_delay: LatenessFigures | null;
}

/** How the margins changed over the measured part, without the tool's own delay. */
export interface MarginTrend {
  fall_ms_per_s: number;
  standard_error_ms_per_s: number;
  observed_s: number;
  at_end_ms: number;
}

/** How close a frame came to its deadline; negative when late. */
export interface WorstMargin {
  margin_us: number;
  frame: number;
  deadline_s: number;
  deadline_in_point_s: number;
  has_come: boolean;
}

export interface FirstLateFrame {
  frame: number;
  deadline_s: number;
  deadline_in_point_s: number;
  late_us: number | null;
  dropped: boolean;
  failed: boolean;
}

/** A run of consecutive late frames. */
export interface LateRun {
  first_frame: number;
  frames: number;
  dropped_frames: number;
  began_s: number;
  began_in_point_s: number;
  length_s: number;
  worst_late_us: number | null;
}

export interface ThroughputFigures {
  buffer_s: number;
  min_bytes_per_s: number;
  min_began_s: number;
  min_began_in_point_s: number;
  needed_bytes_per_s: number | null;
  first_below_s: number | null;
}

export interface ProcessRate {
  worker: number;
  component: string;
  requested_ops_per_s: number;
  achieved_ops_per_s: number;
}

export type Criterion =
  | "late_frames"
  | "failed_ops"
  | "p99_response"
  | "buffer_throughput"
  | "margins"
  | "worker_rate"
  | "global_rate"
  | "ratio";

export interface Verdict {
  passed: boolean;
  failed_first: Failure | null;
  /** First ones first. */
  failures: Failure[];
  asked: Criterion[];
  storage_failed: boolean;
}

export interface Failure {
  criterion: Criterion;
  measured: boolean;
  stream: number | null;
  worker: number | null;
  at_s: number | null;
  at_in_point_s: number | null;
  limit: number;
  found: number | null;
  because_of_tool: boolean;
  sentence: string;
}

export interface Series {
  step_s: number;
  steps: SeriesStep[];
}

export interface SeriesStep {
  began_s: number;
  point: number | null;
  ops: number;
  warmup_ops: number;
  read_bytes: number;
  written_bytes: number;
  errors: number;
  max_response_us: number | null;
  max_response_began_s: number | null;
}

export interface LogFacts {
  complete: boolean;
  rows: number;
  bytes: number;
  bytes_per_op: number | null;
  dropped_to_histograms_ops: number;
  note: string | null;
}

export interface VerifyFacts {
  checked_bytes: number;
  different_bytes: number;
  first_difference: string | null;
}

export interface SelfCost {
  cpu_user_s: number | null;
  cpu_system_s: number | null;
  cpu_us_per_op: number | null;
  lateness_p99_us: number | null;
  lateness_max_us: number | null;
  response_p50_us: number | null;
  own_delay_max_us: number | null;
  shortest_buffer_s: number | null;
  paused_s: number | null;
  longest_pause_s: number | null;
  longest_pause_began_s: number | null;
  timing_good_enough: boolean | null;
  sentence: string;
}

export interface SearchFacts {
  what: string;
  answer_sentence: string;
  evidence_sentence: string;
  streams: number | null;
  at_most: number | null;
  limited_by_client: boolean;
  complete: boolean;
  /** What it found its end by, other than by its answer. */
  stopped_by?: "time" | "trials" | "cap" | "room" | "own_files" | "one_process" | null;
  /** Ascending. */
  trials: TrialsAt[];
  failed_first?: string | null;
}

export interface TrialsAt {
  streams: number;
  passed: number;
  failed: number;
  client_limited: number;
}

export interface VdaFacts {
  label: string;
  data_set_note: string;
  points: VdaPoint[];
  overall_response_time_ms: number | null;
  ort_note: string | null;
  /** Index into points. */
  knee_point: number | null;
  uneven_steps: string[];
}

export interface VdaPoint {
  streams: number;
  requested_ops_per_s: number;
  achieved_ops_per_s: number;
  mean_response_ms: number | null;
  written_mib_per_s: number | null;
  read_mib_per_s: number | null;
  valid: boolean;
  why_not?: string | null;
}

export interface CheckFacts {
  mount: string;
  link?: string | null;
  line_rate_mb_per_s: number | null;
  sequential_read_mb_per_s: number | null;
  sequential_write_mb_per_s: number | null;
  random_read_mb_per_s: number | null;
  random_read_ms_p99: number | null;
  formats: CheckFormat[];
  unsteady?: string | null;
  limit: string;
  next_step: string;
  looked_s: number;
}

export interface CheckFormat {
  id: string;
  name: string;
  needed_mb_per_s_each: number;
  play: CheckCount | null;
  record: CheckCount | null;
}

/** A count of streams without a late frame and with margins that did not fall. */
export interface CheckCount {
  streams: number;
  at_least: boolean;
  error_streams: number;
  mb_per_s: number;
  limited_by: string;
}

export interface ReplayFacts {
  trace: string;
  trace_path: string;
  made_by: string;
  synthetic: boolean;
  ops: number;
  threads: number;
  copies: number;
  pace: string;
  order: string;
  expected_span_s: number | null;
  prepared_files: number;
  prepared_bytes: number;
  layout: string;
  left_out: Record<string, number>;
  remarks: string[];
  passes: ReplayPass[];
  written_pieces?: WrittenPieces[];
  median_bytes_per_s: number | null;
  bad_timing: string | null;
}

export interface WrittenPieces {
  point: number;
  file: string;
  size_bytes: number;
  pieces: number;
  piece_bytes: number;
}

export interface ReplayPass {
  point: number;
  complete: boolean;
  span_s: number;
  bytes: number;
  bytes_per_s: number | null;
  lateness_p50_us: number | null;
  lateness_p99_us: number | null;
  lateness_max_us: number | null;
  done_ops: number;
  held_up_ops: number;
  held_up_max_us: number;
  different_ops: number;
  differences: string[];
}
