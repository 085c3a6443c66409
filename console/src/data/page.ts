// What a page shows: the contract between the Rust side (crates/report/src/html/page.rs, crates/analysis/src/detail,
// crates/console) and this application. Field names and units are those of the JSON; a figure that stands in
// summary.json is taken from there and never computed again. What was not measured is null, never 0.
// Long lists are columns (one array a field), because they are small and fast to read.

import type { Summary } from "./summary";
import type { TraceReport } from "./trace";

/** Everything that is embedded in a report.html, and what the console sends for a run. */
export interface Page {
  page_version: 1;
  kind: "run" | "trace" | "compare";
  /** RFC 3339. */
  made_at: string;
  tool_version: string;
  /** One for kind "run", two to eight for "compare", none for "trace". */
  runs: RunPage[];
  /** For kind "trace". */
  trace: TracePage | null;
  /** For kind "compare". */
  comparison: Comparison | null;
}

/** An incident in words, and which of the summary it is. */
export interface IncidentSentence {
  /** The load point, as an index into the summary's. */
  point: number;
  /** The incident, as an index into those of the load point. */
  incident: number;
  text: string;
}

export interface RunPage {
  /** Name of the run directory. */
  id: string;
  /** The sentences that the terminal shows first, in their order. */
  answer: Sentence[];
  /** The incidents of all load points in words, the worst of each first. */
  incidents: IncidentSentence[];
  /** What to do next, as the terminal's last line has it; null where a sentence before says it. */
  next_step: string | null;
  /** summary.json as it is, unless `shortened` says what of it was too long for a page. */
  summary: Summary;
  /** What of the summary was left out or taken together, in words; null where all is there. */
  shortened?: string | null;
  /** run.toml as it is; null where it can't be read. */
  plan_toml: string | null;
  /** hosts.json as it is. */
  hosts: HostFacts[];
  /** The command that does this run again. */
  again: string;
  /** What people wrote down about the run and its storage; null where nobody did. */
  notes: RunNotes | null;
  /** What only the log knows; null where there is none. */
  detail: Detail | null;
  /** Why not, in words. */
  why_no_detail: string | null;
  /** Counters that were sampled beside the I/O; null where there are none. */
  counters: Counters | null;
}

/** How a sentence is to be taken: the answer, something to know, something bad. */
export interface Sentence {
  tone: "answer" | "plain" | "bad";
  text: string;
}

/** hosts.json has more; these are shown by name, everything else as it is. */
export interface HostFacts {
  [field: string]: unknown;
}

/** notes.json in the run directory: make, model and firmware of the storage as NASPT kept them. */
export interface RunNotes {
  tags: string[];
  note: string;
  storage_make: string;
  storage_model: string;
  storage_firmware: string;
}

export interface TracePage {
  id: string;
  /** What `reelgauge report TRACE --json` prints. */
  report: TraceReport;
  detail: Detail;
  /** The command that replays it. */
  again: string;
}

/** What only the log knows, for runs and traces alike. Times are seconds since the start of the run. */
export interface Detail {
  /** Operations in the log. */
  ops: number;
  /** What is meant by latency here: runs are told by response time, traces by service time. */
  measure: "response" | "service";
  time: TimeAxis;
  over_time: OverTime;
  latency: LatencyGrid;
  /** One curve for each kind of operation that happened. */
  percentiles: PercentileCurve[];
  sizes: SizeCounts[];
  /** The slowest operations, slowest first; at most 500. */
  worst: OpColumns;
  /** The operations in order of issue: all of them, or a part of them (`listed_all` says which). */
  listed: OpColumns;
  listed_all: boolean;
  /** Files by number. A number without an entry has no name. */
  file_names: Record<string, string>;
  files: FileRows;
  maps: FileMap[];
  /** One entry for each load point that had streams with frames. */
  streams: PointStreams[];
}

/** `bins` equal bins of time; the first begins at from_s. At most 1,200. */
export interface TimeAxis {
  from_s: number;
  bin_s: number;
  bins: number;
}

/** One number a bin. An operation counts where it was done. The warm-up counts here and is told apart. */
export interface OverTime {
  ops: number[];
  failed_ops: number[];
  warmup_ops: number[];
  read_bytes: number[];
  written_bytes: number[];
}

/**
 * Latencies of reads and writes that succeeded, warm-up left out, by time and size on a logarithmic scale.
 * Latency bin b holds us with 2^(b/4) <= us < 2^((b+1)/4); bin 0 also holds everything below 1 us.
 */
export interface LatencyGrid {
  reads: LatencySide;
  writes: LatencySide;
}

export interface LatencySide {
  /** Triples, one after another: bin of time, bin of latency, count. */
  cells: number[];
  /** For each bin of time: the longest, and the sum of all. 0 where nothing was done. */
  max_us: number[];
  sum_us: number[];
}

export interface PercentileCurve {
  kind: string;
  count: number;
  /** Percentiles 0 to 100, more and more dense towards 100, as HdrHistogram prints them. */
  percentile: number[];
  us: number[];
}

export interface SizeCounts {
  kind: "read" | "write";
  /** Sizes that were asked for, ascending, and how often. Where there are over 200 they are rounded up to powers of two. */
  bytes: number[];
  count: number[];
  rounded: boolean;
}

/** Operations, one array a field. */
export interface OpColumns {
  kind: string[];
  worker: number[];
  /** -1 where it belongs to no stream. */
  stream: number[];
  /** Index into file_names; -1 where there is none. */
  file: number[];
  offset_bytes: number[];
  len_bytes: number[];
  done_bytes: number[];
  due_s: number[];
  issued_s: number[];
  response_us: number[];
  service_us: number[];
  /** 0, or the error's number. */
  errno: number[];
  point: number[];
  warmup: boolean[];
}

/** The files with the most bytes, one array a field; at most 1,000. */
export interface FileRows {
  file: number[];
  ops: number[];
  reads: number[];
  writes: number[];
  read_bytes: number[];
  written_bytes: number[];
  /** Share of accesses that begin where the one before ended (NASPT's definition); null without accesses. */
  sequential_percent: (number | null)[];
  mean_service_us: (number | null)[];
  max_service_us: (number | null)[];
  failed_ops: number[];
  /** Files that are not listed. */
  left_out: number;
}

/** Where in a file the application was, and when. For the files with the most accesses; at most 20. */
export interface FileMap {
  file: number;
  end_bytes: number;
  /** Coarse to fine. */
  levels: MapLevel[];
  /** Every access, where there are few enough of them. */
  points: MapPoints | null;
}

export interface MapLevel {
  from_s: number;
  time_bin_s: number;
  time_bins: number;
  from_bytes: number;
  offset_bin_bytes: number;
  offset_bins: number;
  /** Quadruples, one after another: bin of time, bin of the file, bytes read, bytes written. */
  cells: number[];
}

export interface MapPoints {
  issued_s: number[];
  offset_bytes: number[];
  len_bytes: number[];
  write: boolean[];
}

/** The streams of one load point. */
export interface PointStreams {
  point: number;
  time: TimeAxis;
  /** The streams with most late frames, then by number; at most 64. */
  streams: StreamStrip[];
  /** Streams that have no strip of their own. */
  left_out: number;
  /** Smallest margin of all streams in each bin; null where no frame came. Whole µs, rounded down. */
  min_margin_us: (number | null)[];
  /** Late frames of all streams in each bin. */
  late_frames: number[];
  /** How much of their time frames had left: share of the frame's allowance, in bins of 5 %. */
  headroom: Headroom;
}

export interface StreamStrip {
  stream: number;
  name: string;
  min_margin_us: (number | null)[];
  late_frames: number[];
}

/**
 * Frames by headroom. Headroom is margin / (buffer + one frame time) in percent: 100 is at once, 0 is at the
 * deadline, below 0 is late. `count[i]` holds from from_percent + 5 i on; the first also holds everything below,
 * the last everything above.
 */
export interface Headroom {
  from_percent: number;
  step_percent: number;
  count: number[];
  /** Frames that never came. */
  never: number;
}

/** Counters of host, network, disks and mount, on the same clock as the operations. */
export interface Counters {
  agents: CounterAgent[];
}

export interface CounterAgent {
  agent: string;
  series: CounterSeries[];
  /** What is not here, and why, in words. */
  notes?: string[];
}

export interface CounterSeries {
  layer: "host" | "network" | "disk" | "mount" | "tool";
  /** As in the log: `cpu_busy_percent`, `rx_bytes_per_s`. */
  name: string;
  /** Which of several: `eth0`, `nvme0n1`; empty where there is one. */
  device: string;
  /** For people, with the unit: "eth0 received, MB/s". */
  label: string;
  /** `percent`, `bytes_per_s`, `per_s`, `us`, `bytes`, `count`. */
  unit: string;
  at_s: number[];
  value: (number | null)[];
}

/** Two to eight runs, figure by figure; the first is what the others are compared with. */
export interface Comparison {
  runs: ComparedRun[];
  rows: ComparisonRow[];
  /** What came of the streams of every load point that has some. */
  late: ComparedLate[];
  /** What makes the runs hard to compare: other plans, other machines. In words. */
  cautions: string[];
  /** The answer in words: what became better, what worse, what is within the noise. */
  sentences: Sentence[];
}

export interface ComparedRun {
  id: string;
  label: string;
  verb: string;
  started_at: string;
  target: string;
  /** Runs with the same number repeat one another and are taken together; 0 is the side of the first run. */
  side: number;
  /** Who worked; empty where that is not known. */
  work: { kind: string; media: string; count: number; paced: boolean }[];
  /** It looked for the largest number of streams, instead of running a given one. */
  searches: boolean;
  /** How it is related to the first run. */
  kinship: "same_work" | "other_counts" | "other_work";
  system: ComparedSystem;
}

/** A storage and the client that measured it; null where nobody found it out or wrote it down. */
export interface ComparedSystem {
  make: string | null;
  model: string | null;
  firmware: string | null;
  /** For people: `SMB 3.1.1 from nas1`. */
  protocol: string | null;
  fs_type: string | null;
  source: string | null;
  mount_options: string | null;
  client: string | null;
  client_system: string | null;
  client_hardware: string | null;
  client_links: string | null;
}

/** What came of the streams of one load point in one run. */
export interface ComparedLate {
  /** The load point, as ComparisonRow.group has it. */
  group: string;
  /** The run, from 0. */
  run: number;
  measured_s: number;
  streams: number;
  streams_with_late_frames: number;
  frames_judged: number;
  late_frames: number;
  /** Disturbances that made them late. */
  incidents: number;
  /** The one that cost most frames; null where there was none. */
  worst_incident: { began_in_point_s: number; length_s: number; late_frames: number } | null;
}

export interface ComparisonRow {
  /** The load point; empty for figures of the whole run. */
  group: string;
  /** Name of the figure, as in summary.json: `total.read_bytes_per_s`. */
  figure: string;
  /** For people: "read, MB/s". */
  label: string;
  unit: string;
  better: "higher" | "lower" | "neither";
  /** One for each run. */
  values: (number | null)[];
  /** The same as the terminal prints them. */
  texts: string[];
  /** Against the first run; null for the first. */
  change_percent: (number | null)[];
  /** Differences smaller than this say nothing; null where it can't be told. */
  noise_percent: (number | null)[];
  judgement: ("base" | "same" | "better" | "worse" | "different" | "unknown" | "demand")[];
}
