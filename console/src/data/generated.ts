// Made from the Rust types by crates/console/src/typescript.rs: change those, and write this file anew with
// `cargo xtask types`. What was not measured is null. A field with `?` is left out where its comment says so,
// or says null.

/** The command and forecast of a form. */
export type AheadAnswer = {
  /** The command line; empty if the form gives none. */
  command: string,
  /** The time it takes and the size it writes, in a sentence; `null` if it would be refused. */
  takes: string | null,
  /** Every step of a procedure, as `--dry-run` prints them; `null` for one run. */
  plan: string | null,
  /** Why it would be refused, as text. */
  error: string | null,
  /** The field that the refusal concerns; `null` if unknown. */
  field: string | null,
};

/** Why more streams may pass than a search found. */
export type AtLeast = "this_machine" | "unfinished" | "no_more_tried";

/** The connection of the disks. */
export type BackplaneSite = {
  /** The bus between backplane and server. */
  bus?: Bus,
  /** The generation: 1 to 4 for SAS, 1 to 3 for SATA, 1 to 7 for PCIe. */
  generation?: number,
  /** The number of lanes to the server. */
  lanes?: number,
};

/** How the storage behaved in an incident, judged by its answers. */
export type Behaviour = "no_answer" | "failed" | "slow" | "single_slow_ops" | "usual" | "not_known";

/** Which direction is good. */
export type Better = "higher" | "lower" | "neither";

/** A piece of a document. */
export type Block = { "kind": "heading", "of": string } | { "kind": "paragraph", "of": Sentence } | { "kind": "warning", "of": string } | { "kind": "rows", "of": Array<[string, string]> } | { "kind": "tiles", "of": Array<Tile> } | { "kind": "table", "of": Table } | { "kind": "page_chart", "of": string } | { "kind": "points", "of": Array<PointBlocks> } | { "kind": "folded", "of": SectionBlocks } | { "kind": "diagram", "of": Array<HopWords> } | { "kind": "command", "of": string } | { "kind": "text", "of": string } | { "kind": "missing", "of": Array<string> };

/** A bus. */
export type Bus = "sas" | "sata" | "pcie";

/** Evidence that a cache answered. */
export type CacheEvidence = { "kind": "target_is_memory" } | { "kind": "client_counted",
  /** Share of the reads, 0 to 1. */
  share: number,
} | { "kind": "later_reads_faster",
  /** The load point. */
  point: number,
  /** The first and the later reads. */
  reads: ComparedReads,
};

/** Whether a cache answered reads. */
export type CacheSuspicion = { "finding": "not_suspected" } | { "finding": "may_have_answered",
  /** The reasons, the strongest first. */
  why: Array<WhySuspected>,
} | { "finding": "answered",
  /** The evidence. */
  evidence: CacheEvidence,
};

/** Why the number is not better. */
export type Cause = {
  /** The culprit. */
  culprit: Culprit,
  /** The load point, as an index into the summary's load points. */
  point: number,
  /**
   * The incident with most late frames, as an index into those of the load point. `null` without
   * incidents.
   */
  incident: number | null,
  /** The number of incidents. */
  incidents: number,
};

/** The evidence for a count. */
export type CheckBasis = "held" | "sustained_rate" | "short_trial";

/** A number of streams that had no late frames and no shrinking margins. */
export type CheckCount = {
  /** The number of streams. */
  streams: number,
  /** There may be more: the search was cut short, or the local host was its limit. */
  at_least: boolean,
  /** The uncertainty of the count, up or down. `null` for a lower bound (`at_least`). */
  error_streams: number | null,
  /** The total rate that these streams need. */
  mb_per_s: number,
  /** What ended the search, as text: `the storage`, `this machine`, `the time for this look`. */
  limited_by: string,
  /** The same as data. */
  limit?: CountLimit,
  /** The evidence for the count. `null` in runs of earlier versions. */
  basis?: CheckBasis,
  /** How long this number of streams was played, in their longest trial. */
  held_s?: number,
  /** Other counts imply more, but a second trial confirmed this limit. */
  own_limit?: boolean,
};

/** Results of `check`. MB = 10^6 bytes. */
export type CheckFacts = {
  /** The mount of the target: `NFS 4.2 from nas1`, `ext4 on /dev/nvme0n1p2`. */
  mount: string,
  /** The link: `eth0, 10 Gbit/s`. `null` for local storage, and if it is unknown. */
  link?: string,
  /** The highest rate of file data on such a link. `null` if the link is unknown. */
  line_rate_mb_per_s?: number,
  /** Rate that this client sustained when it read in order, four files at a time. */
  sequential_read_mb_per_s: number | null,
  /** Rate that this client sustained when it wrote in order, four files at a time. */
  sequential_write_mb_per_s: number | null,
  /** The sequential read rate over time. `null` in runs of versions that did not record it. */
  sequential_reads?: SustainedRate,
  /** The sequential write rate over time. */
  sequential_writes?: SustainedRate,
  /** The rate of this client when it reads 64 KiB at random positions, four at a time. */
  random_read_mb_per_s: number | null,
  /** 99 of 100 of these reads took no longer. */
  random_read_ms_p99: number | null,
  /** Everyday formats, each measured at its limit. */
  formats: Array<CheckFormat>,
  /**
   * Counts that other counts contradict and that were not tried again, as text. Their limits are
   * unknown.
   */
  unsteady?: string,
  /** The first limit of the target, as text. */
  limit: string,
  /** The culprit of that limit. `null` if it is unknown. */
  limit_culprit?: Culprit,
  /** The doctor's rule to follow first. `null` where none applies. */
  hint?: CheckHint,
  /** Free space on the storage. */
  free_bytes?: number,
  /** The free share of the storage, 0 to 1. */
  free_share?: number,
  /** The next step: only in runs of earlier versions. */
  next_step?: string,
  /** The duration of the whole check. */
  looked_s: number,
};

/** The stream counts of one format. */
export type CheckFormat = {
  /** Its name in the catalogue: `prores-422-hq-uhd-25`. */
  id: string,
  /** The same for display: `Apple ProRes 422 HQ UHD 25p`. */
  name: string,
  /** Rate that one stream of it needs. */
  needed_mb_per_s_each: number,
  /** Streams that were played; `null` if not measured. */
  play: CheckCount | null,
  /** Streams that were recorded; `null` if not measured. */
  record: CheckCount | null,
};

/** A rule of the doctor that the client or its mount breaks. */
export type CheckHint = {
  /** The rule: `nfs.rsize_wsize`. */
  rule: string,
  /** The finding and the advice. */
  sentence: string,
};

/** A choice. */
export type ChoiceEntry = {
  /** Its name on the command line. */
  name: string,
  /** A one-line description. */
  about: string,
};

/** The choices of a form. */
export type Choices = {
  /** Kinds of streams. */
  actors: Array<ChoiceEntry>,
  /** Plans of several actors. */
  scenarios: Array<ChoiceEntry>,
  /** Many workloads, one after the other. */
  suites: Array<ChoiceEntry>,
  /** Series of runs with one report. */
  procedures: Array<ChoiceEntry>,
};

/** How a file was read sequentially. */
export type ColdReads = {
  /** The file. */
  path: string,
  /** The number of reads that were judged. */
  reads: number,
  /** The median of their service times. */
  median_us: number,
  /** The two peaks of the service times, if there are two: the faster and the slower. */
  peaks_us: [number, number] | null,
  /** Share of reads in the slower peak. */
  slower_percent: number | null,
  /** Share of reads that took more than four times the median. */
  slow_percent: number,
  /** Such reads per MB (10^6 bytes) read. */
  slow_per_mb: number,
  /** The distance in the file after which slow reads repeat, if they do. */
  period_bytes: number | null,
  /** The autocorrelation of the slow reads at that distance, 0 to 1. */
  period_alike: number | null,
};

/** A column of a table. */
export type Column = {
  /** The name above the unit; the name may be empty. */
  header: [string, string], cells: Array<string>,
  /** Text is aligned to the left, numbers to the right. */
  is_words: boolean,
  /** The field of its figures, below `Table.rows`; empty if they are not in `summary.json`. */
  path: string,
  /** An explanation of a short name. */
  help: string,
};

/** One disturbance. */
export type ComparedIncident = {
  /** When it began, in the load point. */
  began_in_point_s: number,
  /** From the first late frame's deadline to the next frame in time. */
  length_s: number,
  /** How many frames it made late. */
  late_frames: number,
};

/** The results of the streams of one load point in one run. */
export type ComparedLate = {
  /** The load point, as `ComparisonRow.group` has it. */
  group: string,
  /** The run, from 0. */
  run: number,
  /** How long the measured part was. */
  measured_s: number,
  /** How many streams had frames to judge. */
  streams: number,
  /** How many of these streams had late frames. */
  streams_with_late_frames: number,
  /** Frames whose deadline was in the measured part. */
  frames_judged: number,
  /** How many of these frames were late. */
  late_frames: number,
  /** Disturbances that caused late frames. */
  incidents: number,
  /** The disturbance with the most late frames; `null` if there was none. */
  worst_incident: ComparedIncident | null,
};

/** First and later reads of one size. */
export type ComparedReads = {
  /** The lower bound of the size of the reads; the upper bound is twice that. */
  read_bytes_from: number,
  /** Reads of bytes that the run had not transferred before. */
  first: ReadTimes,
  /** Reads of bytes that the run had transferred before. */
  later: ReadTimes,
};

/** One of the runs. */
export type ComparedRun = {
  /** Name of the run directory. */
  id: string,
  /** The user's own name for the run; may be empty. */
  label: string,
  /** The command. */
  verb: string,
  /** When it started, RFC 3339; empty if it was not recorded. */
  started_at: string,
  /** Where the test data was. */
  target: string,
  /**
   * Runs with the same number repeat one another and are evaluated together. 0 is the side of the
   * first run.
   */
  side: number,
  /** The actors of the run; empty if unknown. */
  work: Array<WorkActor>,
  /** Whether it searched for the largest number of streams, instead of running a given number. */
  searches: boolean,
  /** How it is related to the first run. */
  kinship: Kinship,
  /** Where its plan differs from that of the first run. */
  plan_differences: Array<PlanDifference>,
  /** The user's tags, for finding the run. */
  tags: Array<string>,
  /** The tags that not all sides have, which distinguish this run. Empty if there are none. */
  distinguishing_tags: Array<string>,
  /** What was measured, and from where. */
  system: ComparedSystem,
  /** The reasons why the run is inconclusive; empty if it is not. */
  inconclusive?: Array<InconclusiveReason>,
};

/**
 * A storage system and the client that measured it. Fields that were neither detected nor entered are
 * `null`.
 */
export type ComparedSystem = {
  /** The maker of the storage, as the user entered it. */
  make: string | null,
  /** The model of the storage, as the user entered it. */
  model: string | null,
  /** The firmware or version of the storage, as the user entered it. */
  firmware: string | null,
  /** Other entries of the user about the storage, by name. */
  other: { [key in string]: string },
  /** For display: `SMB 3.1.1 from nas1`. */
  protocol: string | null,
  /** `nfs4`, `cifs`, `ext4`, … */
  fs_type: string | null,
  /** The source of the mount, such as a share or a block device. */
  source: string | null,
  /** Mount options as the system states them. */
  mount_options: string | null,
  /** Host name of the client; of the first one, if there are several. */
  client: string | null,
  /** Its operating system and kernel. */
  client_system: string | null,
  /** Its processors and memory. */
  client_hardware: string | null,
  /** Its network links that were up. */
  client_links: string | null,
  /** What the client was set to, by name. */
  client_settings: { [key in string]: string },
};

/** A comparison with its sentences. */
export type Comparison = {
  /**
   * The number of streams or the rate of each run, in one line; `null` if the runs have no such
   * figure in common.
   */
  headline: string | null,
  /** Differences that make the runs hard to compare. */
  cautions: Array<string>,
  /** The result: which figures improved, which got worse, and which are within the noise. */
  sentences: Array<Sentence>,
  /** The runs, in the order given. */
  runs: Array<ComparedRun>,
  /** Their figures: those of the whole run, then load point by load point. */
  rows: Array<ComparisonRow>,
  /** The results of the streams, for each load point that has streams. */
  late: Array<ComparedLate>,
};

/** The judgement on a figure. */
export type ComparisonJudgement =
  | "base"
  | "same"
  | "better"
  | "worse"
  | "different"
  | "unknown"
  | "demand"
  | "other_plan";

/** One figure of all runs. The lists have one entry for each run. */
export type ComparisonRow = {
  /** The load point; empty for figures of the whole run. */
  group: string,
  /** Name of the figure, as in summary.json: `total.read_bytes_per_s`. */
  figure: string,
  /** The label for screens, with the unit of `texts`: `read, MB/s`. */
  label: string,
  /** The unit of `values`. */
  unit: FigureUnit,
  /** Which direction is good. */
  better: Better,
  /** The measured values; `null` if not measured. */
  values: Array<number | null>,
  /** The same values as the terminal prints them; `-` for `null`. */
  texts: Array<string>,
  /**
   * Change from the first run, or from the first side's mean to this side's mean. `null` for the
   * first side, and if one of the two is missing or the first is 0.
   */
  change_percent: Array<number | null>,
  /** Smaller differences are within the noise. `null` if the noise is unknown or has no percentage. */
  noise_percent: Array<number | null>,
  /** The judgement for each run. */
  judgement: Array<ComparisonJudgement>,
};

/** Confidence in the number. */
export type Confidence = {
  /** The doubts, the worst first; empty if there are none. */
  doubts: Array<Doubt>,
};

/** What ended a count. */
export type CountLimit = { "culprit": Culprit } | "storage_or_others" | "contradicted" | "time" | "stopped";

/** The counters of one machine. */
export type CounterAgent = {
  /** Its name. */
  agent: string,
  /** It is no host of the run, but observes it: a server, an array, a switch. */
  is_observer?: boolean,
  /** The counters that it sampled. */
  series: Array<CounterSeries>,
  /** What is missing here, and why, as text. */
  notes: Array<string>,
};

/** One counter over time. */
export type CounterSeries = {
  /** `host`, `network`, `disk`, `mount`, `tool` or `other`. */
  layer: string,
  /** As in the log: `cpu_busy_percent`, `rx_bytes_per_s`. */
  name: string,
  /** Name of the device (`eth0`, `nvme0n1`) if there are several; empty if there is one. */
  device: string,
  /** The label on screens: "eth0 received". */
  words: string,
  /** The same with the unit: "eth0 received, MB/s". */
  label: string,
  /** `percent`, `bytes_per_s`, `per_s`, `us`, `bytes`, `count`. */
  unit: string,
  /** When, in seconds since the start of the run. */
  at_s: Array<number>,
  /** The values at those times; `null` if there was none. */
  value: Array<number | null>,
};

/** The counters of a run. */
export type Counters = {
  /** One for each machine that sampled. */
  agents: Array<CounterAgent>,
};

/** One criterion. */
export type Criterion =
  | "late_frames"
  | "failed_ops"
  | "p99_response"
  | "buffer_throughput"
  | "margins"
  | "worker_rate"
  | "global_rate"
  | "ratio";

/** The culprit of an incident or a failed load point. */
export type Culprit = "tool" | "this_machine" | "max_rate" | "link" | "storage" | "not_known";

/** The files used. */
export type DataSet = {
  /** How many. */
  files: number,
  /** Size of each. */
  file_size_bytes: number,
  /** Whether they existed before the run. */
  reused: boolean,
};

/** A number of a page. It is written as a whole number if it is one, and as `null` if it is not finite. */
export type Decimal = number;

/** What a page shows of a log. Times are seconds since the start of the run. */
export type Detail = {
  /** The number of operations in the log. */
  ops: number,
  /** The definition of latency here. */
  measure: Measure,
  /** The bins of `Detail.over_time` and `Detail.latency`. */
  time: TimeAxis,
  /** Operations and bytes over time. */
  over_time: OverTime,
  /** Latencies over time. */
  latency: LatencyGrid,
  /** One curve for each kind of operation that happened. */
  percentiles: Array<PercentileCurve>,
  /** Sizes that the operations requested. */
  sizes: Array<SizeCounts>,
  /** The slowest operations, slowest first, without those of the warm-up. */
  worst: OpColumns,
  /** Operations in order of issue. */
  listed: OpColumns,
  /** Whether the list is complete. */
  listed_all: boolean,
  /**
   * Names of the files that occur above and below, by number. Long names are shortened with an
   * ellipsis.
   */
  file_names: { [key in number]: string },
  /** The files with the most bytes. */
  files: FileRows,
  /** Reads and writes by time and place, in the files with the most accesses. */
  maps: Array<FileMap>,
  /** Each load point that had streams with frames. */
  streams: Array<PointStreams>,
  /** Figures of each host over time; `null` if one host made the run. */
  hosts: HostsOverTime | null,
};

/** A kind of disk, with its connection. */
export type DiskKind = "hdd-sata" | "hdd-sas" | "ssd-sata" | "ssd-sas" | "nvme";

/** The disks. */
export type DisksSite = {
  /** The kind of disk. */
  kind?: DiskKind,
  /** The number of disks, without spares. */
  count?: number,
  /** The sequential rate of one disk. */
  each_mb_per_s?: number,
  /** The RAID level. */
  raid?: Raid,
  /** Number of groups, each with its own parity; one by default. */
  groups?: number,
  /** Random reads per second of one disk. */
  each_random_reads_per_s?: number,
};

/** The heading of a document for a customer. */
export type DocumentSite = {
  /** Its title. */
  title?: string,
  /** The customer. */
  customer?: string,
  /** The place of the storage. */
  place?: string,
  /** The author of the measurement. */
  author?: string,
  /** An additional remark. */
  note?: string,
};

/** A reason to doubt the number. */
export type Doubt =
  | "broke_off"
  | "interrupted"
  | "running"
  | "own_fault"
  | "own_timing"
  | "client_busy"
  | "memory"
  | "cache_answered"
  | "cache_may_have_answered"
  | "unsteady"
  | "burst"
  | "silence"
  | "short_look"
  | "log_incomplete";

/** Direct or cached I/O. */
export type EffectiveMode = {
  /** The requested mode: `direct`, `cached`. */
  asked: string,
  /** The detected mode. */
  found: string,
  /** The same as a sentence, if it matters; otherwise empty. */
  sentence: string,
  /** Share of the data set in the local host's cache before the run, 0 to 1. */
  cached_share_before: number | null,
  /** The same after the run. */
  cached_share_after: number | null,
};

/** An error and how often it occurred. */
export type ErrorCount = {
  /** Its number. */
  errno: number,
  /** Its name: `ENOENT`; the number if it has no name. */
  name: string,
  /** The kind of operation that failed. */
  kind: string,
  /** The number of such errors. */
  count: number,
};

/** Failures with one error number. */
export type ErrorFigures = {
  /** The operating system's number. */
  errno: number,
  /** The meaning of the number on the system that wrote these figures. */
  message: string,
  /** How many operations failed with it. */
  count: number,
  /** The longest that one of them took, from when it was due. */
  max_response_us: number,
  /** The first of them. */
  first: FirstError,
};

/** A run's events since a place. */
export type EventsTold = {
  /** In the order in which they happened. */
  events: Array<LiveEvent>,
  /** The place after them: continue from here. */
  next: number,
};

/** A criterion that was not met. */
export type Failure = {
  /** The criterion. */
  criterion: Criterion,
  /** `false` if nothing was measured that could have met it. */
  measured: boolean,
  /** The stream, if it is one stream's failure. */
  stream: number | null,
  /** The worker, if it is one worker's failure. */
  worker: number | null,
  /** When it failed, since the start of the run; `null` for figures of the whole load point. */
  at_s: number | null,
  /** The same since the start of the load point. */
  at_in_point_s: number | null,
  /** The limit, in the criterion's unit: frames, operations, ms, MB/s or a share. */
  limit: number,
  /** The measured value, in the same unit. */
  found: number | null,
  /**
   * The limit would have been met without the scheduling delay of Reelgauge: this is no
   * evidence about the storage.
   */
  because_of_tool: boolean,
  /** The failure as a sentence. */
  sentence: string,
};

/** Writes that began far beyond the end of a file. */
export type FarWrites = {
  /** The file. */
  path: string,
  /** The number of such writes. */
  writes: number,
  /** The largest distance from the end. */
  gap_bytes: number,
  /** The longest time of such a write. */
  max_service_us: number,
};

/** The kind of a field's value. */
export type FieldKind = "switch" | "choice" | "text";

/** Units of values in a comparison. */
export type FigureUnit =
  | "bytes_per_s"
  | "mb_per_s"
  | "per_s"
  | "us"
  | "small_us"
  | "ms"
  | "s"
  | "count"
  | "streams"
  | "verdict";

/** The figures of a load point or of one worker in it. */
export type Figures = {
  /** Measured operations of every kind, including failed ones. */
  ops: number,
  /** Failed operations. */
  failed_ops: number,
  /** The measured operations by kind. */
  ops_by_kind: OpsByKind,
  /** Operations of the warm-up. They are in no other figure. */
  warmup_ops: number,
  /** Transfers that completed without a failure. */
  transfers: number,
  /** Transfers that did not: cut off by the end or by the warm-up, or with a failed operation. */
  transfers_left_out: number,
  /**
   * Reads and writes that succeeded but transferred less than requested. They end the run, except in
   * a replay, and no time here includes them.
   */
  short_transfers: number,
  /** The writes among these. `null` in summaries of versions that did not separate them. */
  short_writes: number | null,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Throughput: bytes read ÷ measured time. `null` if that time is 0. */
  read_bytes_per_s: number | null,
  /** Throughput: bytes written ÷ measured time. */
  written_bytes_per_s: number | null,
  /** Both together. */
  bytes_per_s: number | null,
  /** Reads and writes that succeeded ÷ measured time. */
  data_ops_per_s: number | null,
  /** From when operations were due until they completed: the latency that an application sees. */
  response: TimesByKind,
  /** From when operations were issued until they completed: the time of the storage. */
  service: TimesByKind,
  /**
   * Time from when operations were due *and their worker was free* until they were issued: the
   * scheduling delay of Reelgauge.
   */
  lateness: LatenessFigures | null,
  /** The failures, by error number. */
  errors: Array<ErrorFigures>,
  /** The failure that came first. */
  first_error: FirstError | null,
};

/** One file. */
export type FileFigures = {
  /** Its number in the trace. */
  file: number,
  /** Its name. */
  path: string,
  /** The known end of the file after the trace. */
  end_bytes: number,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Reads that did not fail. */
  reads: number,
  /** Writes that did not fail. */
  writes: number,
  /** Operations that move no data and did not fail. */
  other_ops: number,
  /** Operations that failed. */
  failed_ops: number,
  /** Share of accesses that are sequential in the whole trace. */
  sequential_percent: number | null,
  /** Share of accesses that begin where the last one to this file ended. */
  sequential_in_file_percent: number | null,
  /** Sizes of reads. */
  read_sizes: SizeFigures | null,
  /** Sizes of writes. */
  write_sizes: SizeFigures | null,
  /** Service times of reads. */
  read_service: ServiceFigures | null,
  /** Service times of writes. */
  write_service: ServiceFigures | null,
  /** Bytes read and written in the file, by time and position. */
  map: OffsetMap | null,
};

/** The accesses to one file, by time and position. */
export type FileMap = {
  /** Its number. */
  file: number,
  /** The known size of the file. */
  end_bytes: number,
  /** The same map several times, from coarse to fine. */
  levels: Array<MapLevel>,
  /** Every access, if there are few. */
  points: MapPoints | null,
};

/** The files with the most bytes, at most 1,000, without the warm-up. */
export type FileRows = {
  /** Its number. */
  file: Array<number>,
  /** Operations of every kind, failed ones too. */
  ops: Array<number>,
  /** Reads that succeeded. */
  reads: Array<number>,
  /** Writes that succeeded. */
  writes: Array<number>,
  /** Bytes read. */
  read_bytes: Array<number>,
  /** Bytes written. */
  written_bytes: Array<number>,
  /** Share of accesses that start where the last one to the same file ended. */
  sequential_percent: Array<Decimal | null>,
  /** Mean service time of accesses. */
  mean_service_us: Array<Decimal | null>,
  /** Longest service time of accesses. */
  max_service_us: Array<Decimal | null>,
  /** Operations that failed. */
  failed_ops: Array<number>,
  /** Number of files with operations that are not listed. */
  left_out: number,
};

/** Files with at least one operation in the period. */
export type FilesTouched = {
  /** All files, including directories. */
  touched: number,
  /** With reads and without writes. */
  only_read: number,
  /** With writes and without reads. */
  only_written: number,
  /** With both. */
  read_and_written: number,
};

/** A filled form. */
export type Filled = {
  /** Its verb. */
  verb: string,
  /** Every field that was changed; a switch has the value "true". */
  values: { [key in string]: string },
  /** The name of the run; empty for none. */
  name: string,
};

/** Place and time of the first failure. */
export type FirstError = {
  /** The operating system's number. */
  errno: number,
  /** The kind of operation: `read`, … */
  kind: OpKind,
  /** The worker. */
  worker: number,
  /** Index into the run's file table. */
  file: number,
  /** Byte position. */
  offset_bytes: number,
  /** When it failed, since the start of the run. */
  failed_at_s: number,
  /** When it failed, since the start of the load point. */
  failed_at_in_point_s: number,
};

/** The first late frame of a stream. */
export type FirstLateFrame = {
  /** The frame's number on the timeline. */
  frame: number,
  /** Its deadline, in seconds of the run. */
  deadline_s: number,
  /** Its deadline, in seconds of the load point. */
  deadline_in_point_s: number,
  /** Its lateness. `null` if it never arrived. */
  late_us: number | null,
  /** Whether it was never begun. */
  dropped: boolean,
  /** Whether one of its operations failed. */
  failed: boolean,
};

/** A verb's flags. */
export type Form = {
  /** The verb. */
  verb: string,
  /** A description of the verb. */
  about: string,
  /** Its flags, in the order of its help. */
  fields: Array<FormField>,
};

/** A flag, or a positional value. */
export type FormField = {
  /** `path`, or a flag without its dashes: `file-size`. */
  name: string,
  /** Its title: `Size of the test files`. */
  title: string,
  /** Its purpose, without terms of a command line. */
  help: string,
  /** The kind of its value. */
  kind: FieldKind,
  /** The allowed choices. */
  choices: Array<string>,
  /** The value if nothing is filled in. */
  default: string,
  /** The default as text, if there is no such value: `random`. */
  unset: string,
  /** `SIZE`, `TIME`, `N`. */
  value_name: string,
  /** Whether it is required. */
  required: boolean,
  /** Whether it is shown at once, as in the short help (`-h`); the others are under "more". */
  common: boolean,
};

/** A media format. */
export type FormatEntry = {
  /** Its name on the command line. */
  id: string,
  /** The name for users: `Apple ProRes 422 HQ UHD`. */
  name: string,
  /** Frames per second: `25`, `29.97`. */
  fps: string,
  /** The average rate of one stream. */
  bytes_per_s: number,
  /** Whether the rate follows the content. */
  varies: boolean,
};

/** Formats that match some words. */
export type FormatsFound = {
  /** The best match first. */
  formats: Array<FormatEntry>,
  /** The number of all matches. */
  count: number,
  /** A remedy if there are none, in a sentence. */
  advice: string,
};

/** The signs that were found. */
export type FragmentSigns = {
  /** Files with single bytes written ahead of the data and overwritten later. */
  hints: Array<Hints>,
  /** Files with writes far beyond their end. */
  far_writes: Array<FarWrites>,
  /** Files that were read sequentially, and how evenly. */
  cold_reads: Array<ColdReads>,
};

/** Frames by margin ÷ (buffer + one frame), in percent. */
export type Headroom = {
  /** Where the first bin begins; it also holds everything below. The last holds everything above. */
  from_percent: number,
  /** How wide each is. */
  step_percent: number,
  /** Frames. */
  count: Array<number>,
  /** Frames that never arrived. */
  never: number,
};

/** The effect of the byte rate limit on a load point. */
export type HeldBack = {
  /** The limit, for reads and writes together. */
  max_bytes_per_s: number,
  /** Operations of the measured time that had to wait for it. */
  operations: number,
};

/** The texts around the number at the top of a page. */
export type Hero = {
  /**
   * The statement as data. It is taken from the summary, or made from the figures if the summary has
   * none.
   */
  statement: Statement,
  /** The verdict in one or two words. */
  verdict: VerdictWord,
  /** Facts about the number, each with its name. The doubt is not among them. */
  facts: Array<HeroFact>,
  /** The number as text; a dash if nothing was measured. */
  number: string,
  /** The path of the number in `summary.json`; empty if it is not in that file. */
  number_path: string,
  /** The result for a badge, without day and storage. */
  badge: VerdictWord,
  /** The text before the number: `at least`, or nothing. */
  before: string,
  /** The unit of the number: `streams of Apple ProRes 422 HQ UHD without a late frame`. */
  counts: string,
  /** Why it is not higher, or why the cause is unknown. A sentence. */
  cause: string,
  /** A sentence that this client or Reelgauge, not the storage, was the limit; `null` otherwise. */
  own_limit: string | null,
  /**
   * The doubt at the end of the result, verbatim, so that a page shows it only once. Empty if there
   * is none.
   */
  doubt: string,
  /** The confidence, without that doubt. Sentences; empty if there is nothing but the doubt. */
  confidence: string,
  /** The storage in one line: the user's description, or its path and type. */
  storage: string,
};

/** A fact about a run's number. */
export type HeroFact = {
  /** Its name in links and style sheets: `limited-by`. */
  id: string,
  /** Its name on the page: `Limited by`. */
  name: string,
  /** Sentences. The confidence may be empty if the doubt is all there is. */
  text: string,
};

/** Single bytes that were written beyond the end of a file. */
export type Hints = {
  /** The file. */
  path: string,
  /** Single bytes written beyond the end. */
  hints: number,
  /** How many of them were overwritten by data later. */
  overwritten: number,
  /** The most frequent distance between two of them; `null` with only one. */
  spacing_bytes: number | null,
  /** The largest distance ahead of the data. */
  ahead_bytes: number,
  /** When the first was written. */
  first_at_s: number,
};

/** A part of the path. */
export type Hop = {
  /** The part of the path. */
  kind: HopKind,
  /** Its capacity. `null` if that is unknown. */
  ceiling_bytes_per_s: number | null,
  /** The rate measured there. `null` if nothing was measured. */
  measured_bytes_per_s: number | null,
  /**
   * The rate that this client reached, if it is above the stated capacity of this hop: a cache before
   * it answered, or the stated capacity is wrong. `null` elsewhere.
   */
  outrun_bytes_per_s: number | null,
};

/** The parts of a path, in their order. */
export type HopKind = "client_link" | "switch" | "server_link" | "server_memory" | "backplane" | "disks";

/** A hop as text. */
export type HopWords = {
  /** The name of its kind. */
  name: string,
  /** The known facts, or a text that none are known. */
  known: string,
  /** Whether any fact is known. */
  is_known: boolean,
  /** Its maximum and the measured rate: "at most 1,177 MB/s; 640 MB/s measured". */
  carries: string,
  /** Whether its maximum is the lowest known one. */
  is_lowest: boolean,
};

/** The figures by which hosts are compared with one another. */
export type HostFigure = "throughput" | "mean_response";

/** One host in a load point. */
export type HostFigures = {
  /** Whether it took part. */
  presence: Presence,
  /**
   * How much later than agreed it began, or than the first host if no time was agreed. `null` if it
   * did not begin, or its clock was not compared.
   */
  start_skew_us: number | null,
  /** Its results. */
  figures: PartFigures,
  /** How it differs from its siblings, if it is an outlier. */
  stands_out: StandsOut | null,
  /** The culprit if it missed its criteria. `null` if it met them. */
  culprit: Culprit | null,
  /** The layer that limited it. `null` if that is unknown. */
  limit: LimitStep | null,
};

/** One host. An operation counts in the bin where it completed. */
export type HostOverTime = {
  /** Bytes read and written in a bin, including the warm-up. */
  bytes: Array<number>,
  /** The slowest read or write in a bin, without the warm-up; 0 if there was none. */
  max_response_us: Array<Decimal>,
};

/** The hosts of a run over time. */
export type HostsOverTime = {
  /** The bins of all figures below. */
  time: TimeAxis,
  /** In the order of the summary's hosts; at most 64. */
  hosts: Array<HostOverTime>,
};

/** The hosts of a run. */
export type HostsSection = {
  /** The hosts, in the order of their worker and stream numbers. */
  hosts: Array<RunHost>,
  /**
   * How far times of different hosts may be off relative to each other, at most. `null` if some clock
   * was not compared.
   */
  clock_uncertainty_us: number | null,
  /** The load points, in the order in which they ran. */
  points: Array<PointHosts>,
  /**
   * Throughput of several targets together, compared with fewer. `null` if all load points had the
   * same targets.
   */
  scale: TargetScale | null,
};

/**
 * One disturbance. Times named `_s` count from the start of the run, those named `_in_point_s` from the
 * start of the load point.
 */
export type Incident = {
  /**
   * When it began: when the storage or this client started to lag, which is before the first late
   * frame.
   */
  began_s: number,
  /** The same, in the load point. */
  began_in_point_s: number,
  /** The same as UTC time (RFC 3339), for comparison with server logs. `null` if it is unknown. */
  began_at?: string,
  /** When it was over: when the last of its late frames arrived, or their deadlines passed. */
  ended_s: number,
  /** The affected hosts, in a run on several hosts. Otherwise empty. */
  agents?: Array<string>,
  /** The number of streams with late frames. */
  stream_count: number,
  /** The first 64 of them, by number. */
  streams: Array<number>,
  /** Late frames. */
  late_frames: number,
  /** Late frames that were never begun. */
  dropped_frames: number,
  /** Late frames that failed: an operation returned an error or transferred too little. */
  failed_frames: number,
  /** Late frames that would have been in time without the scheduling delay of Reelgauge. */
  late_frames_with_own_delay: number,
  /** The largest lateness of the frames that arrived. `null` if none arrived. */
  worst_late_us: number | null,
  /** The state of the storage. */
  storage: StorageThen,
  /** The state of the local host. `null` if it was not sampled. */
  machine: MachineThen | null,
  /** The culprit. */
  culprit: Culprit,
};

/** An incident as a sentence, and its index in the summary. */
export type IncidentSentence = {
  /** The load point, as an index into the summary's. */
  point: number,
  /** The incident, as an index into those of the load point. */
  incident: number,
  /** Its time, the affected streams, the event and the responsible component. */
  text: string,
};

/** A reason why a run shows neither that its criteria are met nor that they are not. */
export type InconclusiveReason = { "reason": "search_unfinished" } | { "reason": "client_limit" } | { "reason": "client_delay" } | { "reason": "own_timing" } | { "reason": "begun_late",
  /** Operations that began more than a millisecond late. */
  late_ops: number,
  /** All operations of that pass. */
  ops: number,
} | { "reason": "held_up",
  /** Operations that had to wait. */
  held_up_ops: number,
  /** All operations of that pass. */
  ops: number,
};

/** The first information for the page. */
export type Info = {
  /** The program's version. */
  version: string,
  /** The host's name. */
  host: string,
  /** Folder of the runs. */
  runs_dir: string,
  /** Directories that may contain targets. */
  roots: Array<string>,
};

/** Whether the requirements were met. */
export type Judgement = "met" | "not_met" | "inconclusive" | "not_known" | "nothing_asked";

/** One kind of operation. */
export type KindFigures = {
  /** Its name. */
  kind: string,
  /** Operations. */
  ops: number,
  /** Failed operations. */
  failed_ops: number,
  /** Total time of those that did not fail. `null` if the trace has no durations. */
  service_s: number | null,
  /** Their mean. */
  mean_service_us: number | null,
  /** The longest. */
  max_service_us: number | null,
};

/** Whether the figures of a run can be compared with those of the first. */
export type Kinship = "same_work" | "itself" | "other_counts" | "other_plan" | "other_work";

/** The figures of every stream of a load point, and the totals. */
export type LateFigures = {
  /** All streams together. */
  total: StreamTotals,
  /** Each stream, by number. */
  streams: Array<StreamFigures>,
  /** The disturbances that made frames late: the first of them, in order of time. */
  incidents: Array<Incident>,
  /** The total number of incidents. */
  incident_count: number,
  /** Operations of other load points or of unknown streams; no figure includes them. */
  ignored_ops: number,
};

/** A run of consecutive late frames. */
export type LateRun = {
  /** The number of its first frame. */
  first_frame: number,
  /** The number of its frames. */
  frames: number,
  /** How many of them were never begun. */
  dropped_frames: number,
  /** The deadline of the first frame, in seconds of the run. */
  began_s: number,
  /** The deadline of the first frame, in seconds of the load point. */
  began_in_point_s: number,
  /** Time until the deadline of the next frame that was in time. */
  length_s: number,
  /** The largest lateness of its frames that arrived. `null` if none arrived. */
  worst_late_us: number | null,
};

/**
 * Latencies of reads and writes that succeeded, without the warm-up. Bin b of latency holds µs with
 * 2^(b/4) ≤ µs < 2^((b+1)/4); bin 0 also everything below 1 µs.
 */
export type LatencyGrid = {
  /** The latencies of reads. */
  reads: LatencySide,
  /** The latencies of writes. */
  writes: LatencySide,
};

/** The latencies of one direction. */
export type LatencySide = {
  /** Triples: bin of time, bin of latency, count. */
  cells: Array<number>,
  /** The longest latency in each bin of time; 0 if there is none. */
  max_us: Array<Decimal>,
  /** The sum of the latencies in each bin of time. */
  sum_us: Array<number>,
};

/** The scheduling delay of Reelgauge, to two digits; the maximum is exact. See `Figures.lateness`. */
export type LatenessFigures = {
  /** Half of the operations were no later. */
  p50_us: number,
  /** 99 of 100 were no later. */
  p99_us: number,
  /** The latest. */
  max_us: number,
};

/** The limit of a load point. */
export type Limit = {
  /** The result in one word. */
  verdict: LimitVerdict,
  /**
   * The layer, with the measured values. `null` if no counter reached its threshold, or nothing
   * limited it.
   */
  found: LimitFinding | null,
  /** Other counters above their threshold, in the order of the questions. They are not the cause. */
  contributing: Array<LimitFinding>,
  /** If no counter reached its threshold: the nearest misses, the nearest first. */
  nearest: Array<LimitFinding>,
  /** Questions for which no counter was sampled. */
  not_measured: Array<LimitStep>,
};

/** The finding about one layer. */
export type LimitFinding = {
  /** The question that it answers. */
  step: LimitStep,
  /** The place: an interface, a connection, a disk, a program. `null` if there is only one. */
  at: string | null,
  /** The measured values, the most important first. */
  seen: Array<LimitSeen>,
  /** Rules of the doctor with more details and advice. */
  rules: Array<string>,
};

/** A measured quantity, with its unit in its name. */
export type LimitMeasure =
  | "max_bytes_per_s"
  | "held_back_percent"
  | "cached_percent"
  | "read_bytes_per_s"
  | "written_bytes_per_s"
  | "link_percent"
  | "queue_bytes"
  | "ping_us"
  | "interface_errors_per_s"
  | "long_pings_lost_percent"
  | "short_pings_answered_percent"
  | "packet_bytes"
  | "retransmitted_percent"
  | "timeouts_per_s"
  | "out_of_order_percent"
  | "receive_drops_per_s"
  | "queue_drops_per_s"
  | "pauses_received_per_s"
  | "pauses_sent_per_s"
  | "window_limited_percent"
  | "of_like_connections_percent"
  | "connections"
  | "connections_without_scaling"
  | "window_bytes"
  | "window_filled_percent"
  | "rtt_us"
  | "receive_queue_percent"
  | "queue_us"
  | "request_rtt_us"
  | "workers_at_work_percent"
  | "own_delay_us"
  | "send_buffer_limited_percent"
  | "send_buffer_in_flight_percent"
  | "in_flight_bytes"
  | "congestion_window_bytes"
  | "send_buffer_bytes"
  | "link_changes"
  | "incidents_s"
  | "operation_us"
  | "disk_busy_percent"
  | "disk_requests"
  | "disk_us"
  | "disk_of_operation_percent"
  | "disk_pressure_percent"
  | "requests_per_read"
  | "disk_bytes_per_s"
  | "own_bytes_per_s"
  | "on_the_way_percent"
  | "request_bytes"
  | "requests_at_a_time"
  | "others_percent"
  | "program_percent"
  | "program_processes"
  | "steal_percent"
  | "throttled_percent"
  | "memory_pressure_percent";

/** One measured value. */
export type LimitSeen = {
  /** The quantity. */
  measure: LimitMeasure,
  /** The value. */
  value: number,
  /** The threshold above which it is reported. `null` if it is only informative. */
  threshold: number | null,
};

/** The questions, in the order in which they are asked. */
export type LimitStep =
  | "max_rate"
  | "cache"
  | "link_full"
  | "path_broken"
  | "network_loss"
  | "tcp_window"
  | "client"
  | "send_buffer"
  | "server_disk"
  | "server"
  | "server_threads"
  | "disk"
  | "latency";

/** Whether the limit is known. */
export type LimitVerdict = "found" | "nothing_stood_out" | "nothing_limited" | "own_fault" | "not_known";

/** The network link from this client to the storage. Unknown values are `null`. */
export type LinkFacts = {
  /** The interface that the route to the server takes. */
  interface: string,
  /** The rate that one connection can use; `null` without a reliable source. */
  speed_mbit_per_s: number | null,
  /**
   * The rate that is left for file data in each direction, without the overhead of Ethernet, IP and
   * TCP.
   */
  line_bytes_per_s: number | null,
  /** It cannot send and receive at the same time. */
  is_half_duplex: boolean,
  /** The server is the local host, so no packet leaves it. */
  is_this_machine: boolean,
  /** The link for display: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`. */
  words: string,
};

/** A kind of link. */
export type LinkSort = "ethernet" | "infiniband" | "fibre-channel";

/**
 * An event: a line of the file. `at_s` is in seconds on the run's clock, and 0 before the clock begins,
 * while the run prepares.
 */
export type LiveEvent = { "event": "begin",
  /** On the run's clock. */
  at_s: number,
  /** The process that measures; a signal to it reaches the run. */
  pid: number,
  /**
   * Distinguishes this process from a later one with the same number; empty if the system does
   * not support it.
   */
  process: string,
  /** The command: `mix`, `streams`, … */
  verb: string,
  /** As in the summary. */
  label: string,
  /** The directory that is measured, absolute. */
  target: string,
} | { "event": "phase",
  /** On the run's clock. */
  at_s: number,
  /** "preparing", "measuring", "searching", … */
  name: string,
} | { "event": "prepared",
  /** On the run's clock. */
  at_s: number,
  /** Bytes that exist. */
  done_bytes: number,
  /** Bytes in total. */
  total_bytes: number,
} | { "event": "verified",
  /** On the run's clock. */
  at_s: number,
  /** Bytes compared. */
  checked_bytes: number,
} | { "event": "live" } & LiveTick | { "event": "end",
  /** On the run's clock. */
  at_s: number,
  /** How it ended. */
  outcome: LiveOutcome,
  /** The reason, if it did not complete. */
  reason: string | null,
  /**
   * Late frames of all load points, as in the summary; `null` if there are no frames, and without
   * a summary.
   */
  late_frames: number | null,
  /** Incidents of all load points, as in the summary; `null` as with the late frames. */
  incidents: number | null,
};

/**
 * The hosts of a run on several hosts, in columns: each host has the same index in all of them.
 * Otherwise empty.
 */
export type LiveHosts = {
  /** Their agents' names, in the plan's order. */
  name: Array<string>,
  /**
   * In the last second that it reported; 0 when its part of the load point is over, `null` if it has
   * not reported anything in this load point.
   */
  read_bytes_per_s: Array<number | null>,
  /** The same for writes. */
  write_bytes_per_s: Array<number | null>,
  /** In this load point; `null` if there are no frames, or nothing was reported. */
  late_frames: Array<number | null>,
  /** As in the tick. */
  no_answer_s: Array<number | null>,
  /** Why it is missing; `null` while it takes part. */
  missing: Array<string | null>,
  /** Hosts that are omitted here; missing, late or silent ones come before others. */
  left_out: number,
};

/** An incident while it happens. */
export type LiveIncident = {
  /**
   * Since the load point began, including the warm-up: when the storage stopped responding, or the
   * first frame was late.
   */
  began_in_point_s: number,
  /** Late frames so far. */
  late_frames: number,
  /** The longest time in it without a completion; `null` if that was below 0.4 s. */
  no_answer_s: number | null,
  /** Whether no frame has been late for a second. */
  is_over: boolean,
};

/** How a run ended, in the words of the summary. */
export type LiveOutcome = "complete" | "interrupted" | "broke_off";

/** Streams in columns: each stream has the same index in all of them. */
export type LiveStreams = {
  /** The stream numbers. */
  stream: Array<number>,
  /** As in the tick. */
  late_frames: Array<number>,
  /** As in the tick. */
  margin_ms: Array<number | null>,
  /** How long they may lag. */
  buffer_ms: Array<number>,
  /** In a run on several hosts, the host of each stream: numbers are per host. Otherwise empty. */
  host: Array<string>,
};

/**
 * The state of a load point: once a second, immediately when a frame is late, when the storage stops or
 * resumes responding, and when the load point ends.
 */
export type LiveTick = {
  /** On the run's clock. */
  at_s: number,
  /** The load point. */
  label: string,
  /** Time since it began, including the warm-up. */
  elapsed_s: number,
  /** How much of that is warm-up. */
  warmup_s: number,
  /** The expected duration; `null` if it is unknown. */
  total_s: number | null,
  /** Since the previous tick, including the warm-up, which is in no figure of the report. */
  read_bytes_per_s: number,
  /** Since the previous tick, including the warm-up, which is in no figure of the report. */
  write_bytes_per_s: number,
  /**
   * By the clock, in this load point; `null` if there are no frames. A frame is late as soon as its
   * deadline has passed. None is counted during the warm-up.
   */
  late_frames: number | null,
  /**
   * The smallest margin of all streams since the previous tick, rounded down: the time until the
   * deadline of the next missing frame. Negative if it was overdue; `null` if nothing was due.
   */
  margin_ms: number | null,
  /** How long the oldest operation has been in flight; `null` if there is none. */
  longest_in_flight_s: number | null,
  /**
   * How long operations have been in flight without any completion; `null` while completions come
   * within 0.4 s.
   */
  no_answer_s: number | null,
  /**
   * Incidents in this load point: late frames less than a second apart are one incident. `null` if
   * there are no frames.
   */
  incidents: number | null,
  /** The latest of them. */
  incident: LiveIncident | null,
  /** Streams that have frames, the worst first; at most 64. */
  streams: LiveStreams,
  /** In a run on several hosts, the state of each of them. */
  hosts: LiveHosts,
};

/** One load point. */
export type LoadPoint = {
  /** From 0. */
  index: number,
  /** `4 workers`, `blocks 64 KiB`. */
  label: string,
  /** How many workers ran. */
  workers: number,
  /** The number of threads that did the operations. `null` if it was not recorded. */
  threads: number | null,
  /** The value that was varied, as written in the plan. */
  sweep_value: string | null,
  /** When it began, including the warm-up, since the start of the run. */
  started_s: number,
  /**
   * How much later than agreed with the other hosts of a fleet it began; negative if earlier. `null`
   * if no time was agreed.
   */
  start_skew_ns?: number,
  /** The measured time, without the warm-up, to the microsecond. */
  measured_s: number,
  /**
   * The exact measured time, by which throughput is divided. `null` in summaries of versions that did
   * not record it.
   */
  measured_ns: number | null,
  /** Why it ended early, if it did. */
  ended_early: string | null,
  /** Why it has no figures although it was not cut short. `null` if it has. */
  not_measured?: NotMeasured,
  /** The effect of the byte rate limit. `null` without a limit. */
  held_back?: HeldBack,
  /** Operations that never completed, and so are in no response time. `null` if all of them completed. */
  unanswered?: Unanswered,
  /** All workers together. */
  total: Figures,
  /** Each worker. */
  per_worker: Array<WorkerFigures>,
  /** The paper's tables. */
  paper: PaperTables,
  /** The number of streams. `null` if there are no streams. */
  stream_count?: number,
  /** Late frames of every stream that has frames. */
  streams?: LateFigures,
  /** The workers with a required rate. */
  rates?: Array<ProcessRate>,
  /** Mean response time of the transfers of those workers. */
  rates_mean_response_ms?: number,
  /** Whether its criteria were met. `null` without criteria. */
  verdict: Verdict | null,
  /** The culprit if its criteria were not met. `null` if they were, or without criteria. */
  culprit?: Culprit,
  /**
   * The layer that limited it, from the counters of exactly its measured time. `null` if none were
   * sampled.
   */
  limit?: Limit,
};

/** The operation log. */
export type LogFacts = {
  /** Whether it contains every operation. */
  complete: boolean,
  /** Operations in it. */
  rows: number,
  /** Its size. */
  bytes: number,
  /** Bytes ÷ rows; `null` if it is empty. */
  bytes_per_op: number | null,
  /** Operations that are only in the figures, not in the log. */
  dropped_to_histograms_ops: number,
  /** An additional remark. */
  note: string | null,
};

/** The local host in a period. Percentages are 0 to 100. */
export type MachineThen = {
  /**
   * The longest time that an operation waited in Reelgauge although it was due and its worker was
   * free.
   */
  own_delay_max_us: number | null,
  /**
   * The longest time that a measuring thread was runnable and had no processor. 0 if the system does
   * not report it (Linux does).
   */
  processor_wait_max_us: number | null,
  /** The total time in which Reelgauge did not run. */
  paused_s: number | null,
  /** The longest of these pauses. */
  longest_pause_s: number | null,
  /** Utilization of all processors. */
  processors_busy_percent: number | null,
  /** Share of all processors that Reelgauge used. */
  own_processors_percent: number | null,
  /** Share of all processors that other programs used. */
  others_processors_percent: number | null,
  /** Processor time that the hypervisor took. */
  steal_percent: number | null,
  /** Share of the time in which Reelgauge's control group was throttled because its quota was used up. */
  throttled_percent: number | null,
  /** Share of the time in which some task waited for memory. */
  memory_waiting_percent: number | null,
  /** Utilization of the link in its busier direction, as a share; may be slightly above 1. */
  link_share: number | null,
  /** Utilization of the busiest disk below the target. */
  disk_busy_percent: number | null,
};

/**
 * A cell: bin of time, bin of the file, bytes read in it, bytes written in it. In JSON an array of four
 * numbers, because there are many.
 */
export type MapCell = [number, number, number, number];

/** A map in cells of one size. */
export type MapLevel = {
  /** Start of the first bin of time. */
  from_s: Decimal,
  /** Width of a bin of time. */
  time_bin_s: Decimal,
  /** Number of bins of time. */
  time_bins: number,
  /** Start of the first bin of the file. */
  from_bytes: number,
  /** Width of a bin of the file. */
  offset_bin_bytes: number,
  /** Number of bins of the file. */
  offset_bins: number,
  /** Quadruples: bin of time, bin of the file, bytes read, bytes written. */
  cells: Array<number>,
};

/** Accesses one by one. */
export type MapPoints = {
  /** When it was issued. */
  issued_s: Array<Decimal>,
  /** Byte position in the file. */
  offset_bytes: Array<number>,
  /** Transferred bytes. */
  len_bytes: Array<number>,
  /** Whether it was a write. */
  write: Array<boolean>,
  /** Time from issue to completion. */
  service_us: Array<Decimal>,
};

/**
 * How the best margins of a stream changed over the measured part, without the scheduling delay of
 * Reelgauge.
 */
export type MarginTrend = {
  /** The loss of margin per second; negative if it grew. */
  fall_ms_per_s: number,
  /** The standard error of that. */
  standard_error_ms_per_s: number,
  /** The time over which it was observed. */
  observed_s: number,
  /** The margin at the end of that time, on the line of the trend. */
  at_end_ms: number,
};

/** One mark. */
export type Mark = {
  /** The kind of event. */
  kind: MarkKind,
  /** The place: `md0 resync`, `eth0`; empty if there is only one. */
  device: string,
  /** The name of the host whose counters show it. */
  agent: string,
  /** Its start, in seconds since the run began. */
  began_s: number,
  /** Its end, in seconds since the run began. */
  ended_s: number,
  /** Whether it was still going on at the last sample. */
  is_open: boolean,
};

/** The kind of event. */
export type MarkKind =
  | "background_work"
  | "link_flap"
  | "remount"
  | "swap_storm"
  | "snapshot"
  | "paused"
  | "entered";

/** A mark as a page shows it. */
export type MarkWords = {
  /** Its start, in seconds since the run began. */
  from_s: number,
  /** Its end, in seconds since the run began. */
  to_s: number,
  /** The event, its place and its time. */
  text: string,
};

/** The definition of latency. */
export type Measure = "response" | "service";

/** The run's files, compared with the memories that may have cached them. Unknown values are `null`. */
export type MemoryFacts = {
  /** Bytes of the existing files that could be read. */
  data_set_bytes: number,
  /** Bytes of these that this run wrote before it measured. A server certainly has them in its memory. */
  written_by_this_run_bytes: number,
  /** The files are the user's own; Reelgauge never wrote them. */
  own_files: boolean,
  /** Bytes read in all load points, without warm-ups. */
  read_bytes: number,
  /** The storage is reached over a network, so there is a server with its own cache. */
  on_network: boolean,
  /** The target is a file system in memory. */
  target_is_memory: boolean,
  /** Whether reads bypassed the cache of this client; `null` if unknown. */
  past_client_cache: boolean | null,
  /**
   * Share of the reads that the cache of the local host answered, 0 to 1; `null` if nothing counts
   * it.
   */
  client_cached_share: number | null,
  /**
   * A loop device below the target that reads its file through the cache of this client, even with
   * direct I/O; `null` if there is none.
   */
  cached_loop: string | null,
  /** The memory of the local host. */
  client_memory_bytes: number | null,
  /** The server's memory, as stated with `--server-memory`. */
  server_memory_bytes: number | null,
  /**
   * First reads compared with later reads of the same bytes, for each load point. Empty if nothing
   * was read, or in more files than memory allowed to count.
   */
  rereads: Array<Rereads>,
  /** Whether a cache may have answered; `null` if nothing was read. */
  suspicion: CacheSuspicion | null,
};

/** One cell of the three tables. */
export type MeterCell = {
  /** The row. */
  access: Mode,
  /** The column; `null` for all block sizes together. */
  block_kib: number | null,
  /** Operations. */
  records: number,
  /** Transferred bytes. */
  bytes: number,
  /** Bytes ÷ time within reads, writes and syncs: the rate of one worker while it transfers. MiB/s. */
  rate_while_transferring_mib_per_s: number,
  /** The original's average latency: time outside reads, writes and syncs. ms. */
  msmeter_average_latency_ms: number,
  /** The original's maximum latency, s. */
  msmeter_maximum_latency_s: number,
};

/** One session. */
export type MeterFacts = {
  /** The script's name. */
  script: string,
  /** The sum of its waits, s. */
  script_takes_s: number,
  /** Directories that workers could use. */
  roots: Array<string>,
  /** The workers, in the order in which they connected. */
  workers: Array<MeterWorker>,
  /** The tests, each from one "Results" to the next. */
  tests: Array<MeterTest>,
  /** Records that arrived while no test was open: they are in `records.csv`, but in no figure. */
  records_outside: number,
  /** Lines that are not records. */
  lines_not_understood: number,
};

/** The tables of a test. */
export type MeterFigures = {
  /** Records in the tables. */
  records: number,
  /** Bytes that they transferred, without remainders. */
  bytes: number,
  /** Records without a time ("inf"), or with impossible values; in no table. */
  records_without_time: number,
  /** Records with a rate of `IMPLAUSIBLE_MIB_PER_S` or more; in no table. */
  implausible_records: number,
  /** The cells that have records. */
  cells: Array<MeterCell>,
};

/** The part from a "Results" to the pause of the worker with the highest number. */
export type MeterTest = {
  /** The name of the file that the script requests. */
  name: string,
  /** The text in the original's format, in the session's directory. */
  text_file: string,
  /** The start of its first worker, in s from the start of the session. */
  began_s: number | null,
  /** The time of its last record, in s from the start of the session. */
  last_record_s: number | null,
  /**
   * All bytes ÷ the time from the first start to the last record, MiB/s. `null` if nothing was
   * measured.
   */
  wall_clock_mib_per_s: number | null,
  /** The longest time in which a running worker reported nothing. */
  longest_silence: Silence | null,
  /** Workers that were started and reported nothing. */
  workers_without_records: Array<number>,
  /** Workers that reported, then hung until they were paused, and did not report the hang afterwards. */
  stalled?: Array<Silence>,
  /** The tables. */
  figures: MeterFigures,
};

/** A worker of the original. */
export type MeterWorker = {
  /** Its number in the script: workers are numbered in the order in which they connect. */
  number: number,
  /** Its network address. */
  address: string,
  /** Its records. */
  records: number,
  /** How often it could not open a file. */
  no_files: number,
  /** Whether the script orders it to report nothing. */
  is_told_silence?: boolean,
  /** When it disconnected, in s from the start of the session, if that was before its dismissal. */
  gone_s?: number,
  /** Why it disconnected. */
  gone_why?: string,
};

/** The kind of access, as the paper abbreviates it; a row of the tables. */
export type Mode = "seq_rd" | "rand_rd" | "seq_wr" | "rand_wr" | "all";

/** The next step. */
export type NextStep =
  | "choose_storage"
  | "run_again"
  | "resume"
  | "free_this_machine"
  | "allow_more"
  | "pass_the_caches"
  | "measure_alone"
  | "faster_link"
  | "mend_the_way"
  | "look_at_incident"
  | "find_max"
  | "try_more"
  | "prove_for_long"
  | "more_points"
  | "measure_longer"
  | "follow_rule"
  | "make_room"
  | "as_the_look_says"
  | "beside_a_run"
  | "as_a_mix"
  | "compare";

/**
 * The traffic of a network interface in a load point, from the host's own counters: everything,
 * including headers and other programs.
 */
export type NicFigures = {
  /** The host. */
  agent: string,
  /** The interface. */
  interface: string,
  /** The target that it is used for; `null` if there is none, or it is unknown. */
  target: string | null,
  /** Received bytes. `null` if they were not sampled. */
  received_bytes_per_s: number | null,
  /** Sent bytes. `null` if they were not sampled. */
  sent_bytes_per_s: number | null,
  /** Its reported speed, in Mbit/s. `null` if it reports none. */
  speed_mbit_per_s: number | null,
  /** Utilization of the busier direction, in percent of the speed. */
  used_percent: number | null,
};

/** Why a load point could not be measured. */
export type NotMeasured = "warmup_visited_all" | "nothing_finished";

/** A note about a run: a fact with its figures, and the same as a sentence. `kind` is the kind of fact. */
export type Note = {
  /** The agents of a fleet that it is about. Empty if it is about the whole run. */
  agents?: Array<string>,
  /** The fact as a sentence, for display. No program depends on it. */
  sentence: string,
  /** The advice as a sentence, for display. Empty if there is nothing to do. */
  advice?: string,
};

/** One observer of a run. */
export type ObserverFacts = {
  /** Its name: a host name, or the name of the file. */
  name: string,
  /** Where its samples are from. */
  kind: ObserverKind,
  /** The directory or file, as given by the user. */
  source: string,
  /** How far its clock is ahead of the measuring host's clock, in milliseconds, as given by the user. */
  clock_offset_ms: number,
  /** Whether the user gave the difference. Otherwise both clocks are assumed to agree. */
  is_offset_stated: boolean,
  /** The time of its first sample that was kept, in seconds since the run began. */
  from_s: number,
  /** The time of its last sample that was kept. */
  until_s: number,
  /** Samples that were kept. */
  samples: number,
  /** Samples from before or after the run, which were not kept. */
  outside: number,
  /** What could not be read, and why, as text. */
  not_read: Array<string>,
};

/** The source of an observer's samples. */
export type ObserverKind = "watch" | "csv" | "prometheus";

/** Bytes read and written, by time and position. Empty cells are omitted. */
export type OffsetMap = {
  /** The start of the first bin of time, since the start of the trace. */
  from_s: number,
  /** Width of a bin of time. */
  time_bin_s: number,
  /** Number of bins of time. */
  time_bins: number,
  /** Width of a bin of the file; bin 0 starts with the file. */
  offset_bin_bytes: number,
  /** Number of bins of the file. */
  offset_bins: number,
  /** The cells, by time and then by position. */
  cells: Array<MapCell>,
};

/** Operations. */
export type OpColumns = {
  /** Name of the kind. */
  kind: Array<string>,
  /** Number of the worker. */
  worker: Array<number>,
  /** Number of the stream; in a trace, of the thread. -1 if the operation belongs to none. */
  stream: Array<number>,
  /** Number of the file; -1 if there is none. */
  file: Array<number>,
  /** Byte position in the file. */
  offset_bytes: Array<number>,
  /** Requested bytes. */
  len_bytes: Array<number>,
  /** Transferred bytes. */
  done_bytes: Array<number>,
  /** When the operation was due. */
  due_s: Array<Decimal>,
  /** When it was issued. */
  issued_s: Array<Decimal>,
  /** From due to completed. */
  response_us: Array<Decimal>,
  /** From issued to completed. */
  service_us: Array<Decimal>,
  /** 0, or the error number. */
  errno: Array<number>,
  /** Number of the load point. */
  point: Array<number>,
  /** Whether it belongs to the warm-up. */
  warmup: Array<boolean>,
};

/** What an operation asked the storage to do. */
export type OpKind =
  | "open"
  | "read"
  | "write"
  | "sync"
  | "close"
  | "create"
  | "unlink"
  | "stat"
  | "access"
  | "readdir"
  | "truncate"
  | "allocate"
  | "rename"
  | "mkdir"
  | "rmdir"
  | "setattr"
  | "other"
  | "link"
  | "symlink"
  | "readlink";

/** Counts of operations by kind. */
export type OpsByKind = {
  /** Files opened. */
  open: number,
  /** Reads. */
  read: number,
  /** Writes. */
  write: number,
  /** Syncs. */
  sync: number,
  /** Files closed. */
  close: number,
  /** Files created. */
  create: number,
  /** Files removed. */
  unlink: number,
  /** Queries for a file's size and times. */
  stat: number,
  /** Queries whether a file may be read. */
  access: number,
  /** Directories listed. */
  readdir: number,
  /** Changes of a file's size. */
  truncate: number,
  /** Reservations of space in a file. */
  allocate: number,
  /** Files renamed. */
  rename: number,
  /** Directories created. */
  mkdir: number,
  /** Directories removed. */
  rmdir: number,
  /** Changes of a file's times, owner or permissions. */
  setattr: number,
  /** Operations of all other kinds. */
  other: number,
  /** Hard links created. */
  link: number,
  /** Symbolic links created. */
  symlink: number,
  /** Symbolic links read. */
  readlink: number,
};

/** Operations, and the names of their files. */
export type OpsFound = {
  /** Names of the files that occur, by number. */
  file_names: { [key in number]: string },
  /** Name of the kind. */
  kind: Array<string>,
  /** Number of the worker. */
  worker: Array<number>,
  /** Number of the stream; in a trace, of the thread. -1 if the operation belongs to none. */
  stream: Array<number>,
  /** Number of the file; -1 if there is none. */
  file: Array<number>,
  /** Byte position in the file. */
  offset_bytes: Array<number>,
  /** Requested bytes. */
  len_bytes: Array<number>,
  /** Transferred bytes. */
  done_bytes: Array<number>,
  /** When the operation was due. */
  due_s: Array<Decimal>,
  /** When it was issued. */
  issued_s: Array<Decimal>,
  /** From due to completed. */
  response_us: Array<Decimal>,
  /** From issued to completed. */
  service_us: Array<Decimal>,
  /** 0, or the error number. */
  errno: Array<number>,
  /** Number of the load point. */
  point: Array<number>,
  /** Whether it belongs to the warm-up. */
  warmup: Array<boolean>,
};

/** How a run ended. */
export type Outcome = "complete" | "interrupted" | "broke_off" | "running";

/** One value per bin. An operation counts in the bin where it completed, also in the warm-up. */
export type OverTime = {
  /** Operations of every kind. */
  ops: Array<number>,
  /** Failed operations. */
  failed_ops: Array<number>,
  /** Operations of the warm-up. */
  warmup_ops: Array<number>,
  /** Bytes read. */
  read_bytes: Array<number>,
  /** Bytes written. */
  written_bytes: Array<number>,
};

/** One bin. */
export type OverTimeBin = {
  /** Operations of every kind. */
  ops: number,
  /** Those that failed. */
  failed_ops: number,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
};

/** Everything that is embedded in a `report.html`. */
export type Page = {
  /** `PAGE_VERSION`. */
  page_version: number,
  /** The kind of page. */
  kind: PageKind,
  /** When it was made, RFC 3339. */
  made_at: string,
  /** Version of the program that made it. */
  tool_version: string,
  /** One run, two to eight that are compared, or none. */
  runs: Array<RunPage>,
  /** The trace. */
  trace: TracePage | null,
  /** The comparison. */
  comparison: Comparison | null,
  /** The suites. */
  suites: SuitesPage | null,
  /**
   * Conditions of a paper that its runs did not meet, as text. Charts that correspond to the paper's
   * name them.
   */
  deviations: Array<string>,
  /** For a comparison: whether it is better or worse, in one or two words; `null` on other pages. */
  verdict: Sentence | null,
  /** The sections after the result of a comparison, of suites, or of the states of a procedure. */
  sections: Array<SectionBlocks>,
};

/** The kind of content of a page. */
export type PageKind = "run" | "trace" | "compare" | "suites";

/** One cell of all three tables. Numbers without a measurement are `null`. */
export type PaperCell = {
  /** The row. */
  mode: Mode,
  /** The column; `null` for all block sizes together. */
  block_bytes: number | null,
  /** Reads and writes in the transfers of this block size. */
  data_ops: number,
  /**
   * The share of them that was shorter than the block size, 0 to 1: remainders, and transfers that are
   * shorter than a block.
   */
  short_block_share: number | null,
  /** Transferred bytes. */
  bytes: number,
  /** Complete transfers, from which the latencies are computed. */
  transfers: number,
  /**
   * Mean rate of one worker while it transferred, in 10^6 bytes/s. Not throughput: without the time
   * between transfers and for opening and closing.
   */
  transfer_rate_while_transferring_mb_per_s: number | null,
  /** Mean over the transfers of total time − data transfer time. */
  average_latency_ms: number | null,
  /** The part of the average latency between operations, when the storage was idle. */
  average_gap_ms: number | null,
  /** The largest latency. */
  maximum_latency_s: number | null,
};

/** A condition of a paper that was not kept. */
export type PaperDeviation = {
  /** The flag, without the dashes; `null` for the number of hosts. */
  setting: string | null,
  /** The value that the paper prescribes. */
  paper: string,
  /** The value of this run; `null` if the program chose it. */
  here: string | null,
};

/** The paper's three tables in long form: EBU Tech 3362 § 5.1, figures 12 and 15. */
export type PaperTables = {
  /**
   * Whether every transfer counts as a whole under one block size, by the paper's § 5.1. `false` in
   * runs of earlier versions, which counted each block.
   */
  per_transfer: boolean,
  /** The block sizes, ascending; the columns. */
  block_bytes: Array<number>,
  /** Every cell, row by row in the paper's order, each row ending with its total. */
  cells: Array<PaperCell>,
};

/** The results of one or several hosts in a load point. */
export type PartFigures = {
  /** The host, the group, or the target. Empty for all. */
  name: string,
  /** The number of hosts that did any work. */
  hosts: number,
  /** The number of workers on them. */
  workers: number,
  /** The measured time, from the first start to the last end. */
  measured_s: number | null,
  /** See `Figures.ops`. */
  ops: number,
  /** See `Figures.failed_ops`. */
  failed_ops: number,
  /** See `Figures.read_bytes`. */
  read_bytes: number,
  /** See `Figures.written_bytes`. */
  written_bytes: number,
  /** Throughput: bytes read ÷ measured time. `null` if nothing was measured. */
  read_bytes_per_s: number | null,
  /** Throughput: bytes written ÷ measured time. */
  written_bytes_per_s: number | null,
  /** Both together. */
  bytes_per_s: number | null,
  /** Response times of reads and writes. */
  response: TimeFigures | null,
  /** Streams that have frames. `null` if there are no streams. */
  streams: number | null,
  /** How many of them had late frames. */
  streams_with_late_frames: number | null,
  /** Frames whose deadline is in the measured part. */
  frames_judged: number | null,
  /** Frames that arrived after their deadline, or never. */
  late_frames: number | null,
};

/** A line of the bill of materials. */
export type PartSite = {
  /** The kind of part: `server`, `switch`, `licence`. */
  name: string,
  /** The number of such parts. */
  count?: number,
  /** The manufacturer. */
  maker?: string,
  /** The model name. */
  model?: string,
  /** Its firmware, release or edition. */
  version?: string,
  /** An additional remark. */
  note?: string,
};

/** A stream count divided by the number of one kind of part. */
export type PerUnit = {
  /** The kind of part. */
  unit: SiteUnit,
  /** The number of parts. */
  count: number,
  /** Streams for each. */
  streams: number,
};

/** Times of the operations of one kind, in the form of an HdrHistogram printout. */
export type PercentileCurve = {
  /** Name of the kind. */
  kind: string,
  /** Operations that succeeded, without the warm-up. */
  count: number,
  /** 0 to 100, denser and denser towards 100. */
  percentile: Array<Decimal>,
  /** This percentage took no longer, to three digits; the last value is exact. */
  us: Array<Decimal>,
};

/** A setting in which the plan of a run differs from that of the first. */
export type PlanDifference = {
  /** The setting. */
  setting: string,
  /** Value of the first run; `null` if it is not set. */
  first: string | null,
  /** Value of this run. */
  own: string | null,
  /** Whether it changes the operations: other block sizes, another route to the files. */
  changes_work: boolean,
};

/** Blocks of a load point. */
export type PointBlocks = {
  /** The load point, as an index into the summary's. */
  point: number,
  /** Its label among the load points. */
  label: string, blocks: Array<Block>,
};

/** The hosts in a load point. */
export type PointHosts = {
  /** The load point, as an index into the summary's. */
  point: number,
  /**
   * The time between the first and the last start; `null` if fewer than two hosts began, or clocks
   * were not compared.
   */
  start_skew_us: number | null,
  /** Each host, in the order of `HostsSection.hosts`. */
  hosts: Array<HostFigures>,
  /** Each group, if there are several. */
  groups: Array<PartFigures>,
  /** Each target, if there are several. */
  targets: Array<PartFigures>,
  /** Each network interface by its name, if hosts use different ones. */
  interfaces: Array<PartFigures>,
  /**
   * Each network interface of each host that transferred anything, from the hosts' own counters.
   * Empty if they were not sampled.
   */
  nics: Array<NicFigures>,
  /** All hosts together. */
  total: PartFigures,
  /** All hosts without the outliers that are worse; `null` if there are none. */
  without: PartFigures | null,
};

/** The streams of one load point. */
export type PointStreams = {
  /** Its number. */
  point: number,
  /** The bins of all figures below: the part that was judged. */
  time: TimeAxis,
  /** The streams with the most late frames, then by number; at most 64. */
  streams: Array<StreamStrip>,
  /** Number of streams that are not in `streams`. */
  left_out: number,
  /**
   * The smallest margin by the clock in a bin, over all streams: the time until the deadline of the
   * next missing frame; negative while that frame is overdue. `null` if no frame was expected.
   */
  min_margin_us: Array<number | null>,
  /** Late frames of all streams in a bin, including those that never arrived. */
  late_frames: Array<number>,
  /**
   * Late frames of each host in a bin, in the order of `HostsOverTime.hosts`; empty if one host
   * made the run.
   */
  host_late_frames: Array<Array<number>>,
  /** The share of their available time that frames had left. */
  headroom: Headroom,
};

/** What a stream does with frames whose time has passed before it could ask for them. */
export type Policy = "drop" | "stall";

/** Whether a host took part in a load point. */
export type Presence = "whole" | "idle" | "part" | "missing";

/** A procedure. */
export type ProcedurePage = {
  /** The terminal's screen. */
  text: string,
  /** Its steps, in their order. */
  steps: Array<ProcedureStepRow>,
};

/** The procedure that a run is a step of. */
export type ProcedureStep = {
  /** The procedure. */
  name: string,
  /** The step. */
  step: string,
  /** Its round, from 1; `null` outside rounds. */
  round: number | null,
  /** The document and section that the procedure follows. */
  paper: string | null,
  /** Whether it is the short variant. */
  is_short: boolean,
  /** Conditions of the paper that this run did not keep. */
  deviations: Array<PaperDeviation>,
};

/** A step of a procedure. */
export type ProcedureStepRow = {
  /** Its name, with its round. */
  name: string,
  /** Its progress. */
  state: ProcedureStepState,
  /** Its run, by its name in the list; `null` for an action, and for a run that has not ended. */
  run: string | null,
  /** Why it ended early. */
  why: string | null,
};

/** The progress of a step. */
export type ProcedureStepState = "planned" | "running" | "done" | "broke_off" | "not_needed" | "not_tried";

/** The required and the achieved rate of one process. */
export type ProcessRate = {
  /** The worker. */
  worker: number,
  /** The component workload it is part of: `camera`, `companion`. */
  component: string,
  /** Required operations per second; above 0. */
  requested_ops_per_s: number,
  /** Achieved operations per second. */
  achieved_ops_per_s: number,
};

/** A proof. */
export type ProofPage = {
  /** The terminal's screen. */
  text: string,
  /** Its passes, in the order in which they ran. */
  passes: Array<ProofPassRow>,
};

/** A pass of a proof. */
export type ProofPassRow = {
  /** Its run, by its name in the list. */
  run: string,
  /** The name of the state in which it was measured. */
  state: string,
  /** Whether it counts: it had no disturbance. */
  counts: boolean,
};

/** The RAID level of the disks. */
export type Raid = "raid0" | "mirror" | "raid5" | "raid6" | "raidz3";

/** The development of a rate over time. */
export type RateTrend = "steady" | "burst" | "rose" | "unsettled" | "too_short";

/** Service times of reads. */
export type ReadTimes = {
  /** The number of reads. */
  reads: number,
  /** A quarter of them took no longer. */
  p25_service_us: number,
  /** Half of them took no longer. */
  p50_service_us: number,
  /** Three quarters of them took no longer. */
  p75_service_us: number,
  /** Bytes per second of service time: what a single reader would see. */
  bytes_per_s_each: number | null,
};

/** The results of a replay, in addition to the figures of its load points. */
export type ReplayFacts = {
  /** The name of the trace. */
  trace: string,
  /** The path of the trace. */
  trace_path: string,
  /** The program that made it; empty for a run. */
  made_by: string,
  /** Whether it was generated from statistics instead of being recorded. */
  synthetic: boolean,
  /** Operations of one user in one pass. */
  ops: number,
  /** Threads that were recorded. */
  threads: number,
  /** Users at once. */
  copies: number,
  /** The pace: `recorded`, `think`, `max`, `fixed:5ms`. */
  pace: string,
  /** The order: `serial`, `streams`, `resources`. */
  order: string,
  /** The expected duration of one pass; `null` if the pace does not define it. */
  expected_span_s: number | null,
  /** The duration of the recording, times the scale, for all users; whatever the pace. */
  recorded_span_s: number | null,
  /** Files that were prepared for one pass. */
  prepared_files: number,
  /** Bytes of these. */
  prepared_bytes: number,
  /** How the files were made: `auto`, `copy`, `stream`. */
  layout: string,
  /** Operations of the trace that were not replayed, by reason. */
  left_out: { [key in string]: number },
  /**
   * The same by kind: `rename_exchange`, `rename_whiteout`, `rename_refused`, `nameless_file`, `clone`,
   * `range`, `hard_link`, `unknown_hard_link`, `symbolic_link`, `other`.
   */
  not_replayed_ops?: { [key in string]: number },
  /** Assumptions, and differences between recording and replay, in sentences. */
  remarks: Array<string>,
  /** The passes, in the order in which they ran. */
  passes: Array<ReplayPass>,
  /**
   * Files that a pass wrote with gaps, or that had many extents afterwards, if the file system
   * reports them.
   */
  written_pieces?: Array<WrittenPieces>,
  /** The median throughput of all passes. */
  median_bytes_per_s: number | null,
  /** Why the timing was bad; `null` if it was good, or if the pace is free. */
  bad_timing: string | null,
};

/** One pass of a replay. */
export type ReplayPass = {
  /** Index of its load point. */
  point: number,
  /** Whether all of the trace was replayed. */
  complete: boolean,
  /** From when the first operation was due until the last one completed. */
  span_s: number,
  /** Bytes read and written. */
  bytes: number,
  /** `bytes` ÷ `worked_s`. */
  bytes_per_s: number | null,
  /**
   * How much later than recorded its last operation completed; negative if earlier. `null` if the
   * pace is not the recorded one, or the pass is incomplete.
   */
  delay_s: number | null,
  /** The longest time by which an operation began after it was due, whatever the reason. */
  behind_max_us: number | null,
  /**
   * The median lateness of Reelgauge itself: from when an operation was due and its dependencies were
   * completed until it began.
   */
  lateness_p50_us: number | null,
  /** The same: 99 of 100 operations were no later. */
  lateness_p99_us: number | null,
  /** The same: the latest operation. */
  lateness_max_us: number | null,
  /** Operations that completed. */
  done_ops: number,
  /** How many of these could not begin when they were due, because a previous one had not completed. */
  held_up_ops: number,
  /** The longest of these waits. */
  held_up_max_us: number,
  /**
   * Operations that began more than a millisecond late because of Reelgauge: it started them late, or
   * one that they depend on.
   */
  begun_late_ops: number,
  /**
   * Operations that began more than a millisecond late because the storage had not completed their
   * dependencies. `null` in runs of versions that did not count them.
   */
  storage_late_ops: number | null,
  /** Silences of the storage that delayed operations. */
  silences?: Array<ReplaySilence>,
  /** Operations whose result differs from the recording. */
  different_ops: number,
  /** The first of these, as text. */
  differences: Array<string>,
};

/** A silence of the storage that delayed a replay. */
export type ReplaySilence = {
  /** The time of the last answer before it, since the start of the run. */
  began_s: number,
  /** The same, since the start of the load point. */
  began_in_point_s: number,
  /** The same by the clock on the wall, RFC 3339. */
  began_at?: string,
  /** The time of the next answer, or when the operations in flight were given up. */
  ended_s: number,
  /** Its duration, without pauses of Reelgauge. */
  length_s: number,
  /**
   * Operations that were due before its end and completed after it; `null` if a user did not come
   * back.
   */
  delayed_ops: number | null,
  /** The longest response time of these. */
  longest_response_us: number | null,
};

/** The reads of one load point, by whether their bytes had been transferred before. */
export type Rereads = {
  /** Number of the load point. */
  point: number,
  /** Bytes of measured first reads, of every size. */
  first_read_bytes: number,
  /** Bytes of measured later reads, of every size. */
  later_read_bytes: number,
  /** The size class with the most reads of both kinds; `null` if no class has both. */
  compared: ComparedReads | null,
};

/** A run in the list. */
export type RunEntry = {
  /**
   * The name of its directory; for a run in a suite or a folder, with that name in front:
   * `SUITE/RUN`, `PROOF/SUITE/RUN`.
   */
  id: string,
  /** The command; `suite` for a suite of runs. */
  verb: string,
  /** The user's own name for it. */
  label: string,
  /** The directory that is measured. */
  target: string,
  /** RFC 3339; empty if unknown. */
  started_at: string,
  /** Whether it is in progress, or how it ended. */
  state: RunState,
  /** The first sentence of the answer; empty while it runs. */
  sentence: string,
  /** Whether the criteria were met; `null` without criteria. */
  verdict: Judgement | null,
  /** Why it is inconclusive; empty if it is not. */
  inconclusive: Array<InconclusiveReason>,
  /**
   * `true` if the criteria were met, `false` if they were not; `null` without criteria, and if
   * neither was shown.
   */
  passed: boolean | null,
  /** The count that a search found, otherwise the most that ran at once; `null` without streams. */
  streams: number | null,
  /** Late frames of all load points; `null` if no stream has frames. */
  late_frames: number | null,
  /** The highest rate of a load point, reads and writes together; `null` if nothing was measured. */
  bytes_per_s: number | null,
  /** The number of its hosts; 1 for a local run, 0 if unknown. */
  hosts: number,
  /** The size of all its files. */
  bytes_on_disk: number,
  /** The user's notes. */
  notes: RunNotes | null,
  /** The suite that it belongs to, by the name of its directory. */
  suite: string | null,
  /** For a suite: passes of each of its workloads. */
  passes: number | null,
};

/** One host. */
export type RunHost = {
  /** Its name. */
  agent: string,
  /** Its group, if it has one. */
  group: string | null,
  /** Where its test data was. */
  target: string | null,
  /** The network interface on the path to the storage; `null` if there is none, or if it is unknown. */
  interface: string | null,
  /** The number of its first worker. */
  first_worker: number,
  /** The number of its workers; their numbers are consecutive. */
  workers: number,
  /** The number of its first stream. */
  first_stream: number,
  /** The number of its streams; their numbers are consecutive. */
  streams: number,
  /** How far its clock was ahead of the reference clock. `null` if they were not compared. */
  clock_offset_us: number | null,
  /** The uncertainty of that. */
  clock_uncertainty_us: number | null,
  /** When it went missing. `null` if it was never missing, or the time is unknown. */
  missing_from_s: number | null,
  /** Why it is missing, or which part is missing. */
  why_missing: string | null,
  /** Whether its part of the run ended as planned. `null` if its results were not fetched. */
  is_complete: boolean | null,
  /** Whether the log contains all its operations. */
  log_complete: boolean,
};

/** `notes.json` in a run directory: the user's notes about a run and its storage. */
export type RunNotes = {
  /** The user's name for the run. */
  name: string,
  /** Words to find it by. */
  tags: Array<string>,
  /** Anything. */
  note: string,
  /** Who made the storage. */
  storage_make: string,
  /** Which storage it is. */
  storage_model: string,
  /** Its firmware or version. */
  storage_firmware: string,
  /** Anything else about it, by name: `raid`, `protocol`, … */
  storage_other: { [key in string]: string },
};

/** A run. */
export type RunPage = {
  /** Name of the run directory. */
  id: string,
  /** The texts around the number at the top. */
  hero: Hero,
  /** The first sentences of the terminal screen, in the same order. */
  answer: Array<Sentence>,
  /** The incidents of all load points as sentences, the worst of each first. */
  incidents: Array<IncidentSentence>,
  /** The notes of the summary, as on the terminal. */
  warnings: Array<string>,
  /** The next step, as in the terminal's last line. `null` if an earlier sentence already contains it. */
  next_step: string | null,
  /** The sections after the result, as blocks. */
  sections: Array<SectionBlocks>,
  /** `summary.json`, see `super.shorten`. */
  summary: Summary,
  /**
   * A sentence naming the parts of the summary that were omitted as too long; `null` if it is
   * complete.
   */
  shortened: string | null,
  /** The first client in one line. */
  client: string,
  /** The command that repeats this run. */
  again: string,
  /** The figures that only the log contains. */
  detail: Detail | null,
  /** Why there is no detail, as text. */
  why_no_detail: string | null,
  /** The counters sampled during the I/O, including those of observers. */
  counters: Counters | null,
  /** Events during the run that are known to disturb storage. */
  marks: Array<MarkWords>,
};

/** Whether a run is in progress, or how it ended. */
export type RunState =
  | "running"
  | "complete"
  | "interrupted"
  | "broke_off"
  | "killed"
  | "damaged"
  | "other_version";

/** The result of a search. */
export type SearchFacts = {
  /**
   * The things that were counted, as they read after a number: `players of prores-422-hq-uhd-25`,
   * `times newsroom`.
   */
  what: string,
  /** The result as text: `31 streams passed every time, 32 never.` */
  answer_sentence: string,
  /** The evidence as text: `31: 3 of 3; 32: 1 of 3`. */
  evidence_sentence: string,
  /**
   * The largest count that passed every trial, with no failure at any smaller count. `null` if there
   * is none.
   */
  streams: number | null,
  /** The largest count that ever passed. If it is more than `streams`, the storage is noisy. */
  at_most: number | null,
  /** The local host was the limit, not the storage: `streams` is no capacity of the storage. */
  limited_by_client: boolean,
  /** `false` if the search ended (time, trials, the cap, Ctrl-C) before both edges were certain. */
  complete: boolean,
  /** Why the search stopped early. `null` if it was complete or interrupted. */
  stopped_by?: StoppedBy,
  /** Every count that was tried, ascending. */
  trials: Array<TrialsAt>,
  /** The first failure at the smallest count that did not pass, as text. */
  failed_first?: string,
};

/** A heading with blocks below it. */
export type SectionBlocks = {
  /** Its name in links and in the page's navigation; empty in documents. */
  id: string, heading: string,
  /** One or two sentences about the content; may be empty. */
  about: string,
  /** The content below the heading. */
  blocks: Array<Block>,
};

/** The cost of Reelgauge itself over a run. */
export type SelfCost = {
  /** CPU time in Reelgauge's own code. `null` if the process was killed before it could report it. */
  cpu_user_s: number | null,
  /** CPU time in the kernel on behalf of Reelgauge; most of it is the I/O itself. */
  cpu_system_s: number | null,
  /** Both, per operation. `null` if there was no operation or the time is unknown. */
  cpu_us_per_op: number | null,
  /** 99 of 100 operations were issued no later than this after they were due. */
  lateness_p99_us: number | null,
  /** The latest. */
  lateness_max_us: number | null,
  /** The median response time of all reads and writes, with which the delay is compared. */
  response_p50_us: number | null,
  /** The largest scheduling delay of any stream's operation, pauses included. `null` without streams. */
  own_delay_max_us: number | null,
  /** The shortest buffer of any stream, with which the delay is compared. */
  shortest_buffer_s: number | null,
  /**
   * How long Reelgauge did not run at all while it measured: gaps of 0.1 s or more in which the work
   * was late, too. `null` if this was not monitored.
   */
  paused_s: number | null,
  /** The longest such pause. */
  longest_pause_s: number | null,
  /** Its start, since the start of the run. */
  longest_pause_began_s: number | null,
  /**
   * Whether Reelgauge's timing was good enough. With streams: its largest delay was below a quarter
   * of the shortest buffer and made no frame late. Other runs: 99 of 100 operations were issued
   * within 50 µs or a tenth of the median response, and it was stopped for at most 2 % of the time.
   * `null` if nothing was measured.
   */
  timing_good_enough: boolean | null,
  /** The same as a sentence. Empty before the summary is written out. */
  sentence: string,
};

/** A sentence of a result. */
export type Sentence = {
  /** Whether it is good, neutral or bad news. */
  tone: Tone,
  /** The sentence. */
  text: string,
};

/** The run in equal steps, from its start. Steps without operations are included, with zeros. */
export type Series = {
  /** Length of a step: 1, or a power of two of it for runs of more than six hours. */
  step_s: number,
  /** The steps, without a gap. */
  steps: Array<SeriesStep>,
};

/** One step of the series. */
export type SeriesStep = {
  /** When the step began, since the start of the run. */
  began_s: number,
  /** The highest load point that has a measured operation in it. */
  point: number | null,
  /** Measured operations of every kind. */
  ops: number,
  /** Operations of the warm-up; no other figure includes them. */
  warmup_ops: number,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Operations that failed. */
  errors: number,
  /** The longest response of a measured operation of any kind that succeeded. */
  max_response_us: number | null,
  /** When that operation was due, since the start of the run. */
  max_response_began_s: number | null,
};

/** The server. */
export type ServerSite = {
  /** The configured speed of its link to the switch. */
  link_mbit_per_s?: number,
  /** The kind of that link; Ethernet by default. */
  link_kind?: LinkSort,
  /** Its MTU; 1500 by default. */
  mtu_bytes?: number,
  /** Its memory. */
  memory_gib?: number,
};

/** Service times of operations: from issue to completion. */
export type ServiceFigures = {
  /** How many operations. */
  count: number,
  /** Their mean. */
  mean_us: number,
  /** Their standard deviation: of the whole population, not of a sample. */
  deviation_us: number,
  /** Half of them took no longer, to two digits. */
  median_us: number,
  /** 99 % of them took no longer, to two digits. */
  p99_us: number,
  /** The longest. */
  max_us: number,
  /** Counts by time, in steps of 1, 2 and 5; empty rows are omitted. */
  histogram: Array<ServiceRow>,
};

/** A row of the histogram of service times. */
export type ServiceRow = {
  /** The shortest time of this row. */
  from_us: number,
  /** The first time above the row. */
  below_us: number,
  /** Operations. */
  count: number,
};

/** A time in which a worker reported nothing. */
export type Silence = {
  /** Number of the worker. */
  worker: number,
  /** From when on, s from the beginning. */
  from_s: number,
  /** Duration, s. */
  seconds: number,
};

/** The description of a site. */
export type Site = {
  /** The server. */
  server?: ServerSite,
  /** The switch between it and its clients. */
  switch?: SwitchSite,
  /** The connection of its disks to the server. */
  backplane?: BackplaneSite,
  /** Its disks. */
  disks?: DisksSite,
  /** The size and the price of the whole system. */
  system?: SystemSite,
  /** The heading of a document about it. */
  document?: DocumentSite,
  /** Its bill of materials. */
  part?: Array<PartSite>,
};

/** A stream count divided by the parts of a site. */
export type SiteShares = {
  /** The count: the result of a search, the largest valid load point, or the streams that were played. */
  streams: number,
  /**
   * More may have been sustained: shares are lower bounds, and the price is an upper bound. Also set
   * for runs of earlier versions, which did not record it.
   */
  at_least: boolean,
  /** Streams per part, for each part whose number the site states. */
  per_unit: Array<PerUnit>,
  /** The price of one stream. `null` if the site states no price. */
  price_per_stream: number | null,
  /** The currency of the price. */
  currency: string | null,
};

/** A part of which a site has several. */
export type SiteUnit = "node" | "drive" | "core" | "client" | "rack_unit";

/** A size and how often it occurs. */
export type SizeCount = {
  /** The size. */
  bytes: number,
  /** Operations. */
  count: number,
};

/** Requested sizes of successful operations, without the warm-up. */
export type SizeCounts = {
  /** `read` or `write`. */
  kind: string,
  /** Ascending. */
  bytes: Array<number>,
  /** The number of operations of each size. */
  count: Array<number>,
  /** Whether sizes are rounded up to powers of two, because there are too many different ones. */
  rounded: boolean,
};

/** The sizes of reads or writes, in bytes. */
export type SizeFigures = {
  /** How many operations. */
  count: number,
  /** Their mean. */
  mean_bytes: number,
  /** Their standard deviation: of the whole population, not of a sample. */
  deviation_bytes: number,
  /**
   * Half of them are not larger. Exact for at most 65,536 different sizes, otherwise rounded down by
   * less than 0.1 %.
   */
  median_bytes: number,
  /** The smallest. */
  min_bytes: number,
  /** The largest. */
  max_bytes: number,
  /** Counts of sizes from each power of two to below the next; empty rows are omitted. */
  histogram: Array<SizeRow>,
  /** The most frequent sizes, the most frequent first. */
  frequent: Array<SizeCount>,
};

/** A row of the histogram of sizes. */
export type SizeRow = {
  /** The smallest size of this row: 0 or a power of two. */
  from_bytes: number,
  /** The first size above the row. */
  below_bytes: number,
  /** Operations. */
  count: number,
};

/** How a host differs from the others. */
export type StandsOut = {
  /** The figure that differs. */
  figure: HostFigure,
  /** Its value: bytes per second, or µs. */
  value: number,
  /** The median of its siblings. */
  siblings: number,
  /** The largest difference that chance explains, in percent. */
  noise_percent: number,
  /** Whether it is worse than its siblings. */
  is_worse: boolean,
};

/** The result of a start: one of both. */
export type StartAnswer = {
  /** The run. */
  id: string | null,
  /** Why there is none, as text. */
  error: string | null,
  /** The field that the error concerns; `null` if unknown. */
  field: string | null,
};

/** The main result. */
export type StatedNumber = { "of": "not_measured" } | { "of": "late_frames",
  /** The load point, as an index into the summary's load points. */
  point: number,
  /** The number of late frames. */
  late_frames: number,
  /** The number of judged frames. */
  frames_judged: number,
  /** Streams with late frames. */
  streams_with_late_frames: number,
  /** All streams. */
  streams: number,
} | { "of": "streams",
  /** The load point, as an index into the summary's load points. */
  point: number,
  /** Streams. */
  streams: number,
  /** The allowed number of late frames. */
  late_frames: number,
  /** Frames that were judged. */
  frames_judged: number,
} | { "of": "capacity",
  /** It passed every time. */
  streams: number,
  /** The largest count that passed sometimes, if it is larger. */
  sometimes: number | null,
  /** Why more may pass; `null` if the limit was found. */
  at_least: AtLeast | null,
} | { "of": "failed",
  /** The load point, as an index into the summary's load points. */
  point: number,
  /** The criterion. */
  criterion: Criterion,
} | { "of": "valid_point",
  /** Its number of streams; `null` if the first one is not valid. */
  streams: number | null,
} | { "of": "throughput",
  /** The load point, as an index into the summary's load points. */
  point: number,
  /** Reads and writes together. */
  bytes_per_s: number,
} | { "of": "first_look",
  /** The format, as an index into those of the check. */
  format: number,
  /** Streams that were played. `null` if that was not measured. */
  play: number | null,
  /** Streams that were recorded. `null` if that was not measured. */
  record: number | null,
} | { "of": "replay",
  /** The last pass, as an index into those of the replay. */
  pass: number,
  /** The number of complete passes. */
  complete_passes: number,
};

/** The statement of the run. */
export type Statement = {
  /** Whether the requirements were met. */
  judgement: Judgement,
  /** Why it is inconclusive; otherwise empty. */
  inconclusive?: Array<InconclusiveReason>,
  /** The main result. */
  number: StatedNumber,
  /** The cause: why the number is not better. `null` if nothing failed, or the cause is unknown. */
  cause: Cause | null,
  /** Confidence in the number. */
  confidence: Confidence,
  /** The next step. `null` if the sentence about what could not be measured names it. */
  next_step: NextStep | null,
  /**
   * The load point whose limit is reported, as an index into the summary's load points. `null` if
   * none is known.
   */
  limit_point?: number,
};

/** What ended a search before it had its result. */
export type StoppedBy = "time" | "trials" | "cap" | "room" | "own_files" | "one_process";

/** The user's description of the storage. Missing facts are `null`. */
export type StorageDetails = {
  /** Who made it. */
  make: string | null,
  /** Which one it is. */
  model: string | null,
  /** Its firmware or version. */
  firmware: string | null,
  /** Anything else about it, by name: `raid`, `protocol`, … */
  other: { [key in string]: string },
};

/** The path to a storage system. */
export type StoragePath = {
  /** The hops from the local host to the disks. */
  hops: Array<Hop>,
  /**
   * The index of the hop with the lowest capacity, of those whose capacity is known and was not
   * exceeded.
   */
  lowest: number | null,
  /** The load was mostly writes: capacities and rates are those of writing. */
  is_writing: boolean,
  /**
   * The link of this client for display: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`; empty if it is
   * unknown.
   */
  client_link: string,
  /**
   * How long the buffer of a client's switch port can absorb the full rate of the server's link.
   * `null` if that is unknown, or the client's link is not the slower one.
   */
  buffer_holds_us: number | null,
  /**
   * Random reads per second of all disks together: as stated for one disk, otherwise as typical for
   * its kind. `null` if neither is known.
   */
  disks_random_reads_per_s: number | null,
  /** The description of the site. */
  site: Site,
};

/** The state of the storage in an incident. Pauses of Reelgauge are excluded. */
export type StorageThen = {
  /** The behaviour in one word. */
  behaviour: Behaviour,
  /** The longest time in which operations were in flight and none completed. */
  no_answer_s: number | null,
  /** The start of that time. */
  no_answer_began_s: number | null,
  /**
   * Bytes received, as a share of the bytes that the streams needed in that time; may be above 1.
   * `null` if Reelgauge hardly ran.
   */
  answered_share: number | null,
  /**
   * The share of the time in which something was in flight. Delays and pauses of Reelgauge are
   * excluded from both.
   */
  busy_share: number | null,
  /** The longest operation: from its issue until Reelgauge saw its result. */
  longest_op_us: number | null,
};

/** One stream. */
export type StreamFigures = {
  /** Its stream number. */
  stream: number,
  /** A description of the stream. */
  name: string,
  /** Its kind. `null` if that is unknown. */
  kind?: StreamKind,
  /** The name of its format; `null` if unknown. */
  format?: string,
  /** The host that it ran on, in a run on several hosts. Otherwise `null`. */
  agent?: string,
  /** Whether it records; otherwise it plays. */
  writes: boolean,
  /** How it treats frames whose time has passed. */
  policy: Policy,
  /** How long it may lag. */
  buffer_s: number,
  /** Its nominal frame rate. */
  nominal_frames_per_s: number,
  /** When its first operation was due (t0). `null` for a stream that never began and has no figures. */
  began_s: number | null,
  /** Frames whose deadline is in the measured part. */
  frames_judged: number,
  /** Frames that arrived after their deadline, or never. */
  late_frames: number,
  /**
   * Late frames of which no operation completed: skipped by the stream (policy drop), not reached
   * before the end (policy stall), or in flight until the end.
   */
  dropped_frames: number,
  /** Late frames with an operation that failed or transferred less than requested. */
  failed_frames: number,
  /** Late frames of which a part never arrived. */
  unfinished_frames: number,
  /** Late frames that would have been in time without the scheduling delay of Reelgauge. */
  late_frames_with_own_delay: number,
  /** The frame that was closest to its deadline, or latest. */
  worst_margin: WorstMargin | null,
  /**
   * All but one in a hundred frames had this margin or more; negative when late. `null` without
   * frames, and if one in a hundred or more never arrived.
   */
  margin_p1_us: number | null,
  /**
   * Whether its margins shrank. `null` with too few frames to judge, or if playback restarted in
   * between.
   */
  margin_trend: MarginTrend | null,
  /** The first late frame. */
  first_late: FirstLateFrame | null,
  /** Runs of consecutive late frames. */
  late_runs: number,
  /** The first 100 of them. */
  first_late_runs: Array<LateRun>,
  /** The ten with most frames, worst first. */
  worst_late_runs: Array<LateRun>,
  /**
   * Times of judged frames that arrived, each as a whole: from when its first operation was due until
   * its last byte. Times of single operations are in the load point's `total.response`.
   */
  response: TimeFigures | null,
  /** The smallest mean throughput over the buffer time. */
  throughput: ThroughputFigures | null,
  /**
   * Frames completed per second of the time in which it transferred at its pace: the measured part
   * from its start on. For a player that had already filled its buffer, from when that was played
   * out.
   */
  frames_per_s: number | null,
  /** The same as a share of the nominal rate. */
  achieved_share: number | null,
  /** Operations of every kind per second of the same time. */
  ops_per_s: number | null,
  /** Bytes of completed frames per second of the same time. */
  bytes_per_s: number | null,
  /**
   * The scheduling delay of Reelgauge: how long operations waited although they were due and their
   * worker was free.
   */
  own_delay: LatenessFigures | null,
  /** Operations of frames that were already settled; no other figure of frames includes them. */
  ops_after_frame: number,
};

/** The kind of a stream with frames. */
export type StreamKind = "editor" | "player" | "recorder";

/** The first late frame of all streams, and its stream. */
export type StreamLateFrame = {
  /** The stream. */
  stream: number,
  /** The frame's number on the timeline. */
  frame: number,
  /** Its deadline, in seconds of the run. */
  deadline_s: number,
  /** Its deadline, in seconds of the load point. */
  deadline_in_point_s: number,
  /** Its lateness. `null` if it never arrived. */
  late_us: number | null,
  /** Whether it was never begun. */
  dropped: boolean,
  /** Whether one of its operations failed. */
  failed: boolean,
};

/** One stream. */
export type StreamStrip = {
  /** Its number. */
  stream: number,
  /** A description of the stream. */
  name: string,
  /** The smallest margin in each bin; see `PointStreams`. */
  min_margin_us: Array<number | null>,
  /** Late frames in each bin; see `PointStreams`. */
  late_frames: Array<number>,
};

/** All streams together. */
export type StreamTotals = {
  /** How many streams there are. */
  streams: number,
  /** The number of streams that never began. */
  streams_not_begun: number,
  /** The number of streams with late frames. */
  streams_with_late_frames: number,
  /** Frames whose deadline is in the measured part. */
  frames_judged: number,
  /** Frames that arrived after their deadline, or never. */
  late_frames: number,
  /** See `StreamFigures.dropped_frames`. */
  dropped_frames: number,
  /** See `StreamFigures.failed_frames`. */
  failed_frames: number,
  /** See `StreamFigures.unfinished_frames`. */
  unfinished_frames: number,
  /** See `StreamFigures.late_frames_with_own_delay`. */
  late_frames_with_own_delay: number,
  /** Runs of consecutive late frames, summed over the streams. */
  late_runs: number,
  /** The worst margin of all streams. */
  worst_margin: StreamWorstMargin | null,
  /** The late frame of all streams whose deadline came first. */
  first_late: StreamLateFrame | null,
  /** Response times of the frames of all streams. */
  response: TimeFigures | null,
  /** The scheduling delay of Reelgauge over all streams. */
  own_delay: LatenessFigures | null,
};

/** The worst margin, and whose it is. */
export type StreamWorstMargin = {
  /** The stream. */
  stream: number,
  /** Deadline − completion; negative when late. */
  margin_us: number,
  /** The frame's number on the timeline. */
  frame: number,
  /** Its deadline, in seconds of the run. */
  deadline_s: number,
  /** Its deadline, in seconds of the load point. */
  deadline_in_point_s: number,
  /** `false` for a frame that had not arrived when the measured part ended: it is at least this late. */
  has_come: boolean,
};

/** A suite. */
export type SuiteFacts = {
  /** Name of its directory. */
  id: string,
  /** Its name in charts: its tags that the others lack, else its storage, else its directory. */
  label: string,
  /** The suite's name: "naspt". */
  name: string,
  /** The target that was measured. */
  target: string,
  /** Passes of each workload. */
  passes: number,
  /** When operations were issued: "max", "recorded". */
  pace: string,
  /** The planned number of workloads. */
  wanted: number,
  /** Why it has fewer workloads than planned. */
  ended_early: string | null,
  /** The storage, as text. */
  storage: string | null,
  /** Tags to find it by. */
  tags: Array<string>,
  /** Its result, as a sentence. */
  sentence: string,
};

/** A suite. */
export type SuitePage = {
  /** Name of its directory. */
  id: string,
  /** The suite's name. */
  name: string,
  /** The directory that was measured. */
  target: string,
  /** Passes of each workload. */
  passes: number,
  /** The result, in a sentence. */
  sentence: string,
  /** Whether all of them are complete. */
  complete: boolean,
  /** Why not, if it was stopped. */
  ended_early: string | null,
  /** Its workloads in their order, including those that have not run yet. */
  rows: Array<SuiteRow>,
  /**
   * The geometric mean of the medians of the paper's workloads, or of the existing ones instead;
   * `null` unless each has one.
   */
  geometric_mean_bytes_per_s: number | null,
  /** The arithmetic mean of the same. */
  arithmetic_mean_bytes_per_s: number | null,
};

/** A workload of a suite. */
export type SuiteRow = {
  /** The workload's name. */
  workload: string,
  /** The run, by its name in the list; `null` if it has not ended. */
  run: string | null,
  /** The median of the passes that count; `null` if none does. */
  median_bytes_per_s: number | null,
  /** Each pass; `null` for one that does not count. */
  passes_bytes_per_s: Array<number | null>,
  /** Doubts about its run, in a word or two, the client's cache first; empty if it has not ended. */
  doubts: string,
};

/** The results of a workload in each suite. */
export type SuitesLine = {
  /** The name of the workload. */
  workload: string,
  /** The name of its group. */
  group: string,
  /** The median of its passes; `null` if no pass counts. */
  bytes_per_s: Array<number | null>,
  /** The ratios to the first suite. */
  times_first: Array<number | null>,
  /** Each pass of each suite; `null` for a pass that does not count. */
  passes_bytes_per_s: Array<Array<number | null>>,
  /** The doubts of its run, in one or two words; `-` for none. */
  doubts: Array<string>,
};

/** Means of a group in each suite. */
export type SuitesMeanLine = {
  /** The workloads that the means are taken over: `NASPT, 12 workloads`. */
  over: string,
  /** The geometric mean; `null` unless the suite has every workload of the group. */
  geometric_bytes_per_s: Array<number | null>,
  /** The arithmetic mean over the same workloads. */
  arithmetic_bytes_per_s: Array<number | null>,
  /** The geometric mean of the ratios to the first suite, over the workloads that both have. */
  geometric_times_first: Array<number | null>,
  /** The arithmetic mean of these ratios, as the paper's Table 2 prints it. */
  arithmetic_times_first: Array<number | null>,
  /** The number of workloads that both have. */
  compared: Array<number>,
};

/**
 * Suites side by side. Lists with an entry for each suite are in the order of `suites`; ratios are to
 * the first.
 */
export type SuitesPage = {
  /** The suites. */
  suites: Array<SuiteFacts>,
  /** The result: a sentence for a single suite, or one for each suite other than the first. */
  sentences: Array<string>,
  /** Reasons that make the suites hard to compare, or the figures doubtful. */
  cautions: Array<string>,
  /** A line for each workload. */
  rows: Array<SuitesLine>,
  /** Means of each group. */
  means: Array<SuitesMeanLine>,
};

/** Everything that a report shows. */
export type Summary = {
  /** The version of the file format; see `SCHEMA_VERSION`. */
  schema_version: number,
  /** Version of the program that wrote it. */
  tool_version: string,
  /** When the run started, RFC 3339. */
  started_at: string,
  /** The command: `mix`, `streams`, … */
  verb: string,
  /** The user's own name for the run; may be empty. */
  label: string,
  /** The run directory; `null` for a summary that was not made by a run. */
  run_dir: string | null,
  /** The storage as described by the user. Parts that were not given are `null`. */
  storage: StorageDetails,
  /** The user's tags, for finding the run. */
  tags: Array<string>,
  /**
   * The procedure that this run is a step of, and how it differs from the paper. `null` for a single
   * run, and in runs of earlier versions.
   */
  procedure?: ProcedureStep,
  /** How it ended. */
  outcome: Outcome,
  /** Why it did not complete. */
  outcome_reason: string | null,
  /** Where the test data is. */
  target: Target,
  /**
   * The seed of all random numbers. `jq` rounds numbers above 2^53; the plan file has the exact
   * value.
   */
  seed: number,
  /** The resolved plan as names and values, for display. */
  plan: { [key in string]: string },
  /** Direct or cached I/O: as requested and as detected. */
  effective_mode: EffectiveMode,
  /** The files used. */
  data_set: DataSet,
  /** The load points in the order in which they ran. */
  load_points: Array<LoadPoint>,
  /** Every second of the run. */
  series: Series,
  /** The operation log. */
  log: LogFacts,
  /** The result of verification; `null` if the run did not verify. */
  verify: VerifyFacts | null,
  /** The cost of Reelgauge itself. */
  self_cost: SelfCost,
  /** What to know before trusting the figures, the worst first. */
  notes: Array<Note>,
  /** The statement of the run: verdict, number, cause, confidence. `null` in unfinished summaries. */
  statement?: Statement,
  /**
   * Whether the criteria were met: the verdict of the first load point that failed, otherwise of the
   * last. `null` without criteria.
   */
  verdict: Verdict | null,
  /** The result of a search for the largest count. */
  search?: SearchFacts,
  /** The curve of a VDA-like run. */
  vda?: VdaFacts,
  /** Results of `check`. */
  check?: CheckFacts,
  /** The results of a replay. */
  replay?: ReplayFacts,
  /**
   * The memories that may have answered instead of the storage. `null` in a summary that was made
   * from a log alone.
   */
  memory?: MemoryFacts,
  /**
   * The network link to the storage, with its capacity. `null` if there is none, or it could not be
   * determined.
   */
  link?: LinkFacts,
  /** The samples of a watch, in which nothing is measured. */
  watch?: WatchFacts,
  /** The reports of the original Media Storage Meter's workers. */
  msmeter?: MeterFacts,
  /** Observers: samples of other hosts, added with `report --observer`. */
  observers?: Array<ObserverFacts>,
  /** Activities during the run that are known to disturb storage. They alone are not a cause. */
  marks?: Array<Mark>,
  /** The path to the disks with the capacity of each part. `null` if there is no network. */
  path?: StoragePath,
  /**
   * Its streams per node, drive, core, client and rack unit, and the price of one stream. `null` if
   * the site states none of these, or no streams were sustained.
   */
  site_shares?: SiteShares,
  /** The hosts that made it. `null` for a single host. */
  hosts?: HostsSection,
};

/** A rate that was measured for some seconds. MB = 10^6 bytes. */
export type SustainedRate = {
  /** The level that streams can rely on: the lower one, if there are two. */
  mb_per_s: number,
  /** Its uncertainty, up or down. */
  error_mb_per_s: number,
  /** Its development over time. */
  trend: RateTrend,
  /** How long that level lasted, at the end of the measurement; for a rate that rose, at its start. */
  held_s: number,
  /** The level of the other part, if there are two. */
  other_mb_per_s: number | null,
  /** The data that was transferred above the later level before it was reached. */
  burst_mb: number | null,
};

/** The switch. */
export type SwitchSite = {
  /** Maker and model. */
  model?: string,
  /** The buffer of a port. */
  buffer_per_port_kib?: number,
  /** Whether ports share the buffer. */
  buffer_is_shared?: boolean,
  /** Whether pause frames are enabled at the server's port. */
  flow_control_at_server?: boolean,
  /** Whether pause frames are enabled at the clients' ports. */
  flow_control_at_clients?: boolean,
};

/** The whole system. */
export type SystemSite = {
  /** Storage nodes. */
  nodes?: number,
  /** Processor cores of all of them. */
  cores?: number,
  /** Hosts that generate the load. */
  clients?: number,
  /** Rack units of the storage. */
  rack_units?: number,
  /** The price of the system. */
  price?: number,
  /** The currency of the price: `EUR`. */
  currency?: string,
};

/** Rows of cells below two header lines. */
export type Table = {
  /** Its caption, above the table on a page. */
  caption: string, columns: Array<Column>,
  /** The number of columns after the first one that also name the rows. */
  more_names: number,
  /**
   * The path of the figures of each row in `summary.json`: `vda.points.0`. Empty if they are not in
   * that file.
   */
  rows: Array<string>,
  /** Rows with bad news. */
  bad_rows: Array<number>,
};

/** Where the test data is. */
export type Target = {
  /** The path as given. */
  path: string,
  /** `nfs4`, `cifs`, `ext4`, … */
  fs_type: string | null,
  /** For display: `SMB 3.1.1 from nas1`. */
  description: string | null,
  /** The source of the mount: `//nas1/media`, `/dev/nvme0n1p2`. */
  source: string | null,
  /** The server, if there is one. */
  server: string | null,
  /** Mount options as the system states them. */
  mount_options: string | null,
  /** Other users own it or may write in it, and root confirmed this with `--shared-target`. */
  is_shared?: boolean,
};

/** The throughput of several targets together, compared with fewer of them. */
export type TargetScale = {
  /**
   * The load point with the fewest targets, of those the one with the highest throughput; an index
   * into the summary's load points.
   */
  from_point: number,
  /** The number of its targets. */
  from_targets: number,
  /** The load point with the most targets, of those the one with the highest throughput. */
  to_point: number,
  /** The number of its targets. */
  to_targets: number,
  /** The throughput of the first. */
  from_bytes_per_s: number,
  /** The throughput of the second. */
  to_bytes_per_s: number,
  /** The second ÷ the first. */
  factor: number,
};

/** The smallest mean throughput over the buffer time (EBU Tech 3362, 9.2(7)). */
export type ThroughputFigures = {
  /** The buffer time. */
  buffer_s: number,
  /** The smallest mean over it. */
  min_bytes_per_s: number,
  /** The start of that period, in seconds of the run. */
  min_began_s: number,
  /** The start of that period, in seconds of the load point. */
  min_began_in_point_s: number,
  /** The throughput that the application needs, if it was given. */
  needed_bytes_per_s: number | null,
  /** The start of the first period with less than that. */
  first_below_s: number | null,
};

/** A figure with its name, in large type. */
export type Tile = { name: string,
  /** The figure, with its unit. */
  text: string,
  /** A remark below it, in small type. */
  more: string,
  /** The path of the figure in `summary.json`; empty if it is not in that file. */
  path: string,
  /** `null` if it is neither good nor bad. */
  is_good: boolean | null,
  /** An explanation of the name. */
  help: string,
};

/** Equal bins of time. */
export type TimeAxis = {
  /** Start of the first bin. */
  from_s: Decimal,
  /** Width of a bin. */
  bin_s: Decimal,
  /** Number of bins; at most 1,200. */
  bins: number,
};

/** A distribution of times. Percentiles are good for three digits; the mean and maximum are exact. */
export type TimeFigures = {
  /** How many operations. */
  count: number,
  /** The arithmetic mean. */
  mean_us: number,
  /**
   * Standard deviation of the whole population, not of a sample, to three digits. `null` in summaries
   * of versions that did not compute it, and for times of frames.
   */
  deviation_us?: number,
  /** Half of them took no longer. */
  p50_us: number,
  /** 95 of 100 took no longer. */
  p95_us: number,
  /** 99 of 100 took no longer. */
  p99_us: number,
  /** 999 of 1000 took no longer. */
  p99_9_us: number,
  /** The longest. */
  max_us: number,
  /** When the longest began, since the start of the run. */
  max_began_s: number,
  /** When the longest began, since the start of the load point. */
  max_began_in_point_s: number,
};

/** Times of operations that succeeded, by kind. `null` for kinds without operations. */
export type TimesByKind = {
  /** Reads and writes together. */
  data: TimeFigures | null,
  /** Reads. */
  read: TimeFigures | null,
  /** Writes. */
  write: TimeFigures | null,
  /** Opening files. */
  open: TimeFigures | null,
  /** Closing files. */
  close: TimeFigures | null,
  /** Syncs. */
  sync: TimeFigures | null,
  /** Making files. */
  create: TimeFigures | null,
  /** Removing files. */
  unlink: TimeFigures | null,
  /** Asking for a file's size and times. */
  stat: TimeFigures | null,
  /** Asking whether a file may be read. */
  access: TimeFigures | null,
  /** Listing directories. */
  readdir: TimeFigures | null,
  /** Setting a file's size. */
  truncate: TimeFigures | null,
  /** Reserving room in a file. */
  allocate: TimeFigures | null,
  /** Renaming. */
  rename: TimeFigures | null,
  /** Making directories. */
  mkdir: TimeFigures | null,
  /** Removing directories. */
  rmdir: TimeFigures | null,
  /** Changing a file's times, owner or rights. */
  setattr: TimeFigures | null,
  /** All other kinds. */
  other: TimeFigures | null,
  /** Making hard links. */
  link: TimeFigures | null,
  /** Making symbolic links. */
  symlink: TimeFigures | null,
  /** Reading symbolic links. */
  readlink: TimeFigures | null,
};

/** Whether a sentence is good, neutral or bad news. */
export type Tone = "answer" | "plain" | "inconclusive" | "bad";

/** A trace's own description, from its `trace.json` and its log. */
export type TraceAbout = {
  /** Its name. */
  name: string,
  /** Its path. */
  path: string,
  /** A sentence about its content; may be empty. */
  about: string,
  /** How it was made: "record", "import strace", "synthetic"; "run" for a run. */
  made_by: string,
  /** The file that was imported, or the command that was recorded; may be empty. */
  source: string,
  /** When it was made, in RFC 3339; empty if unknown. */
  made_at: string,
  /** The level at which operations were captured: "application", "cache", "network", "block". */
  capture: string,
  /** Threads that requested operations; 0 if unknown. */
  threads: number,
  /** Operations that it could not capture. */
  blind_to: Array<string>,
  /** Warnings for users who rely on it. */
  warnings: Array<string>,
  /** Operations that were captured and not kept, by reason. */
  left_out: { [key in string]: number },
  /** Lines of the source that could not be understood. */
  malformed_lines: number,
  /** The first of them: line number, text, and the error. */
  first_malformed: Array<[number, string, string]>,
  /** The total of its reads and writes, as it states it; `null` if it does not. */
  moved: TraceMoved | null,
  /** The recorder's time per operation, without the time to reach it and return. */
  cost_ns_per_op: number | null,
  /** The time to reach the recorder and return per operation, measured before the recording. */
  round_trip_ns: number | null,
  /** For a synthetic trace: figure, published value, value of the trace, and the tolerance. */
  synthetic: Array<[string, number, number, number]>,
};

/** A trace of the library. */
export type TraceEntry = {
  /** The trace's name. */
  name: string,
  /** A description in a sentence; or what is wrong with it. */
  about: string,
};

/** The figures of a whole trace, over the selected period. */
export type TraceFigures = {
  /** The start of the period; `null` for the whole trace. */
  from_s: number | null,
  /** The end of the period. */
  to_s: number | null,
  /** When the first operation was issued, since the start of the trace. */
  first_issued_s: number,
  /** Time from then until the last operation completed. */
  span_s: number,
  /** Operations of every kind. */
  ops: number,
  /** Failed operations. */
  failed_ops: number,
  /** Operations of a run's warm-up; no other figure includes them. */
  warmup_ops: number,
  /** Reads and writes that did not fail. */
  accesses: number,
  /** Reads among them. */
  reads: number,
  /** Writes among them. */
  writes: number,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Bytes read ÷ span. */
  read_bytes_per_s: number | null,
  /** Bytes written ÷ span. */
  written_bytes_per_s: number | null,
  /** Accesses that begin where the previous access of the whole trace ended, in the same file. */
  sequential_accesses: number,
  /** Their share of all accesses. */
  sequential_percent: number | null,
  /** Accesses that begin where the last access to the same file ended. */
  sequential_in_file_accesses: number,
  /** Their share of all accesses. */
  sequential_in_file_percent: number | null,
  /** Operations that the system did itself for a copy. */
  copied_ops: number,
  /** Operations through memory maps. */
  mapped_ops: number,
  /** Reads that returned nothing, at the end of the file. */
  reads_at_the_end: number,
  /** Accesses that transferred something, but less than requested. */
  short_ops: number,
  /** Sizes of reads, as transferred. */
  read_sizes: SizeFigures | null,
  /** Sizes of writes, as transferred. */
  write_sizes: SizeFigures | null,
  /** Service times of reads. */
  read_service: ServiceFigures | null,
  /** Service times of writes. */
  write_service: ServiceFigures | null,
  /** Kinds of operations that occur. */
  by_kind: Array<KindFigures>,
  /** What failed, the most frequent first. */
  errors: Array<ErrorCount>,
  /** The number of files. */
  files: FilesTouched,
};

/** The total of a trace's reads and writes, as its maker counted it. */
export type TraceMoved = {
  /** Reads that did not fail. */
  reads: number,
  /** Bytes of these reads. */
  read_bytes: number,
  /** Writes that did not fail. */
  writes: number,
  /** Bytes of these writes. */
  written_bytes: number,
};

/** The period in equal bins. An access counts in the bin where it completed. */
export type TraceOverTime = {
  /** Where the first bin begins, since the start of the trace. */
  from_s: number,
  /** Length of a bin: 1, 2 or 5 times a power of ten. */
  bin_s: number,
  /** The bins, without a gap. */
  bins: Array<OverTimeBin>,
};

/** A trace. */
export type TracePage = {
  /** Name of its directory. */
  id: string,
  /**
   * The output of `reelgauge report TRACE --json`, without the maps of the files: those in
   * `Detail.maps` are better.
   */
  report: TraceReport,
  /** The page's sections, as blocks; the first is the result. */
  sections: Array<SectionBlocks>,
  /** The figures that only the log contains. */
  detail: Detail,
};

/** Everything that a report of a trace shows. */
export type TraceReport = {
  /** `TRACE_REPORT_VERSION`. */
  trace_report_version: number,
  /** The trace's own description. */
  about: TraceAbout,
  /** All operations together. */
  figures: TraceFigures,
  /** The files with the most bytes. */
  files: Array<FileFigures>,
  /** Operations and bytes over time. */
  over_time: TraceOverTime,
  /** Signs of fragmented files. */
  signs: FragmentSigns,
};

/** All trials of one count. */
export type TrialsAt = {
  /** The count. */
  streams: number,
  /** Trials that passed. */
  passed: number,
  /** Trials that failed because of the storage. */
  failed: number,
  /** Trials that failed because of the client. */
  client_limited: number,
  /** Trials that were begun and not finished. */
  unfinished?: number,
};

/** Operations that had not completed when a load point was given up. */
export type Unanswered = {
  /** Threads that waited for one operation each, or for several at once. */
  threads: number,
  /**
   * How long the oldest of them had been in flight. Throughput includes that time as far as it was
   * measured.
   */
  for_s: number,
};

/** The load curve, with everything that limits its meaning. */
export type VdaFacts = {
  /** "VDA-like …": the label of everything that shows these figures. */
  label: string,
  /** How data set and times compare with the published definition, as text. */
  data_set_note: string,
  /** The load points, in the order in which they ran. */
  points: Array<VdaPoint>,
  /**
   * The largest load point before the first that is not valid. `null` if the first one is not valid,
   * and in runs of earlier versions.
   */
  streams: number | null,
  /** Its total in the unit of published results, KiB/s ÷ 1000. */
  published_mb_per_s: number | null,
  /** The overall response time. `null` if there is no curve to compute it from. */
  overall_response_time_ms: number | null,
  /**
   * Why there is no overall response time, or why it cannot be compared with a published one; `null`
   * if it can.
   */
  ort_note: string | null,
  /** The last load point before the response time turns upwards, as an index into `points`. */
  knee_point: number | null,
  /** Steps between load points that differ by more than 30 % from the mean step, as text. */
  uneven_steps: Array<string>,
};

/** One load point of the curve. */
export type VdaPoint = {
  /** Streams, each one camera and one companion. */
  streams: number,
  /** The requested rate of all processes together. */
  requested_ops_per_s: number,
  /** The achieved rate. */
  achieved_ops_per_s: number,
  /** Mean response time of all transfers of both component workloads. `null` if none completed. */
  mean_response_ms: number | null,
  /** Bytes written; MiB = 2^20. */
  written_mib_per_s: number | null,
  /** Bytes read; MiB = 2^20. */
  read_mib_per_s: number | null,
  /**
   * Read and written together in the unit of published results, KiB/s ÷ 1000. `null` if it was not
   * measured, and in runs of earlier versions.
   */
  published_mb_per_s: number | null,
  /** Every process, all processes together, and the ratio of the component workloads met their limits. */
  valid: boolean,
  /** Why it is not valid, as text. */
  why_not?: string,
};

/** Whether a load point met its criteria. */
export type Verdict = {
  /** Whether everything required was measured and met. */
  passed: boolean,
  /** The failure that came first in time. */
  failed_first: Failure | null,
  /**
   * Every failure in order of time; those without a time come after those with one, and those that
   * were not measured last.
   */
  failures: Array<Failure>,
  /** The required criteria. */
  asked: Array<Criterion>,
  /**
   * The storage failed at least one criterion: this was measured, and Reelgauge's scheduling delay
   * does not explain it.
   */
  storage_failed: boolean,
};

/** Whether a verdict is good or bad. */
export type VerdictTone = "good" | "unsure" | "bad" | "plain";

/** A verdict, and whether it is good or bad. */
export type VerdictWord = {
  /** `criteria met`. */
  word: string,
  /** Its sign and colour. */
  tone: VerdictTone,
};

/** The result of verification. */
export type VerifyFacts = {
  /** Bytes that were compared with what had been written. */
  checked_bytes: number,
  /** Bytes that differed. */
  different_bytes: number,
  /** The place of the first difference, as text. */
  first_difference: string | null,
};

/** The counters that were sampled without a measurement. */
export type WatchFacts = {
  /** The host, by the name of its directory in `counters/`. */
  agent: string,
  /** From the first sample to the last. */
  watched_s: number,
  /** The number of sample rounds. */
  looks: number,
  /** The counters, the most informative first. */
  counters: Array<WatchedCounter>,
  /** What could not be sampled, as text. */
  unread: Array<string>,
};

/** One counter of a watch. */
export type WatchedCounter = {
  /** `host`, `network`, `disk`, `mount` or `tool`. */
  layer: string,
  /** As in the log: `util_percent`. */
  name: string,
  /** Name of the device if there are several; empty if there is one. */
  device: string,
  /** For display, without the unit: "sda busy". */
  words: string,
  /** `percent`, `bytes_per_s`, `per_s`, `us`, `bytes`, `count`. */
  unit: string,
  /** The mean over the time in which it was sampled. */
  mean: number,
  /** The largest sample. */
  largest: number,
  /** When that was, in seconds since the watch began. */
  largest_at_s: number,
};

/** Why a cache may have answered. */
export type WhySuspected =
  | "just_written"
  | "fits_server_memory"
  | "used_before"
  | "read_again"
  | "fits_client_memory"
  | "loop_file";

/** The actors of one kind, with the properties that matter in a comparison. */
export type WorkActor = {
  /** `player`, `mix`, `replay`, … */
  kind: string,
  /** The format, footage or trace that they use; empty if there is none. */
  media: string,
  /** How many there are in each unit of scale. */
  count: number,
  /** Whether a clock sets the times of their requests. If so, their throughput is the requested rate. */
  paced: boolean,
};

/** The figures of one worker. */
export type WorkerFigures = {
  /** Its number. */
  worker: number,
  /**
   * The paper's tables of this worker alone, without the cells for which it measured nothing. `null`
   * if there are no random block sizes.
   */
  paper?: PaperTables,
  /** Measured operations of every kind, including failed ones. */
  ops: number,
  /** Failed operations. */
  failed_ops: number,
  /** The measured operations by kind. */
  ops_by_kind: OpsByKind,
  /** Operations of the warm-up. They are in no other figure. */
  warmup_ops: number,
  /** Transfers that completed without a failure. */
  transfers: number,
  /** Transfers that did not: cut off by the end or by the warm-up, or with a failed operation. */
  transfers_left_out: number,
  /**
   * Reads and writes that succeeded but transferred less than requested. They end the run, except in
   * a replay, and no time here includes them.
   */
  short_transfers: number,
  /** The writes among these. `null` in summaries of versions that did not separate them. */
  short_writes: number | null,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Throughput: bytes read ÷ measured time. `null` if that time is 0. */
  read_bytes_per_s: number | null,
  /** Throughput: bytes written ÷ measured time. */
  written_bytes_per_s: number | null,
  /** Both together. */
  bytes_per_s: number | null,
  /** Reads and writes that succeeded ÷ measured time. */
  data_ops_per_s: number | null,
  /** From when operations were due until they completed: the latency that an application sees. */
  response: TimesByKind,
  /** From when operations were issued until they completed: the time of the storage. */
  service: TimesByKind,
  /**
   * Time from when operations were due *and their worker was free* until they were issued: the
   * scheduling delay of Reelgauge.
   */
  lateness: LatenessFigures | null,
  /** The failures, by error number. */
  errors: Array<ErrorFigures>,
  /** The failure that came first. */
  first_error: FirstError | null,
};

/** The margin of a frame: how close it was to its deadline. */
export type WorstMargin = {
  /** Deadline − completion; negative when late. */
  margin_us: number,
  /** The frame's number on the timeline. */
  frame: number,
  /** Its deadline, in seconds of the run. */
  deadline_s: number,
  /** Its deadline, in seconds of the load point. */
  deadline_in_point_s: number,
  /** `false` for a frame that had not arrived when the measured part ended: it is at least this late. */
  has_come: boolean,
};

/** A file that a pass of a replay wrote, and its extents. */
export type WrittenPieces = {
  /** Index of the load point of the pass. */
  point: number,
  /** Its name in the trace. */
  file: string,
  /** Bytes. */
  size_bytes: number,
  /** The number of extents. */
  pieces: number,
  /** The mean size of an extent. */
  piece_bytes: number,
};
