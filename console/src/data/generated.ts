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

/** What disks are plugged into. */
export type BackplaneSite = {
  /** How it is connected to the server. */
  bus?: Bus,
  /** Of SAS 1 to 4, of SATA 1 to 3, of PCIe 1 to 7. */
  generation?: number,
  /** How many lanes lead to the server. */
  lanes?: number,
};

/** How the storage behaved in an incident, as its answers tell. */
export type Behaviour = "no_answer" | "failed" | "slow" | "single_slow_ops" | "usual" | "not_known";

/** Which direction is good. */
export type Better = "higher" | "lower" | "neither";

/** A piece of a document. */
export type Block = { "kind": "heading", "of": string } | { "kind": "paragraph", "of": Sentence } | { "kind": "warning", "of": string } | { "kind": "rows", "of": Array<[string, string]> } | { "kind": "tiles", "of": Array<Tile> } | { "kind": "table", "of": Table } | { "kind": "page_chart", "of": string } | { "kind": "points", "of": Array<PointBlocks> } | { "kind": "folded", "of": SectionBlocks } | { "kind": "diagram", "of": Array<HopWords> } | { "kind": "command", "of": string } | { "kind": "text", "of": string } | { "kind": "missing", "of": Array<string> };

/** A bus. */
export type Bus = "sas" | "sata" | "pcie";

/** What shows that a cache answered. */
export type CacheEvidence = { "kind": "target_is_memory" } | { "kind": "client_counted",
  /** Share of what was read, 0 to 1. */
  share: number,
} | { "kind": "later_reads_faster",
  /** In which load point. */
  point: number,
  /** Both. */
  reads: ComparedReads,
};

/** Whether a cache answered reads. */
export type CacheSuspicion = { "finding": "not_suspected" } | { "finding": "may_have_answered",
  /** Why; the first weighs most. */
  why: Array<WhySuspected>,
} | { "finding": "answered",
  /** What shows it. */
  evidence: CacheEvidence,
};

/** Why the number is not better. */
export type Cause = {
  /** Whose it was. */
  culprit: Culprit,
  /** The load point, as an index into the summary's. */
  point: number,
  /**
   * The incident with most late frames, as an index into those of the load point. `null` without
   * incidents.
   */
  incident: number | null,
  /** How many incidents there were. */
  incidents: number,
};

/** What a count rests on. */
export type CheckBasis = "held" | "sustained_rate" | "short_trial";

/** A count of streams without a late frame and with margins that did not fall. */
export type CheckCount = {
  /** So many. */
  streams: number,
  /** There may be more: the search was cut short, or this machine was its limit. */
  at_least: boolean,
  /** By how many the count may be off, up or down. `null` of a lower bound (`at_least`). */
  error_streams: number | null,
  /** What so many streams need together. */
  mb_per_s: number,
  /** What ended the search, in words: `the storage`, `this machine`, `the time for this look`. */
  limited_by: string,
  /** The same as data. */
  limit?: CountLimit,
  /** What the count rests on. `null` in runs of earlier versions. */
  basis?: CheckBasis,
  /** How long so many streams were held, in their longest trial. */
  held_s?: number,
  /** Other counts imply more, and a second trial confirmed this limit. */
  own_limit?: boolean,
};

/** Results of `check`. MB = 10^6 bytes. */
export type CheckFacts = {
  /** What is mounted there: `NFS 4.2 from nas1`, `ext4 on /dev/nvme0n1p2`. */
  mount: string,
  /** The link: `eth0, 10 Gbit/s`. `null` for local storage, and where it is unknown. */
  link?: string,
  /** The most file data that such a link transfers. `null` where the link is unknown. */
  line_rate_mb_per_s?: number,
  /** What this client sustained reading in order, four files at a time. */
  sequential_read_mb_per_s: number | null,
  /** What it sustained writing in order, four files at a time. */
  sequential_write_mb_per_s: number | null,
  /** How the rate of sequential reads developed. `null` in runs of versions that did not look. */
  sequential_reads?: SustainedRate,
  /** The same of sequential writes. */
  sequential_writes?: SustainedRate,
  /** This client reading 64 KiB at random places, four at a time. */
  random_read_mb_per_s: number | null,
  /** 99 of 100 of those reads took no longer. */
  random_read_ms_p99: number | null,
  /** Everyday formats, each measured at its limit. */
  formats: Array<CheckFormat>,
  /** Which counts others contradict that were not tried again, in words. Their limits are unknown. */
  unsteady?: string,
  /** What limits it first, in words. */
  limit: string,
  /** Whose that limit is. `null` where it is unknown. */
  limit_culprit?: Culprit,
  /** The doctor's rule to follow first. `null` where none applies. */
  hint?: CheckHint,
  /** Free space on the storage. */
  free_bytes?: number,
  /** Its share of all, 0 to 1. */
  free_share?: number,
  /** What to do next: only in runs of earlier versions. */
  next_step?: string,
  /** How long all of that took. */
  looked_s: number,
};

/** How many streams of one format were carried. */
export type CheckFormat = {
  /** Its name in the catalogue: `prores-422-hq-uhd-25`. */
  id: string,
  /** The same for display: `Apple ProRes 422 HQ UHD 25p`. */
  name: string,
  /** What one stream of it needs. */
  needed_mb_per_s_each: number,
  /** Streams that were played. `null` where that was not measured. */
  play: CheckCount | null,
  /** Streams that were recorded. `null` where that was not measured. */
  record: CheckCount | null,
};

/** A rule of the doctor that the client or its mount breaks. */
export type CheckHint = {
  /** The rule: `nfs.rsize_wsize`. */
  rule: string,
  /** What was found, and what to do. */
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

/** How a file was read in order. */
export type ColdReads = {
  /** The file. */
  path: string,
  /** Reads that were looked at. */
  reads: number,
  /** The median of their service times. */
  median_us: number,
  /** Two peaks of the service times, if there are two: the faster and the slower. */
  peaks_us: [number, number] | null,
  /** Share of reads in the slower peak. */
  slower_percent: number | null,
  /** Share of reads that took more than four times the median. */
  slow_percent: number,
  /** Such reads per MB (10^6 bytes) read. */
  slow_per_mb: number,
  /** The distance in the file at which slow reads repeat, if they do. */
  period_bytes: number | null,
  /** How much alike the row of slow reads is to itself at that distance, 0 to 1. */
  period_alike: number | null,
};

/** A column of a table. */
export type Column = {
  /** Name above unit; the upper one may be empty. */
  header: [string, string], cells: Array<string>,
  /** Words stand to the left, numbers to the right. */
  is_words: boolean,
  /** The field of its figures, below `Table.rows`; empty where they are not in `summary.json`. */
  path: string,
  /** What the name means, where it is short. */
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

/** What came of the streams of one load point in one run. */
export type ComparedLate = {
  /** The load point, as `ComparisonRow.group` has it. */
  group: string,
  /** The run, from 0. */
  run: number,
  /** How long was measured. */
  measured_s: number,
  /** How many streams had frames. */
  streams: number,
  /** How many of them had late ones. */
  streams_with_late_frames: number,
  /** Frames whose deadline lay in the measured part. */
  frames_judged: number,
  /** Those of them that were late. */
  late_frames: number,
  /** Disturbances that made them late. */
  incidents: number,
  /** The one that cost most frames; `null` where there was none. */
  worst_incident: ComparedIncident | null,
};

/** First and later reads of one size. */
export type ComparedReads = {
  /** The reads were at least so long, and less than twice that. */
  read_bytes_from: number,
  /** Of bytes that the run had not moved before. */
  first: ReadTimes,
  /** Of bytes that it had. */
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
  /** When it started, RFC 3339; empty where nobody wrote it down. */
  started_at: string,
  /** Where the data lay. */
  target: string,
  /** Runs with the same number repeat one another and are taken together; 0 is the side of the first run. */
  side: number,
  /** Who worked; empty where that is not known. */
  work: Array<WorkActor>,
  /** It looked for the largest number of streams, instead of running a given one. */
  searches: boolean,
  /** How it is related to the first run. */
  kinship: Kinship,
  /** Where its plan differs from that of the first run. */
  plan_differences: Array<PlanDifference>,
  /** Words to find it by. */
  tags: Array<string>,
  /** Those of them that not all sides have: what tells it from the others. Empty where none does. */
  distinguishing_tags: Array<string>,
  /** What was measured, and from where. */
  system: ComparedSystem,
  /** Why it is inconclusive; empty where it is not. */
  inconclusive?: Array<InconclusiveReason>,
};

/** A storage and the client that measured it. What nobody found out or wrote down is `null`. */
export type ComparedSystem = {
  /** Who made the storage, as people say. */
  make: string | null,
  /** Which storage it is, as people say. */
  model: string | null,
  /** Its firmware or version, as people say. */
  firmware: string | null,
  /** Anything else that people say of it, by name. */
  other: { [key in string]: string },
  /** For display: `SMB 3.1.1 from nas1`. */
  protocol: string | null,
  /** `nfs4`, `cifs`, `ext4`, … */
  fs_type: string | null,
  /** The mounted thing. */
  source: string | null,
  /** Mount options as the system states them. */
  mount_options: string | null,
  /** Host name of the client; of the first one, where there are several. */
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

/** A comparison with its words. */
export type Comparison = {
  /** What the runs carry, in one line; `null` where they have no such figure in common. */
  headline: string | null,
  /** What makes the runs hard to compare. */
  cautions: Array<string>,
  /** The answer: what became better, what worse, what is within the noise. */
  sentences: Array<Sentence>,
  /** The runs, in the order given. */
  runs: Array<ComparedRun>,
  /** Their figures: those of the whole run, then load point by load point. */
  rows: Array<ComparisonRow>,
  /** What came of the streams of every load point that has some. */
  late: Array<ComparedLate>,
};

/** What is to be made of a figure. */
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
  /** For people, with the unit of `texts`: `read, MB/s`. */
  label: string,
  /** The unit of `values`. */
  unit: FigureUnit,
  /** Which direction is good. */
  better: Better,
  /** What was measured; `null` where it was not. */
  values: Array<number | null>,
  /** The same as the terminal prints them; `-` where there is none. */
  texts: Array<string>,
  /**
   * Against the first run, or that of a side's mean against the first side's mean. `null` for the first
   * side, and where one of the two is missing or the first is 0.
   */
  change_percent: Array<number | null>,
  /** Differences smaller than this say nothing; `null` where it can't be told, or not in percent. */
  noise_percent: Array<number | null>,
  /** What is to be made of it. */
  judgement: Array<ComparisonJudgement>,
};

/** Confidence in the number. */
export type Confidence = {
  /** What makes it less sure, the worst first; empty where nothing does. */
  doubts: Array<Doubt>,
};

/** What ended a count. */
export type CountLimit = { "culprit": Culprit } | "storage_or_others" | "contradicted" | "time" | "stopped";

/** The counters of one machine. */
export type CounterAgent = {
  /** Its name. */
  agent: string,
  /** It is no machine of the run, but one that was put beside it: a server, an array, a switch. */
  is_observer?: boolean,
  /** What it sampled. */
  series: Array<CounterSeries>,
  /** What is not here, and why, in words. */
  notes: Array<string>,
};

/** One counter over time. */
export type CounterSeries = {
  /** `host`, `network`, `disk`, `mount`, `tool` or `other`. */
  layer: string,
  /** As in the log: `cpu_busy_percent`, `rx_bytes_per_s`. */
  name: string,
  /** Which of several: `eth0`, `nvme0n1`; empty where there is one. */
  device: string,
  /** For people: "eth0 received". */
  words: string,
  /** The same with the unit: "eth0 received, MB/s". */
  label: string,
  /** `percent`, `bytes_per_s`, `per_s`, `us`, `bytes`, `count`. */
  unit: string,
  /** When, in seconds since the start of the run. */
  at_s: Array<number>,
  /** What was found then; `null` where nothing was. */
  value: Array<number | null>,
};

/** The counters of a run. */
export type Counters = {
  /** One for each machine that sampled. */
  agents: Array<CounterAgent>,
};

/** One thing that is judged. */
export type Criterion =
  | "late_frames"
  | "failed_ops"
  | "p99_response"
  | "buffer_throughput"
  | "margins"
  | "worker_rate"
  | "global_rate"
  | "ratio";

/** Who an incident or a failed load point is booked to. */
export type Culprit = "tool" | "this_machine" | "max_rate" | "link" | "storage" | "not_known";

/** The files used. */
export type DataSet = {
  /** How many. */
  files: number,
  /** Size of each. */
  file_size_bytes: number,
  /** Whether they were there already. */
  reused: boolean,
};

/** A number of a page. Written as a whole number where it is one, and as `null` where it is none at all. */
export type Decimal = number;

/** What a page tells of a log. Times are seconds since the start of the run. */
export type Detail = {
  /** Operations in the log. */
  ops: number,
  /** What is meant by latency here. */
  measure: Measure,
  /** The bins of `Detail.over_time` and `Detail.latency`. */
  time: TimeAxis,
  /** What was done when. */
  over_time: OverTime,
  /** How long it took when. */
  latency: LatencyGrid,
  /** One curve for each kind of operation that happened. */
  percentiles: Array<PercentileCurve>,
  /** Sizes that were asked for. */
  sizes: Array<SizeCounts>,
  /** The slowest operations, slowest first, without those of the warm-up. */
  worst: OpColumns,
  /** Operations in order of issue. */
  listed: OpColumns,
  /** Whether these are all. */
  listed_all: boolean,
  /** Names of the files that occur above and below, by number. Long names are cut, with an ellipsis. */
  file_names: { [key in number]: string },
  /** The files with the most bytes. */
  files: FileRows,
  /** Where in the files with the most accesses data were read and written, and when. */
  maps: Array<FileMap>,
  /** Each load point that had streams with frames. */
  streams: Array<PointStreams>,
  /** What each host did when; `null` where one host made the run. */
  hosts: HostsOverTime | null,
};

/** A kind of disk, with its plug. */
export type DiskKind = "hdd-sata" | "hdd-sas" | "ssd-sata" | "ssd-sas" | "nvme";

/** The disks. */
export type DisksSite = {
  /** What they are. */
  kind?: DiskKind,
  /** How many, without spares. */
  count?: number,
  /** What one of them is known to read or write in a row. */
  each_mb_per_s?: number,
  /** How they are put together. */
  raid?: Raid,
  /** Number of groups, each with its own parity; one by default. */
  groups?: number,
  /** How many reads at random places one of them does in a second. */
  each_random_reads_per_s?: number,
};

/** What a document to hand over is headed with. */
export type DocumentSite = {
  /** Its title. */
  title?: string,
  /** For whom it is. */
  customer?: string,
  /** Where the storage is. */
  place?: string,
  /** Who measured. */
  author?: string,
  /** Anything else. */
  note?: string,
};

/** Something that makes the number less sure. */
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

/** Past the client's cache, or not. */
export type EffectiveMode = {
  /** What was asked: `direct`, `cached`. */
  asked: string,
  /** What it really was. */
  found: string,
  /** The same in words, when it matters; else empty. */
  sentence: string,
  /** Share of the data set in this machine's cache before the run, 0 to 1. */
  cached_share_before: number | null,
  /** The same after it. */
  cached_share_after: number | null,
};

/** An error and how often it occurred. */
export type ErrorCount = {
  /** Its number. */
  errno: number,
  /** Its name: `ENOENT`; the number where it has none. */
  name: string,
  /** The kind of operation that failed. */
  kind: string,
  /** How often. */
  count: number,
};

/** Failures with one error number. */
export type ErrorFigures = {
  /** The operating system's number. */
  errno: number,
  /** What the number means on the system that made these figures. */
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
  /** Which. */
  criterion: Criterion,
  /** `false` where nothing was measured that could have met it. */
  measured: boolean,
  /** The stream, where it is one stream's failure. */
  stream: number | null,
  /** The worker, where it is one worker's failure. */
  worker: number | null,
  /** When it failed, since the start of the run; `null` for figures of the whole load point. */
  at_s: number | null,
  /** The same since the start of the load point. */
  at_in_point_s: number | null,
  /** The limit: frames, operations, ms, MB/s or a share, as the criterion is. */
  limit: number,
  /** What was found, in the same unit. */
  found: number | null,
  /**
   * The limit would have been met without the scheduling delay of Reelgauge: this is no statement
   * about the storage.
   */
  because_of_tool: boolean,
  /** All of that in words. */
  sentence: string,
};

/** Writes that began far behind the end of a file. */
export type FarWrites = {
  /** The file. */
  path: string,
  /** How many. */
  writes: number,
  /** How far behind the end the furthest began. */
  gap_bytes: number,
  /** How long the longest took. */
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
  /** Operations of every kind that were measured, failed ones included. */
  ops: number,
  /** Those that failed. */
  failed_ops: number,
  /** The same by kind. */
  ops_by_kind: OpsByKind,
  /** Operations of the warm-up. They are in no other figure. */
  warmup_ops: number,
  /** Transfers that ran to their end without a failure. */
  transfers: number,
  /** Transfers that did not: cut off by the end or the warm-up, or with a failed operation. */
  transfers_left_out: number,
  /**
   * Reads and writes that succeeded but moved less than requested. They end the run, except in a replay,
   * and are in no time here.
   */
  short_transfers: number,
  /** The writes among them. `null` in summaries of versions that did not tell them apart. */
  short_writes: number | null,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Throughput: bytes read ÷ measured time. `null` where that is 0. */
  read_bytes_per_s: number | null,
  /** Throughput: bytes written ÷ measured time. */
  written_bytes_per_s: number | null,
  /** Both together. */
  bytes_per_s: number | null,
  /** Reads and writes that succeeded ÷ measured time. */
  data_ops_per_s: number | null,
  /** From when operations were due until they were done: what an application would have felt. */
  response: TimesByKind,
  /** From when operations were issued until they were done: what the storage took. */
  service: TimesByKind,
  /**
   * Time from when operations were due *and their worker was free* until they were issued: the
   * scheduling delay of Reelgauge.
   */
  lateness: LatenessFigures | null,
  /** What failed, by error number. */
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
  /** How far it reached at the end, as far as the trace tells. */
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
  /** Where in the file it was read and written, and when. */
  map: OffsetMap | null,
};

/** Where in a file the application was, and when. */
export type FileMap = {
  /** Its number. */
  file: number,
  /** How far it reached, as far as is known. */
  end_bytes: number,
  /** Coarse to fine. */
  levels: Array<MapLevel>,
  /** Every access, where they are few. */
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
  /** Share of accesses that begin where the last one to the same file ended. */
  sequential_percent: Array<Decimal | null>,
  /** Mean service time of accesses. */
  mean_service_us: Array<Decimal | null>,
  /** The longest. */
  max_service_us: Array<Decimal | null>,
  /** Operations that failed. */
  failed_ops: Array<number>,
  /** Files with operations that are not listed. */
  left_out: number,
};

/** Files with at least one operation in the period. */
export type FilesTouched = {
  /** All of them, directories too. */
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

/** Where and when something failed first. */
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
  /** Its deadline. */
  deadline_s: number,
  /** Its deadline. */
  deadline_in_point_s: number,
  /** How late it came. `null` where it never did. */
  late_us: number | null,
  /** It was never begun. */
  dropped: boolean,
  /** An operation of it failed. */
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
  /** The same in words, if there is no such value: `random`. */
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

/** What was found. */
export type FragmentSigns = {
  /** Files with single bytes written ahead of the data and overwritten later. */
  hints: Array<Hints>,
  /** Files with writes far behind their end. */
  far_writes: Array<FarWrites>,
  /** Files that were read in order, and how evenly that went. */
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
  /** Frames that never came. */
  never: number,
};

/** What a limit on bytes a second did to a load point. */
export type HeldBack = {
  /** The limit, reading and writing together. */
  max_bytes_per_s: number,
  /** Operations of the measured time that had to wait for it. */
  operations: number,
};

/** What stands around the number on top of a page. */
export type Hero = {
  /** What is said on top, as data. As in the summary; made from its figures where it has none. */
  statement: Statement,
  /** The verdict in one or two words. */
  verdict: VerdictWord,
  /** What is known of it, each with its name. The doubt is not among them. */
  facts: Array<HeroFact>,
  /** The number as text; a dash where nothing was measured. */
  number: string,
  /** Where the number is in `summary.json`; empty where it is not there. */
  number_path: string,
  /** The result for a badge, without day and storage. */
  badge: VerdictWord,
  /** Stands before the number: `at least`, or nothing. */
  before: string,
  /** What the number counts: `streams of Apple ProRes 422 HQ UHD without a late frame`. */
  counts: string,
  /** Why it is not more, or why that is not known. A sentence. */
  cause: string,
  /** That this client or the tool, not the storage, was the limit. A sentence; `null` elsewhere. */
  own_limit: string | null,
  /**
   * The doubt that the answer ends with, word for word, so that a page shows it once. Empty where it ends
   * with none.
   */
  doubt: string,
  /** How sure it is, without that doubt. Sentences; empty where the doubt is all. */
  confidence: string,
  /** The storage in one line: what people said of it, or its path and what it is. */
  storage: string,
};

/** Something that is known of a run's number. */
export type HeroFact = {
  /** Its name in links and style sheets: `limited-by`. */
  id: string,
  /** Its name for people: `Limited by`. */
  name: string,
  /** Sentences. May be empty for the confidence, where the doubt is all. */
  text: string,
};

/** Single bytes that were written behind the end of a file. */
export type Hints = {
  /** The file. */
  path: string,
  /** Single bytes written behind the end. */
  hints: number,
  /** Those that were overwritten by data later. */
  overwritten: number,
  /** The most frequent distance from one to the next; `null` with one only. */
  spacing_bytes: number | null,
  /** How far the furthest lay ahead of the data. */
  ahead_bytes: number,
  /** When the first was written. */
  first_at_s: number,
};

/** A part of the path. */
export type Hop = {
  /** Which. */
  kind: HopKind,
  /** Its capacity. `null` where that is unknown. */
  ceiling_bytes_per_s: number | null,
  /** The rate measured there. `null` where nothing was measured. */
  measured_bytes_per_s: number | null,
  /**
   * The rate that this client reached, where that is above the stated capacity of this hop: a cache
   * before it answered, or the stated capacity is wrong. `null` elsewhere.
   */
  outrun_bytes_per_s: number | null,
};

/** The parts of a path, in their order. */
export type HopKind = "client_link" | "switch" | "server_link" | "server_memory" | "backplane" | "disks";

/** A hop as people read it. */
export type HopWords = {
  /** What it is. */
  name: string,
  /** What is known of it; that nothing is, in words. */
  known: string,
  /** Whether anything is. */
  is_known: boolean,
  /** What it can carry and what was measured there: "at most 1,177 MB/s; 640 MB/s measured". */
  carries: string,
  /** Of those whose ceiling is known it can carry least. */
  is_lowest: boolean,
};

/** What machines are held against one another by. */
export type HostFigure = "throughput" | "mean_response";

/** One machine in a load point. */
export type HostFigures = {
  /** Whether it was there. */
  presence: Presence,
  /**
   * How much later than agreed it began, or than the first of all where nothing was agreed. `null` where
   * it did not begin, or its clock was not compared.
   */
  start_skew_us: number | null,
  /** What it did. */
  figures: PartFigures,
  /** How it differs from its siblings, if it does. */
  stands_out: StandsOut | null,
  /** Whose fault it was that its criteria were not met. `null` where they were. */
  culprit: Culprit | null,
  /** Which layer limited it. `null` where that is unknown. */
  limit: LimitStep | null,
};

/** One host. An operation counts where it was done. */
export type HostOverTime = {
  /** Bytes read and written in a bin, those of the warm-up too. */
  bytes: Array<number>,
  /** The slowest read or write in a bin, without the warm-up; 0 where nothing was done. */
  max_response_us: Array<Decimal>,
};

/** The hosts of a run over time. */
export type HostsOverTime = {
  /** The bins of everything below. */
  time: TimeAxis,
  /** In the order of the summary's hosts; at most 64. */
  hosts: Array<HostOverTime>,
};

/** The machines of a run. */
export type HostsSection = {
  /** The machines, in the order of their numbers of workers and streams. */
  hosts: Array<RunHost>,
  /**
   * How far times of different machines may be off against each other, at most. `null` where some clock
   * was not compared.
   */
  clock_uncertainty_us: number | null,
  /** The load points, in the order in which they ran. */
  points: Array<PointHosts>,
  /** What several targets moved together, against fewer. `null` where all load points had the same targets. */
  scale: TargetScale | null,
};

/**
 * One disturbance. Times named `_s` run from the start of the run, those named `_in_point_s` from the start
 * of the load point.
 */
export type Incident = {
  /**
   * When it began: when the storage or this client started to lag, which is before the first late
   * frame.
   */
  began_s: number,
  /** The same. */
  began_in_point_s: number,
  /** The same as UTC time (RFC 3339), to compare with server logs. `null` where that is unknown. */
  began_at?: string,
  /** When it was over: when the last of its late frames had come, or their deadlines had passed. */
  ended_s: number,
  /** The machines that it hit, in a run of several. Empty where there was one. */
  agents?: Array<string>,
  /** How many streams had late frames. */
  stream_count: number,
  /** The first 64 of them, by number. */
  streams: Array<number>,
  /** Late frames. */
  late_frames: number,
  /** Those of them that were never begun. */
  dropped_frames: number,
  /** Those of them that failed: an operation returned an error or moved too little. */
  failed_frames: number,
  /** Those that would have been in time without the scheduling delay of Reelgauge. */
  late_frames_with_own_delay: number,
  /** How late the latest of those that came was. `null` where none came. */
  worst_late_us: number | null,
  /** What the storage did. */
  storage: StorageThen,
  /** What this machine did. `null` where nothing of it was sampled. */
  machine: MachineThen | null,
  /** Whose it was. */
  culprit: Culprit,
};

/** An incident in words, and which of the summary it is. */
export type IncidentSentence = {
  /** The load point, as an index into the summary's. */
  point: number,
  /** The incident, as an index into those of the load point. */
  incident: number,
  /** When it was, whom it hit, what happened and whose it was. */
  text: string,
};

/** A reason why a run shows neither that its criteria are met nor that they are not. */
export type InconclusiveReason = { "reason": "search_unfinished" } | { "reason": "client_limit" } | { "reason": "client_delay" } | { "reason": "own_timing" } | { "reason": "begun_late",
  /** So many began more than a millisecond late. */
  late_ops: number,
  /** Operations of that pass. */
  ops: number,
} | { "reason": "held_up",
  /** So many had to wait. */
  held_up_ops: number,
  /** Operations of that pass. */
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

/** Whether what was asked for was met. */
export type Judgement = "met" | "not_met" | "inconclusive" | "not_known" | "nothing_asked";

/** One kind of operation. */
export type KindFigures = {
  /** Its name. */
  kind: string,
  /** Operations. */
  ops: number,
  /** Those that failed. */
  failed_ops: number,
  /** How long those that did not fail took together. `null` where the trace has no durations. */
  service_s: number | null,
  /** Their mean. */
  mean_service_us: number | null,
  /** The longest. */
  max_service_us: number | null,
};

/** Whether the figures of a run can be laid beside those of the first. */
export type Kinship = "same_work" | "itself" | "other_counts" | "other_plan" | "other_work";

/** Every stream of a load point, and all together. */
export type LateFigures = {
  /** All streams together. */
  total: StreamTotals,
  /** Each stream, by number. */
  streams: Array<StreamFigures>,
  /** The disturbances that made frames late: the first of them, in the order of time. */
  incidents: Array<Incident>,
  /** How many there were in all. */
  incident_count: number,
  /** Operations of other load points or of unknown streams; in no figure. */
  ignored_ops: number,
};

/** A run of consecutive late frames. */
export type LateRun = {
  /** The first of them. */
  first_frame: number,
  /** How many. */
  frames: number,
  /** Those of them that were never begun. */
  dropped_frames: number,
  /** The deadline of the first. */
  began_s: number,
  /** The deadline of the first. */
  began_in_point_s: number,
  /** Until the deadline of the next frame that was in time. */
  length_s: number,
  /** How late the latest of them came. `null` where none came. */
  worst_late_us: number | null,
};

/**
 * Latencies of reads and writes that succeeded, without the warm-up. Bin b of latency holds µs with
 * 2^(b/4) ≤ µs < 2^((b+1)/4); bin 0 also everything below 1 µs.
 */
export type LatencyGrid = {
  /** Of reads. */
  reads: LatencySide,
  /** Of writes. */
  writes: LatencySide,
};

/** One side of it. */
export type LatencySide = {
  /** Triples: bin of time, bin of latency, count. */
  cells: Array<number>,
  /** For each bin of time the longest; 0 where nothing was done. */
  max_us: Array<Decimal>,
  /** For each bin of time the sum of all. */
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

/** What limited a load point. */
export type Limit = {
  /** In a word. */
  verdict: LimitVerdict,
  /** The layer, with what was seen of it. `null` where nothing stood out, or nothing limited it. */
  found: LimitFinding | null,
  /** Other counters above their threshold, in the order of the questions. They are not the cause. */
  contributing: Array<LimitFinding>,
  /** Where nothing stood out: what came nearest to its threshold, the nearest first. */
  nearest: Array<LimitFinding>,
  /** Questions that nothing was sampled for. */
  not_measured: Array<LimitStep>,
};

/** What was seen of one layer. */
export type LimitFinding = {
  /** Which question it answers. */
  step: LimitStep,
  /** Where: an interface, a connection, a disk, a program. `null` where there is one. */
  at: string | null,
  /** What was measured; the first weighs most. */
  seen: Array<LimitSeen>,
  /** Rules of the doctor that tell more, and what to change. */
  rules: Array<string>,
};

/** What was measured, its unit in its name. */
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

/** One thing that was measured. */
export type LimitSeen = {
  /** What. */
  measure: LimitMeasure,
  /** How much. */
  value: number,
  /** The threshold above which it is reported. `null` where it is only informative. */
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
  /** What one connection can use of it; `null` without a reliable source. */
  speed_mbit_per_s: number | null,
  /** What is left of it for files in each direction, without what Ethernet, IP and TCP add. */
  line_bytes_per_s: number | null,
  /** It can't send and receive at once. */
  is_half_duplex: boolean,
  /** The server is this machine, so that no packet leaves it. */
  is_this_machine: boolean,
  /** All of it for display: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`. */
  words: string,
};

/** What a link is. */
export type LinkSort = "ethernet" | "infiniband" | "fibre-channel";

/**
 * An event: a line of the file. `at_s` is seconds on the run's clock, and 0 before the clock begins, while
 * the run prepares.
 */
export type LiveEvent = { "event": "begin",
  /** On the run's clock. */
  at_s: number,
  /** The process that measures; a signal to it reaches the run. */
  pid: number,
  /** Tells this process from a later one with the same number; empty where the system doesn't tell. */
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
  /** Bytes that are there. */
  done_bytes: number,
  /** Bytes that there will be. */
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
  /** Why, where it did not complete. */
  reason: string | null,
  /**
   * Late frames of all load points, as in the summary; `null` where there are no frames, and without
   * a summary.
   */
  late_frames: number | null,
  /** Incidents of all load points, as in the summary; `null` as with the late frames. */
  incidents: number | null,
};

/** Machines of a run on many, in columns: each has its place in every one of them. Empty on one machine. */
export type LiveHosts = {
  /** Their agents' names, in the plan's order. */
  name: Array<string>,
  /**
   * In the last second that it told of; 0 when its part of the load point is over, `null` where it has
   * told nothing of this load point.
   */
  read_bytes_per_s: Array<number | null>,
  /** As what is read. */
  write_bytes_per_s: Array<number | null>,
  /** In this load point; `null` where there are no frames, or nothing was told. */
  late_frames: Array<number | null>,
  /** As in the tick. */
  no_answer_s: Array<number | null>,
  /** Why it is missing; `null` while it takes part. */
  missing: Array<string | null>,
  /** So many more hosts have no place here; those that are missing, late or silent go before others. */
  left_out: number,
};

/** An incident while it happens. */
export type LiveIncident = {
  /**
   * Since the load point began, warm-up included: when nothing was answered any more, or the first frame
   * was late.
   */
  began_in_point_s: number,
  /** Late frames so far. */
  late_frames: number,
  /** The longest time in it in which nothing was answered; `null` where that was below 0.4 s. */
  no_answer_s: number | null,
  /** Whether no frame has been late for a second. */
  is_over: boolean,
};

/** How a run ended. The same words as in the summary. */
export type LiveOutcome = "complete" | "interrupted" | "broke_off";

/** Streams in columns: each has its place in every one of them. */
export type LiveStreams = {
  /** Their numbers. */
  stream: Array<number>,
  /** As in the tick. */
  late_frames: Array<number>,
  /** As in the tick. */
  margin_ms: Array<number | null>,
  /** How long they may lag. */
  buffer_ms: Array<number>,
  /** Of a run on many machines, whose they are: numbers are each host's own. Empty on one machine. */
  host: Array<string>,
};

/**
 * The state of a load point: once a second, at once when a frame is late, when the storage falls silent and
 * when it speaks again, and when the load point ends.
 */
export type LiveTick = {
  /** On the run's clock. */
  at_s: number,
  /** The load point. */
  label: string,
  /** Since it began, warm-up included. */
  elapsed_s: number,
  /** How much of that is warm-up. */
  warmup_s: number,
  /** How long it will take; `null` where nobody knows. */
  total_s: number | null,
  /** Since the tick before, also during the warm-up, which is in no figure of the report. */
  read_bytes_per_s: number,
  /** Since the tick before, also during the warm-up, which is in no figure of the report. */
  write_bytes_per_s: number,
  /**
   * By the clock, in this load point; `null` where there are no frames. A frame is late as soon as its
   * deadline has passed. None is counted during the warm-up.
   */
  late_frames: number | null,
  /**
   * The smallest margin of all streams since the tick before, rounded down: how long until a frame was
   * needed that had not come. Negative when it was overdue; `null` where nothing was due.
   */
  margin_ms: number | null,
  /** How long the oldest operation in flight has been so; `null` when none is. */
  longest_in_flight_s: number | null,
  /**
   * How long something has been in flight and nothing was answered; `null` while answers come, which may
   * take 0.4 s.
   */
  no_answer_s: number | null,
  /**
   * Incidents in this load point: late frames with less than a second between them are one. `null` where
   * there are no frames.
   */
  incidents: number | null,
  /** The latest of them. */
  incident: LiveIncident | null,
  /** Streams that have frames, the worst first; at most 64. */
  streams: LiveStreams,
  /** Of a run on many machines, how each of them stands. */
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
  /** How many threads of the tool did the operations. `null` where that was not kept. */
  threads: number | null,
  /** The value that was swept, as it was written in the plan. */
  sweep_value: string | null,
  /** When it began, warm-up included, since the start of the run. */
  started_s: number,
  /**
   * How much later it began than was agreed upon with the other hosts of a fleet; negative: earlier.
   * `null` where nothing was agreed upon.
   */
  start_skew_ns?: number,
  /** How long it was measured, without the warm-up, to the microsecond. */
  measured_s: number,
  /** The same exactly: what throughput is divided by. `null` in summaries of versions that did not keep it. */
  measured_ns: number | null,
  /** Why it ended before its time, if it did. */
  ended_early: string | null,
  /** Why it has no figures although it was not cut short. `null` where it has. */
  not_measured?: NotMeasured,
  /** What the limit on bytes a second held back. `null` where none was set. */
  held_back?: HeldBack,
  /** What was never answered, and so is in no response time. `null` where everything was. */
  unanswered?: Unanswered,
  /** All workers together. */
  total: Figures,
  /** Each worker. */
  per_worker: Array<WorkerFigures>,
  /** The paper's tables. */
  paper: PaperTables,
  /** How many streams ran. `null` where nothing is counted in streams. */
  stream_count?: number,
  /** Late frames of every stream that has frames. */
  streams?: LateFigures,
  /** The workers that were asked for a rate. */
  rates?: Array<ProcessRate>,
  /** Mean response time of the transfers of those workers. */
  rates_mean_response_ms?: number,
  /** Whether its criteria were met. `null` where none were asked for. */
  verdict: Verdict | null,
  /** Whose fault it was that its criteria were not met. `null` where they were, or none were asked for. */
  culprit?: Culprit,
  /** Which layer limited it, by the counters of exactly its measured time. `null` where none were sampled. */
  limit?: Limit,
};

/** The operation log. */
export type LogFacts = {
  /** Whether every operation is in it. */
  complete: boolean,
  /** Operations in it. */
  rows: number,
  /** Its size. */
  bytes: number,
  /** Both divided; `null` if it is empty. */
  bytes_per_op: number | null,
  /** Operations that are only in the figures. */
  dropped_to_histograms_ops: number,
  /** Anything else to know. */
  note: string | null,
};

/** This machine in a stretch of time. Percentages are 0 to 100. */
export type MachineThen = {
  /** The longest time that an operation waited in the tool although it was due and its worker was free. */
  own_delay_max_us: number | null,
  /**
   * The longest time that a measuring thread could have run and had no processor. 0 where the system
   * doesn't tell (Linux does).
   */
  processor_wait_max_us: number | null,
  /** How long the tool did not run at all, in all. */
  paused_s: number | null,
  /** The longest of these pauses. */
  longest_pause_s: number | null,
  /** All processors, busy with anything. */
  processors_busy_percent: number | null,
  /** All processors, busy with this tool. */
  own_processors_percent: number | null,
  /** All processors, busy with other programs. */
  others_processors_percent: number | null,
  /** Processors taken away by the hypervisor. */
  steal_percent: number | null,
  /** Time in which the tool's control group was kept from running because its quota was used up. */
  throttled_percent: number | null,
  /** Time in which some task waited for memory. */
  memory_waiting_percent: number | null,
  /**
   * What the link carried in its busier direction, as a share of what it can carry; may be a little above
   * 1.
   */
  link_share: number | null,
  /** The busiest disk under the target. */
  disk_busy_percent: number | null,
};

/**
 * A cell: bin of time, bin of the file, bytes read in it, bytes written in it. In JSON an array of four
 * numbers, because there are many.
 */
export type MapCell = [number, number, number, number];

/** A map in cells of one size. */
export type MapLevel = {
  /** Where the first bin of time begins. */
  from_s: Decimal,
  /** How long each is. */
  time_bin_s: Decimal,
  /** How many there are. */
  time_bins: number,
  /** Where the first bin of the file begins. */
  from_bytes: number,
  /** How long each is. */
  offset_bin_bytes: number,
  /** How many there are. */
  offset_bins: number,
  /** Quadruples: bin of time, bin of the file, bytes read, bytes written. */
  cells: Array<number>,
};

/** Accesses one by one. */
export type MapPoints = {
  /** When. */
  issued_s: Array<Decimal>,
  /** Where. */
  offset_bytes: Array<number>,
  /** How much was moved. */
  len_bytes: Array<number>,
  /** Whether it was written. */
  write: Array<boolean>,
  /** How long it took, from its issue to its end. */
  service_us: Array<Decimal>,
};

/**
 * How the best margins of a stream changed over the measured part, without the scheduling delay of
 * Reelgauge.
 */
export type MarginTrend = {
  /** How much of the margin was lost in each second; negative where it grew. */
  fall_ms_per_s: number,
  /** How far that may be off: one standard error. */
  standard_error_ms_per_s: number,
  /** How long that was seen. */
  observed_s: number,
  /** The margin at the end of that time, on the line of the trend. */
  at_end_ms: number,
};

/** One mark. */
export type Mark = {
  /** What happened. */
  kind: MarkKind,
  /** Where: `md0 resync`, `eth0`; empty where there is one. */
  device: string,
  /** The name of the computer whose counters show it. */
  agent: string,
  /** From when on, in seconds since the run began. */
  began_s: number,
  /** Until when. */
  ended_s: number,
  /** It went on when the last sample was taken. */
  is_open: boolean,
};

/** What happened. */
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
  /** From when on, in seconds since the run began. */
  from_s: number,
  /** Until when. */
  to_s: number,
  /** What happened, where and when. */
  text: string,
};

/** What is meant by latency. */
export type Measure = "response" | "service";

/** The run's files, compared with the memories that may have held them. Unknown values are `null`. */
export type MemoryFacts = {
  /** Bytes of the files that were there to be read. */
  data_set_bytes: number,
  /** Of them, bytes that this run wrote before it measured: a server has them in its memory for sure. */
  written_by_this_run_bytes: number,
  /** The files are the user's own, which this tool never wrote. */
  own_files: boolean,
  /** Bytes read in all load points, without warm-ups. */
  read_bytes: number,
  /** The storage is reached over a network, so that there is a server with a memory. */
  on_network: boolean,
  /** The target is a file system in memory. */
  target_is_memory: boolean,
  /** Whether reads bypassed the cache of this client; `null` where that is unknown. */
  past_client_cache: boolean | null,
  /** Share of the reads that this machine's cache answered, 0 to 1; `null` where nothing counts that. */
  client_cached_share: number | null,
  /**
   * A loop device below the target that reads its file through the cache of this client, even with
   * direct I/O; `null` where there is none.
   */
  cached_loop: string | null,
  /** This machine's memory. */
  client_memory_bytes: number | null,
  /** The server's memory, as it was stated with `--server-memory`. */
  server_memory_bytes: number | null,
  /**
   * First against later reads of the same bytes, load point by load point. Empty where nothing was read,
   * or in more files than there was memory to keep count of.
   */
  rereads: Array<Rereads>,
  /** Whether a cache may have answered; `null` where nothing was read. */
  suspicion: CacheSuspicion | null,
};

/** One cell of the three tables. */
export type MeterCell = {
  /** The row. */
  access: Mode,
  /** The column; `null` is that of all block sizes. */
  block_kib: number | null,
  /** Operations. */
  records: number,
  /** Bytes that they moved. */
  bytes: number,
  /** Bytes ÷ time within reads, writes and syncs: what one worker gets while it transfers. MiB/s. */
  rate_while_transferring_mib_per_s: number,
  /** What the original calls average latency: time outside reads, writes and syncs. ms. */
  msmeter_average_latency_ms: number,
  /** What it calls maximum latency, s. */
  msmeter_maximum_latency_s: number,
};

/** A session. */
export type MeterFacts = {
  /** The script's name. */
  script: string,
  /** How long its waits are together, s. */
  script_takes_s: number,
  /** Folders that workers could be sent to. */
  roots: Array<string>,
  /** Who came, in this order. */
  workers: Array<MeterWorker>,
  /** What was measured, from one "Results" to the next. */
  tests: Array<MeterTest>,
  /** Records that came while no test was open: in `records.csv`, and in no figure. */
  records_outside: number,
  /** Lines that are no record. */
  lines_not_understood: number,
};

/** The tables of a test. */
export type MeterFigures = {
  /** Records that the tables are made from. */
  records: number,
  /** Bytes that they transferred, without remainders. */
  bytes: number,
  /** Records that tell no time ("inf"), or nothing that could be; in no table. */
  records_without_time: number,
  /** Records with a rate of `IMPLAUSIBLE_MIB_PER_S` or more; in no table. */
  implausible_records: number,
  /** The cells that have records. */
  cells: Array<MeterCell>,
};

/** What lies between a "Results" and the pause of the worker with the highest number. */
export type MeterTest = {
  /** The name of the file that the script asks for. */
  name: string,
  /** The text as the original wrote it, in the session's directory. */
  text_file: string,
  /** From when on, s from the beginning: when its first worker was started. */
  began_s: number | null,
  /** When its last record came, s from the beginning. */
  last_record_s: number | null,
  /** All bytes ÷ the time from the first start to the last record, MiB/s. `null`: nothing was measured. */
  wall_clock_mib_per_s: number | null,
  /** The longest time in which a worker that ran reported nothing. */
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
  /** The script's number for it: they are counted as they come. */
  number: number,
  /** Where it came from. */
  address: string,
  /** Records of it. */
  records: number,
  /** How often it could open no file. */
  no_files: number,
  /** The script makes it report nothing. */
  is_told_silence?: boolean,
  /** When it left, in s from the beginning, where it left before it was dismissed. */
  gone_s?: number,
  /** Why it left. */
  gone_why?: string,
};

/** The kind of access, as the paper abbreviates it; a row of the tables. */
export type Mode = "seq_rd" | "rand_rd" | "seq_wr" | "rand_wr" | "all";

/** What to do next. */
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
 * What a network interface transferred in a load point, by the computer's own counters: all traffic,
 * including headers and other programs.
 */
export type NicFigures = {
  /** The machine. */
  agent: string,
  /** The interface. */
  interface: string,
  /** The target that it leads to; `null` where it leads to none, or that is unknown. */
  target: string | null,
  /** What came in. `null` where that was not sampled. */
  received_bytes_per_s: number | null,
  /** What went out. `null` where that was not sampled. */
  sent_bytes_per_s: number | null,
  /** The speed that it reports, in Mbit/s. `null` where it reports none. */
  speed_mbit_per_s: number | null,
  /** The busier direction in percent of that. */
  used_percent: number | null,
};

/** Why a load point could not be measured. */
export type NotMeasured = "warmup_visited_all" | "nothing_finished";

/** A note of a run: what it is about, with its figures, and the same in words. `kind` names what it is about. */
export type Note = {
  /** The agents of a fleet that it is about. Empty where it is about all of the run. */
  agents?: Array<string>,
  /** The fact as a sentence, for display. No program decides by it. */
  sentence: string,
  /** The advice as a sentence, for display. Empty where there is nothing to do. */
  advice?: string,
};

/** One observer of a run. */
export type ObserverFacts = {
  /** What it is called: a machine's name, or the file's. */
  name: string,
  /** Where its samples are from. */
  kind: ObserverKind,
  /** The directory or file, as it was given. */
  source: string,
  /**
   * How far its clock is ahead of the clock of the measuring computer, as given by the user, in
   * milliseconds.
   */
  clock_offset_ms: number,
  /** Whether the user gave the difference. Otherwise both clocks are assumed to agree. */
  is_offset_stated: boolean,
  /** When its first sample that was kept was, in seconds since the run began. */
  from_s: number,
  /** When its last one was. */
  until_s: number,
  /** Samples that were kept. */
  samples: number,
  /** Samples from before or after the run, which were not. */
  outside: number,
  /** What could not be read of it, and why, in words. */
  not_read: Array<string>,
};

/** Where an observer's samples are from. */
export type ObserverKind = "watch" | "csv" | "prometheus";

/** Bytes read and written, by time and place. Cells without any are left out. */
export type OffsetMap = {
  /** Where the first bin of time begins, since the start of the trace. */
  from_s: number,
  /** Length of a bin of time. */
  time_bin_s: number,
  /** How many there are. */
  time_bins: number,
  /** Length of a bin of the file; bin 0 begins with the file. */
  offset_bin_bytes: number,
  /** How many there are. */
  offset_bins: number,
  /** The cells, by time and then by place. */
  cells: Array<MapCell>,
};

/** Operations. */
export type OpColumns = {
  /** Name of the kind. */
  kind: Array<string>,
  /** Number of the worker. */
  worker: Array<number>,
  /** Number of the stream, -1 where it belongs to none; in a trace, of the thread. */
  stream: Array<number>,
  /** Number of the file; -1 where there is none. */
  file: Array<number>,
  /** Place in the file. */
  offset_bytes: Array<number>,
  /** What was asked for. */
  len_bytes: Array<number>,
  /** What was moved. */
  done_bytes: Array<number>,
  /** When it should have begun. */
  due_s: Array<Decimal>,
  /** When it began. */
  issued_s: Array<Decimal>,
  /** From due to done. */
  response_us: Array<Decimal>,
  /** From issued to done. */
  service_us: Array<Decimal>,
  /** 0, or the error's number. */
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
  /** Files made. */
  create: number,
  /** Files removed. */
  unlink: number,
  /** Questions for a file's size and times. */
  stat: number,
  /** Questions whether a file may be read. */
  access: number,
  /** Directories listed. */
  readdir: number,
  /** Sizes of files set. */
  truncate: number,
  /** Times room was reserved in a file. */
  allocate: number,
  /** Files renamed. */
  rename: number,
  /** Directories made. */
  mkdir: number,
  /** Directories removed. */
  rmdir: number,
  /** Times, owners or rights of files changed. */
  setattr: number,
  /** Operations of all other kinds. */
  other: number,
  /** Hard links made. */
  link: number,
  /** Symbolic links made. */
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
  /** Number of the stream, -1 where it belongs to none; in a trace, of the thread. */
  stream: Array<number>,
  /** Number of the file; -1 where there is none. */
  file: Array<number>,
  /** Place in the file. */
  offset_bytes: Array<number>,
  /** What was asked for. */
  len_bytes: Array<number>,
  /** What was moved. */
  done_bytes: Array<number>,
  /** When it should have begun. */
  due_s: Array<Decimal>,
  /** When it began. */
  issued_s: Array<Decimal>,
  /** From due to done. */
  response_us: Array<Decimal>,
  /** From issued to done. */
  service_us: Array<Decimal>,
  /** 0, or the error's number. */
  errno: Array<number>,
  /** Number of the load point. */
  point: Array<number>,
  /** Whether it belongs to the warm-up. */
  warmup: Array<boolean>,
};

/** How a run ended. */
export type Outcome = "complete" | "interrupted" | "broke_off" | "running";

/** One number a bin. An operation counts where it was done, those of the warm-up too. */
export type OverTime = {
  /** Operations of every kind. */
  ops: Array<number>,
  /** Those that failed. */
  failed_ops: Array<number>,
  /** Those of the warm-up. */
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
  /** What it shows. */
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
   * Conditions of a paper that its runs did not keep, in words. Charts that correspond to the paper's name
   * them.
   */
  deviations: Array<string>,
  /** Of a comparison: whether it is better or worse, in a word or two; `null` on other pages. */
  verdict: Sentence | null,
  /** What is said and shown behind the answer of a comparison, of suites, or of the states of a procedure. */
  sections: Array<SectionBlocks>,
};

/** What a page shows. */
export type PageKind = "run" | "trace" | "compare" | "suites";

/** One cell of all three tables. Numbers that nothing was measured for are `null`. */
export type PaperCell = {
  /** The row. */
  mode: Mode,
  /** The column; `null` for all block sizes together. */
  block_bytes: number | null,
  /** Reads and writes that were done in the transfers of this block size. */
  data_ops: number,
  /**
   * The share of them that was shorter than the block size, 0 to 1: remainders, and transfers that are
   * shorter than a block.
   */
  short_block_share: number | null,
  /** Bytes that they moved. */
  bytes: number,
  /** Complete transfers; what the latencies are made from. */
  transfers: number,
  /**
   * Mean rate of one worker while it transferred, in 10^6 bytes/s. Not throughput: without the time
   * between transfers and for opening and closing.
   */
  transfer_rate_while_transferring_mb_per_s: number | null,
  /** Mean over the transfers of total time − data transfer time. */
  average_latency_ms: number | null,
  /** How much of the average latency lay between operations, when the storage had nothing to do. */
  average_gap_ms: number | null,
  /** The largest latency. */
  maximum_latency_s: number | null,
};

/** A condition of a paper that was not kept. */
export type PaperDeviation = {
  /** The flag, without the dashes; `null`: the number of computers. */
  setting: string | null,
  /** What the paper prescribes. */
  paper: string,
  /** What was run; `null` where it was left to the program. */
  here: string | null,
};

/** The paper's three tables in long form: EBU Tech 3362 § 5.1, figures 12 and 15. */
export type PaperTables = {
  /**
   * Whether every transfer is booked whole under one block size, by the paper's § 5.1. `false` in runs of
   * earlier versions, which booked each block.
   */
  per_transfer: boolean,
  /** The block sizes, ascending; the columns. */
  block_bytes: Array<number>,
  /** Every cell, row by row in the paper's order, each row ending with its margin. */
  cells: Array<PaperCell>,
};

/** What some of the machines did in a load point, or one. */
export type PartFigures = {
  /** The machine, the group, the target. Empty for all. */
  name: string,
  /** How many machines did anything. */
  hosts: number,
  /** How many workers ran on them. */
  workers: number,
  /** How long was measured, from the first of them to the last. */
  measured_s: number | null,
  /** See `Figures.ops`. */
  ops: number,
  /** See `Figures.failed_ops`. */
  failed_ops: number,
  /** See `Figures.read_bytes`. */
  read_bytes: number,
  /** See `Figures.written_bytes`. */
  written_bytes: number,
  /** Throughput: bytes read ÷ measured time. `null` where nothing was measured. */
  read_bytes_per_s: number | null,
  /** Throughput: bytes written ÷ measured time. */
  written_bytes_per_s: number | null,
  /** Both together. */
  bytes_per_s: number | null,
  /** Response times of reads and writes. */
  response: TimeFigures | null,
  /** Streams that have frames. `null` where nothing is counted in streams. */
  streams: number | null,
  /** Those of them that had late frames. */
  streams_with_late_frames: number | null,
  /** Frames whose deadline lies in the measured part. */
  frames_judged: number | null,
  /** Those that came after their deadline or not at all. */
  late_frames: number | null,
};

/** A line of the bill of materials. */
export type PartSite = {
  /** What it is: `server`, `switch`, `licence`. */
  name: string,
  /** How many of it. */
  count?: number,
  /** Who made it. */
  maker?: string,
  /** Which one it is. */
  model?: string,
  /** Its firmware, release or edition. */
  version?: string,
  /** Anything else. */
  note?: string,
};

/** A count of streams for each of them. */
export type PerUnit = {
  /** Of what. */
  unit: SiteUnit,
  /** How many of it there are. */
  count: number,
  /** Streams for each. */
  streams: number,
};

/** How long operations of a kind took, as HdrHistogram prints it. */
export type PercentileCurve = {
  /** Name of the kind. */
  kind: string,
  /** Operations that succeeded, without the warm-up. */
  count: number,
  /** 0 to 100, denser and denser towards 100. */
  percentile: Array<Decimal>,
  /** So many percent took no longer than this, to three digits; the last is exact. */
  us: Array<Decimal>,
};

/** A setting in which the plan of a run differs from that of the first. */
export type PlanDifference = {
  /** The setting. */
  setting: string,
  /** What the first run has; `null` where it is not set. */
  first: string | null,
  /** What this run has. */
  own: string | null,
  /** Operations are other operations with it: other blocks, another way to the files. */
  changes_work: boolean,
};

/** Blocks of a load point. */
export type PointBlocks = {
  /** The load point, as an index into the summary's. */
  point: number,
  /** Its name among the others. */
  label: string, blocks: Array<Block>,
};

/** A load point by machines. */
export type PointHosts = {
  /** The load point, as an index into the summary's. */
  point: number,
  /** How far apart the machines began; `null` where fewer than two began, or clocks were not compared. */
  start_skew_us: number | null,
  /** Each machine, in the order of `HostsSection.hosts`. */
  hosts: Array<HostFigures>,
  /** Each group, where there are several. */
  groups: Array<PartFigures>,
  /** Each target, where there are several. */
  targets: Array<PartFigures>,
  /** Each network interface by its name, where machines have different ones. */
  interfaces: Array<PartFigures>,
  /**
   * Each network interface of each machine that carried anything, by the machines' own counters. Empty
   * where they were not sampled.
   */
  nics: Array<NicFigures>,
  /** All machines. */
  total: PartFigures,
  /** All but those that stand out by being worse; `null` where none is. */
  without: PartFigures | null,
};

/** The streams of one load point. */
export type PointStreams = {
  /** Its number. */
  point: number,
  /** The bins of everything below: the time that was judged. */
  time: TimeAxis,
  /** The streams with the most late frames, then by number; at most 64. */
  streams: Array<StreamStrip>,
  /** Streams without a strip of their own. */
  left_out: number,
  /**
   * The smallest margin by the clock in a bin, of all streams: how long until the deadline of the frame
   * after the last one that came; negative while that is overdue. `null` where no frame was expected.
   */
  min_margin_us: Array<number | null>,
  /** Late frames of all streams in a bin, those that never came too. */
  late_frames: Array<number>,
  /**
   * Late frames of each host in a bin, in the order of `HostsOverTime.hosts`; empty where one host made
   * the run.
   */
  host_late_frames: Array<Array<number>>,
  /** How much of their time frames had left. */
  headroom: Headroom,
};

/** What a stream does with frames whose time has passed before it could ask for them. */
export type Policy = "drop" | "stall";

/** Whether a machine was there in a load point. */
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

/** What one process was asked for and what it achieved. */
export type ProcessRate = {
  /** The worker. */
  worker: number,
  /** The component workload it is part of: `camera`, `companion`. */
  component: string,
  /** Operations per second that were asked for; above 0. */
  requested_ops_per_s: number,
  /** Operations per second that were done. */
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

/** How disks are put together. */
export type Raid = "raid0" | "mirror" | "raid5" | "raid6" | "raidz3";

/** How a rate developed. */
export type RateTrend = "steady" | "burst" | "rose" | "unsettled" | "too_short";

/** How long reads took, from when they were issued. */
export type ReadTimes = {
  /** How many. */
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

/** A replay, in addition to the figures of its load points. */
export type ReplayFacts = {
  /** What the trace is called. */
  trace: string,
  /** Where it lies. */
  trace_path: string,
  /** How it came about; empty for a run. */
  made_by: string,
  /** Whether it was generated from statistics instead of being recorded. */
  synthetic: boolean,
  /** Operations of one user in one pass. */
  ops: number,
  /** Threads that were recorded. */
  threads: number,
  /** Users at once. */
  copies: number,
  /** `recorded`, `think`, `max`, `fixed:5ms`. */
  pace: string,
  /** `serial`, `streams`, `resources`. */
  order: string,
  /** How long one pass should take; `null` where the pace doesn't say. */
  expected_span_s: number | null,
  /** How long the recording took, times the scale, for all users; whatever the pace. */
  recorded_span_s: number | null,
  /** Files that were prepared for one pass. */
  prepared_files: number,
  /** Bytes of these. */
  prepared_bytes: number,
  /** How files were made: `auto`, `copy`, `stream`. */
  layout: string,
  /** Operations of the trace that were not replayed, by reason. */
  left_out: { [key in string]: number },
  /**
   * The same by kind: `rename_exchange`, `rename_whiteout`, `rename_refused`, `nameless_file`, `clone`,
   * `range`, `hard_link`, `unknown_hard_link`, `symbolic_link`, `other`.
   */
  not_replayed_ops?: { [key in string]: number },
  /** What is assumed, and what is replayed otherwise than it was recorded, in sentences. */
  remarks: Array<string>,
  /** The passes, in the order in which they ran. */
  passes: Array<ReplayPass>,
  /**
   * Files that a pass wrote with gaps, or that were in many extents afterwards, where the file system
   * reports it.
   */
  written_pieces?: Array<WrittenPieces>,
  /** The median of all passes. */
  median_bytes_per_s: number | null,
  /** Why the timing was not good enough; `null` where it was, or where it is free. */
  bad_timing: string | null,
};

/** One pass of a replay. */
export type ReplayPass = {
  /** Index of its load point. */
  point: number,
  /** Whether all of the trace was replayed. */
  complete: boolean,
  /** From when the first operation was due to the end of the last one. */
  span_s: number,
  /** Bytes read and written. */
  bytes: number,
  /** Both divided. */
  bytes_per_s: number | null,
  /**
   * How much later than recorded its last operation was done; below 0 where it was sooner. `null` where
   * the pace is not the recorded one, or not all was replayed.
   */
  delay_s: number | null,
  /** The most by which an operation began later than it was due, whatever the reason. */
  behind_max_us: number | null,
  /**
   * The tool's own lateness: half of the operations began no later than this after they were due and what
   * they waited for was done.
   */
  lateness_p50_us: number | null,
  /** 99 of 100. */
  lateness_p99_us: number | null,
  /** All. */
  lateness_max_us: number | null,
  /** Operations that were done. */
  done_ops: number,
  /** Of these, how many could not begin when they were due, because one before them was not done. */
  held_up_ops: number,
  /** The longest of these waits. */
  held_up_max_us: number,
  /**
   * Operations that began more than a millisecond late through the tool: because it came late to them, or
   * to one that they had to wait for.
   */
  begun_late_ops: number,
  /**
   * Operations that began more than a millisecond late because the storage had not done what they waited
   * for. `null` in runs of versions that did not count them.
   */
  storage_late_ops: number | null,
  /** When the storage was silent, and operations were late because of that. */
  silences?: Array<ReplaySilence>,
  /** Operations with another result than when they were recorded. */
  different_ops: number,
  /** The first of these, in words. */
  differences: Array<string>,
};

/** A silence of the storage that delayed a replay. */
export type ReplaySilence = {
  /** When the last answer before it came, since the start of the run. */
  began_s: number,
  /** The same, since the start of the load point. */
  began_in_point_s: number,
  /** The same by the clock on the wall, RFC 3339. */
  began_at?: string,
  /** When the next answer came, or the operations in flight were given up. */
  ended_s: number,
  /** How long it was, without pauses of the tool. */
  length_s: number,
  /** Operations that were due before its end and were answered after it, if they came back. */
  delayed_ops: number | null,
  /** The latest of their answers, after it was due. */
  longest_response_us: number | null,
};

/** The reads of one load point, by whether their bytes had been moved before. */
export type Rereads = {
  /** Number of the load point. */
  point: number,
  /** Bytes of measured first reads, of every size. */
  first_read_bytes: number,
  /** Bytes of measured later reads, of every size. */
  later_read_bytes: number,
  /** The size class in which there are most reads of both sorts; `null` where none has both. */
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
  /** Of a suite: passes of each of its workloads. */
  passes: number | null,
};

/** One machine. */
export type RunHost = {
  /** Its name. */
  agent: string,
  /** The group that it belongs to, if it belongs to one. */
  group: string | null,
  /** Where its data lay. */
  target: string | null,
  /** The network interface on the path to the storage; `null` where there is none, or it is unknown. */
  interface: string | null,
  /** The first of its workers. */
  first_worker: number,
  /** How many numbers of workers are its own, from that one on. */
  workers: number,
  /** The first of its streams. */
  first_stream: number,
  /** How many numbers of streams are its own, from that one on. */
  streams: number,
  /** How far its clock was ahead of the one that times are mapped to. `null` where they were not compared. */
  clock_offset_us: number | null,
  /** How far that may be off. */
  clock_uncertainty_us: number | null,
  /** Since when it was missing. `null` where it was never missing, or the time is unknown. */
  missing_from_s: number | null,
  /** Why it is missing, or what is missing of it. */
  why_missing: string | null,
  /** Whether its part of the run ended as planned. `null` where nothing of it was fetched. */
  is_complete: boolean | null,
  /** Whether all its operations are in the log. */
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
  /** The words around the number on top. */
  hero: Hero,
  /** What the terminal shows first, in its order. */
  answer: Array<Sentence>,
  /** The incidents of all load points in words, the worst of each first. */
  incidents: Array<IncidentSentence>,
  /** The notes of the summary, as the terminal has them. */
  warnings: Array<string>,
  /** What to do next, as the terminal's last line has it. `null` where a sentence before says it. */
  next_step: string | null,
  /** What is said and shown behind the answer, as blocks. */
  sections: Array<SectionBlocks>,
  /** `summary.json`, see `super.shorten`. */
  summary: Summary,
  /** What of the summary was too long for a page, in words; `null` where all is there. */
  shortened: string | null,
  /** The first client in one line. */
  client: string,
  /** The command that does this run again. */
  again: string,
  /** What only the log knows. */
  detail: Detail | null,
  /** Why there is no detail, in words. */
  why_no_detail: string | null,
  /** What was sampled beside the I/O, and by whom else. */
  counters: Counters | null,
  /** What happened meanwhile that is known to disturb storage. */
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

/** The answer of a search. */
export type SearchFacts = {
  /** What was counted, as it reads after a number: `players of prores-422-hq-uhd-25`, `times newsroom`. */
  what: string,
  /** The answer in words: `31 streams passed every time, 32 never.` */
  answer_sentence: string,
  /** What it rests on, in words: `31: 3 of 3; 32: 1 of 3`. */
  evidence_sentence: string,
  /**
   * The largest count that passed every trial, with no failure at any count below it. `null` where no
   * count did.
   */
  streams: number | null,
  /** The largest count that ever passed. Where that is more than `streams`, the storage is noisy. */
  at_most: number | null,
  /** This machine, and not the storage, was the limit: `streams` is no capacity of the storage. */
  limited_by_client: boolean,
  /** `false` where the search ended (time, trials, the cap, Ctrl-C) before both edges were certain. */
  complete: boolean,
  /** Why the search stopped early. `null` where it was complete or interrupted. */
  stopped_by?: StoppedBy,
  /** Every count that was tried, ascending. */
  trials: Array<TrialsAt>,
  /** What failed first with the smallest count that did not pass, in words. */
  failed_first?: string,
};

/** Blocks below a heading. */
export type SectionBlocks = {
  /** Its name in links and in the page's navigation; empty in documents. */
  id: string, heading: string,
  /** What is to be seen here, in one or two sentences; may be empty. */
  about: string,
  /** What is below it. */
  blocks: Array<Block>,
};

/** The tool's own cost over a run. */
export type SelfCost = {
  /** CPU time in Reelgauge's own code. `null` where the process was killed before it could report it. */
  cpu_user_s: number | null,
  /** CPU time in the kernel on the tool's behalf; most of it is the I/O itself. */
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
   * was late, too. `null` where this was not monitored.
   */
  paused_s: number | null,
  /** The longest such pause. */
  longest_pause_s: number | null,
  /** When that began, since the start of the run. */
  longest_pause_began_s: number | null,
  /**
   * Whether the tool's own timing was good enough. Streams: its largest delay was below a quarter of the
   * shortest buffer and made no frame late. Other runs: 99 of 100 operations were issued within 50 µs or a
   * tenth of the median answer, and it was stopped for 2 % of the time at most. `null` where nothing was
   * measured.
   */
  timing_good_enough: boolean | null,
  /** The same as a sentence. Empty before the summary is written out. */
  sentence: string,
};

/** A sentence of an answer. */
export type Sentence = {
  /** How it is to be taken. */
  tone: Tone,
  /** The sentence. */
  text: string,
};

/** The run in equal steps, from its start. Steps in which nothing was done are there, with zeros. */
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
  /** Operations of the warm-up; in no other figure. */
  warmup_ops: number,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Operations that failed. */
  errors: number,
  /** The longest response of a measured operation of any kind that succeeded. */
  max_response_us: number | null,
  /** When that operation began to be due, since the start of the run. */
  max_response_began_s: number | null,
};

/** The server. */
export type ServerSite = {
  /** What its link to the switch is set to. */
  link_mbit_per_s?: number,
  /** Ethernet by default. */
  link_kind?: LinkSort,
  /** Its MTU; 1500 by default. */
  mtu_bytes?: number,
  /** Its memory. */
  memory_gib?: number,
};

/** Service times of operations: from when they were issued until they were done. */
export type ServiceFigures = {
  /** How many operations. */
  count: number,
  /** Their mean. */
  mean_us: number,
  /** Their standard deviation: of all operations there are, not of a sample. */
  deviation_us: number,
  /** Half of them took no longer, to two digits. */
  median_us: number,
  /** 99 % of them took no longer, to two digits. */
  p99_us: number,
  /** The longest. */
  max_us: number,
  /** Counts by time, in steps of 1, 2 and 5; rows without any are left out. */
  histogram: Array<ServiceRow>,
};

/** A row of the histogram of service times. */
export type ServiceRow = {
  /** The shortest time of this row. */
  from_us: number,
  /** The first time above it. */
  below_us: number,
  /** Operations. */
  count: number,
};

/** A time in which a worker reported nothing. */
export type Silence = {
  /** Which worker. */
  worker: number,
  /** From when on, s from the beginning. */
  from_s: number,
  /** How long, s. */
  seconds: number,
};

/** The description of a site. */
export type Site = {
  /** The server. */
  server?: ServerSite,
  /** The switch between it and its clients. */
  switch?: SwitchSite,
  /** What its disks are plugged into. */
  backplane?: BackplaneSite,
  /** Its disks. */
  disks?: DisksSite,
  /** What the whole of it consists of, and costs. */
  system?: SystemSite,
  /** What a document about it is headed with. */
  document?: DocumentSite,
  /** Its bill of materials. */
  part?: Array<PartSite>,
};

/** What a count of streams is for each part of a site. */
export type SiteShares = {
  /** The count: what a search found, the largest valid load point, or the streams that were played. */
  streams: number,
  /**
   * More may have been sustained: shares are lower bounds, and the price is an upper bound. So they are in
   * runs of earlier versions, which did not say.
   */
  at_least: boolean,
  /** Streams for each part of which the site states how many there are. */
  per_unit: Array<PerUnit>,
  /** What one stream costs. `null` where the site states no price. */
  price_per_stream: number | null,
  /** In which currency. */
  currency: string | null,
};

/** What there are several of. */
export type SiteUnit = "node" | "drive" | "core" | "client" | "rack_unit";

/** A size and how often it occurs. */
export type SizeCount = {
  /** The size. */
  bytes: number,
  /** Operations. */
  count: number,
};

/** Sizes that were asked for, of operations that succeeded, without the warm-up. */
export type SizeCounts = {
  /** `read` or `write`. */
  kind: string,
  /** Ascending. */
  bytes: Array<number>,
  /** How often. */
  count: Array<number>,
  /** Rounded up to powers of two, because there are too many different ones. */
  rounded: boolean,
};

/** The sizes of reads or writes, in bytes. */
export type SizeFigures = {
  /** How many operations. */
  count: number,
  /** Their mean. */
  mean_bytes: number,
  /** Their standard deviation: of all operations there are, not of a sample. */
  deviation_bytes: number,
  /**
   * Half of them are not larger. Exact while there are at most 65,536 different sizes, else rounded down
   * by less than 0.1 %.
   */
  median_bytes: number,
  /** The smallest. */
  min_bytes: number,
  /** The largest. */
  max_bytes: number,
  /** Counts of sizes from each power of two to below the next; rows without any are left out. */
  histogram: Array<SizeRow>,
  /** The most frequent sizes, the most frequent first. */
  frequent: Array<SizeCount>,
};

/** A row of the histogram of sizes. */
export type SizeRow = {
  /** The smallest size of this row: 0 or a power of two. */
  from_bytes: number,
  /** The first size above it. */
  below_bytes: number,
  /** Operations. */
  count: number,
};

/** How a computer differs from the others. */
export type StandsOut = {
  /** By which figure. */
  figure: HostFigure,
  /** What it did: bytes per second, or µs. */
  value: number,
  /** The middle of its siblings. */
  siblings: number,
  /** How far it may lie from that by chance, in percent. */
  noise_percent: number,
  /** It fared worse than they did. */
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
  /** The load point, as an index into the summary's. */
  point: number,
  /** How many. */
  late_frames: number,
  /** Of how many that were judged. */
  frames_judged: number,
  /** Streams that had any. */
  streams_with_late_frames: number,
  /** All streams. */
  streams: number,
} | { "of": "streams",
  /** The load point, as an index into the summary's. */
  point: number,
  /** Streams. */
  streams: number,
  /** Late frames that were allowed. */
  late_frames: number,
  /** Frames that were judged. */
  frames_judged: number,
} | { "of": "capacity",
  /** It passed every time. */
  streams: number,
  /** So many passed sometimes, where that is more. */
  sometimes: number | null,
  /** Why more may pass; `null` where the limit was found. */
  at_least: AtLeast | null,
} | { "of": "failed",
  /** The load point, as an index into the summary's. */
  point: number,
  /** Which criterion. */
  criterion: Criterion,
} | { "of": "valid_point",
  /** Its streams; `null` where the first is not valid. */
  streams: number | null,
} | { "of": "throughput",
  /** The load point, as an index into the summary's. */
  point: number,
  /** Reads and writes together. */
  bytes_per_s: number,
} | { "of": "first_look",
  /** The format, as an index into those of the look. */
  format: number,
  /** Streams that were played. `null` where that was not measured. */
  play: number | null,
  /** Streams that were recorded. `null` where that was not measured. */
  record: number | null,
} | { "of": "replay",
  /** The last one, as an index into the replay's. */
  pass: number,
  /** How many completed. */
  complete_passes: number,
};

/** The statement of the run. */
export type Statement = {
  /** Whether what was asked for was met. */
  judgement: Judgement,
  /** Why it is inconclusive; empty where it is not. */
  inconclusive?: Array<InconclusiveReason>,
  /** The main result. */
  number: StatedNumber,
  /** The cause: why the number is not better. `null` where nothing failed, or the cause is unknown. */
  cause: Cause | null,
  /** Confidence in the number. */
  confidence: Confidence,
  /** The next step. `null` where the sentence about what could not be measured names it. */
  next_step: NextStep | null,
  /**
   * The load point whose limit is reported, as an index into the summary's. `null` where none is
   * known.
   */
  limit_point?: number,
};

/** What a search found its end by, other than by its answer. */
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

/** The path to some storage. */
export type StoragePath = {
  /** From this machine to the disks. */
  hops: Array<Hop>,
  /** Which of them can carry least, as an index, of those whose ceiling is known and was not outrun. */
  lowest: number | null,
  /** The load was mostly written: ceilings and rates are those of writing. */
  is_writing: boolean,
  /**
   * The link of this client for display: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`; empty where it is
   * unknown.
   */
  client_link: string,
  /**
   * How long the buffer of a client's switch port can absorb the full rate of the server's link.
   * `null` where that is unknown, or the client's link is not the slower one.
   */
  buffer_holds_us: number | null,
  /**
   * Random reads per second of all disks together: as given for one disk, else as typical for its
   * kind. `null` where neither is known.
   */
  disks_random_reads_per_s: number | null,
  /** The description of the site. */
  site: Site,
};

/** What the storage did in an incident. The tool's own pauses are taken out. */
export type StorageThen = {
  /** In a word. */
  behaviour: Behaviour,
  /** The longest time in which operations were in flight and none was answered. */
  no_answer_s: number | null,
  /** When that began. */
  no_answer_began_s: number | null,
  /**
   * Bytes that came, as a share of what the streams needed in that time; may be above 1. `null` where the
   * tool hardly ran.
   */
  answered_share: number | null,
  /**
   * The share of the time in which something was in flight. The tool's own delays and pauses are no part
   * of either.
   */
  busy_share: number | null,
  /** The longest operation: from when it was issued until its result was seen. */
  longest_op_us: number | null,
};

/** One stream. */
export type StreamFigures = {
  /** Its number. */
  stream: number,
  /** What it is, in words. */
  name: string,
  /** What it is. `null` where that is unknown. */
  kind?: StreamKind,
  /** The name of its format. `null` where that is unknown. */
  format?: string,
  /** The machine that it ran on, in a run of several. `null` where there was one. */
  agent?: string,
  /** Whether it records; otherwise it plays. */
  writes: boolean,
  /** What it does with frames whose time has passed. */
  policy: Policy,
  /** How long it may lag. */
  buffer_s: number,
  /** The frames it should move per second. */
  nominal_frames_per_s: number,
  /** When its first operation was due (t0). `null` for a stream that never began: then nothing is known. */
  began_s: number | null,
  /** Frames whose deadline lies in the measured part. */
  frames_judged: number,
  /** Those that came after their deadline or not at all. */
  late_frames: number,
  /**
   * Late frames of which no operation came back: skipped by the stream (policy drop), not reached before
   * the end (policy stall), or stuck until the end.
   */
  dropped_frames: number,
  /** Late frames with an operation that failed or moved less than was asked. */
  failed_frames: number,
  /** Late frames of which a part never came. */
  unfinished_frames: number,
  /** Late frames that would have been in time without the scheduling delay of Reelgauge. */
  late_frames_with_own_delay: number,
  /** The frame that came closest to its deadline, or farthest behind it. */
  worst_margin: WorstMargin | null,
  /**
   * All but one in a hundred frames had this margin or more; negative when late. `null` without frames
   * and where one in a hundred or more never came.
   */
  margin_p1_us: number | null,
  /**
   * Whether its margins shrank. `null` with too few frames to judge, and where play restarted in
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
   * Of judged frames that came, each as a whole: from when its first operation was due until its last
   * byte. Single operations have theirs in the load point's `total.response`.
   */
  response: TimeFigures | null,
  /** The smallest mean throughput over the buffer time. */
  throughput: ThroughputFigures | null,
  /**
   * Frames completed per second of the measured time in which it moved at its pace: from its beginning,
   * or, where a player had filled its buffer before, from when that was shown.
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
  /** Operations of frames that had been settled before; in no other figure of frames. */
  ops_after_frame: number,
};

/** What a stream with frames is. */
export type StreamKind = "editor" | "player" | "recorder";

/** The first late frame of all, and whose it is. */
export type StreamLateFrame = {
  /** The stream. */
  stream: number,
  /** The frame's number on the timeline. */
  frame: number,
  /** Its deadline. */
  deadline_s: number,
  /** Its deadline. */
  deadline_in_point_s: number,
  /** How late it came. `null` where it never did. */
  late_us: number | null,
  /** It was never begun. */
  dropped: boolean,
  /** An operation of it failed. */
  failed: boolean,
};

/** One stream. */
export type StreamStrip = {
  /** Its number. */
  stream: number,
  /** What it is. */
  name: string,
  /** As in `PointStreams`. */
  min_margin_us: Array<number | null>,
  /** As in `PointStreams`. */
  late_frames: Array<number>,
};

/** All streams together. */
export type StreamTotals = {
  /** How many streams there are. */
  streams: number,
  /** How many never began. */
  streams_not_begun: number,
  /** How many had late frames. */
  streams_with_late_frames: number,
  /** Frames whose deadline lies in the measured part. */
  frames_judged: number,
  /** Those that came after their deadline or not at all. */
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
  /** Its deadline. */
  deadline_s: number,
  /** Its deadline. */
  deadline_in_point_s: number,
  /** `false` for a frame that had not come when the measured part ended: it is at least this late. */
  has_come: boolean,
};

/** A suite. */
export type SuiteFacts = {
  /** Name of its directory. */
  id: string,
  /** What charts call it: its tags that the others lack, else its storage, else its directory. */
  label: string,
  /** What it is called: "naspt". */
  name: string,
  /** What was measured. */
  target: string,
  /** Passes of each workload. */
  passes: number,
  /** When operations began: "max", "recorded". */
  pace: string,
  /** How many workloads it should have had. */
  wanted: number,
  /** Why it has fewer. */
  ended_early: string | null,
  /** The storage, in words. */
  storage: string | null,
  /** Words to find it by. */
  tags: Array<string>,
  /** What came of it, in a sentence. */
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

/** A workload in each suite. */
export type SuitesLine = {
  /** What it is called. */
  workload: string,
  /** Which group it belongs to, in words. */
  group: string,
  /** The median of its passes; `null` where it has none that counts. */
  bytes_per_s: Array<number | null>,
  /** The same in multiples of the first suite. */
  times_first: Array<number | null>,
  /** Each pass of each suite; `null` for one that does not count. */
  passes_bytes_per_s: Array<Array<number | null>>,
  /** What its run doubts, in a word or two; `-` for nothing. */
  doubts: Array<string>,
};

/** Means of a group in each suite. */
export type SuitesMeanLine = {
  /** What they are taken over: `NASPT, 12 workloads`. */
  over: string,
  /** The geometric mean; `null` unless the suite has every workload of the group. */
  geometric_bytes_per_s: Array<number | null>,
  /** The arithmetic mean of the same. */
  arithmetic_bytes_per_s: Array<number | null>,
  /** The geometric mean of the multiples of the first suite, over the workloads that both have. */
  geometric_times_first: Array<number | null>,
  /** The arithmetic mean of the same, as the paper's Table 2 prints it. */
  arithmetic_times_first: Array<number | null>,
  /** How many workloads both have. */
  compared: Array<number>,
};

/**
 * Suites side by side. Lists with an entry for each suite have them in the order of `suites`; the first is
 * what multiples are of.
 */
export type SuitesPage = {
  /** The suites. */
  suites: Array<SuiteFacts>,
  /** The answer: a sentence for one suite, or one for each of the others. */
  sentences: Array<string>,
  /** What makes them hard to compare, or the figures doubtful. */
  cautions: Array<string>,
  /** Workloads. */
  rows: Array<SuitesLine>,
  /** Means of each group. */
  means: Array<SuitesMeanLine>,
};

/** Everything that a report shows. */
export type Summary = {
  /** The version of this file's form that the program wrote; see `SCHEMA_VERSION`. */
  schema_version: number,
  /** Version of that program. */
  tool_version: string,
  /** When the run started, RFC 3339. */
  started_at: string,
  /** The command: `mix`, `streams`, … */
  verb: string,
  /** The user's own name for the run; may be empty. */
  label: string,
  /** Where the run's files were written; `null` for a summary that was not made by a run. */
  run_dir: string | null,
  /** The storage as the user describes it. Parts that were not given are `null`. */
  storage: StorageDetails,
  /** Words to find the run by. */
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
  /** Where the data lies. */
  target: Target,
  /** The seed of every draw. `jq` reads numbers above 2^53 inexactly; the plan file has it exactly. */
  seed: number,
  /** The resolved plan as names and values, for display. */
  plan: { [key in string]: string },
  /** Past the client's cache, or not: what was asked and what was found. */
  effective_mode: EffectiveMode,
  /** The files used. */
  data_set: DataSet,
  /** The load points in the order in which they ran. */
  load_points: Array<LoadPoint>,
  /** Every second of the run. */
  series: Series,
  /** The operation log. */
  log: LogFacts,
  /** What verification found; `null` if the run did not verify. */
  verify: VerifyFacts | null,
  /** What the tool itself cost. */
  self_cost: SelfCost,
  /** What to know before believing the figures, the worst first. */
  notes: Array<Note>,
  /** The statement of the run: verdict, number, cause, confidence. `null` in unfinished summaries. */
  statement?: Statement,
  /**
   * Whether the criteria were met: the verdict of the first load point that failed, else of the last.
   * `null` where none were asked for.
   */
  verdict: Verdict | null,
  /** What a search for the largest count found. */
  search?: SearchFacts,
  /** The curve of a VDA-like run. */
  vda?: VdaFacts,
  /** Results of `check`. */
  check?: CheckFacts,
  /** What a replay found. */
  replay?: ReplayFacts,
  /**
   * The memories that may have answered instead of the storage. `null` in a summary that was made from a
   * log alone.
   */
  memory?: MemoryFacts,
  /**
   * The network link to the storage, with what it can carry. `null` where there is none, or it was not
   * found out.
   */
  link?: LinkFacts,
  /** What was sampled, where nothing was measured: a watch. */
  watch?: WatchFacts,
  /** What workers of the original Media Storage Meter reported. */
  msmeter?: MeterFacts,
  /** Observers: samples of other computers, added with `report --observer`. */
  observers?: Array<ObserverFacts>,
  /** Activities during the run that are known to disturb storage. They are not a cause by themselves. */
  marks?: Array<Mark>,
  /** The path to the disks with what each part of it can carry. `null` where nothing leads over a network. */
  path?: StoragePath,
  /**
   * What its streams are for each node, drive, core, client and rack unit, and what one costs. `null`
   * where the site states none of these, or no count of streams was sustained.
   */
  site_shares?: SiteShares,
  /** The machines that made it. `null` where it was one. */
  hosts?: HostsSection,
};

/** A rate that was measured for some seconds. MB = 10^6 bytes. */
export type SustainedRate = {
  /** The level that streams can rely on: the lower one, where there are two. */
  mb_per_s: number,
  /** By how much that may be off, up or down. */
  error_mb_per_s: number,
  /** How it developed. */
  trend: RateTrend,
  /**
   * For how long that level was held, at the end of the measurement; of a rate that rose, at its
   * beginning.
   */
  held_s: number,
  /** The level of the other part, where there are two. */
  other_mb_per_s: number | null,
  /** What was moved beyond the later level before it was reached. */
  burst_mb: number | null,
};

/** The switch. */
export type SwitchSite = {
  /** Maker and model. */
  model?: string,
  /** What a port can hold back. */
  buffer_per_port_kib?: number,
  /** Whether ports share it. */
  buffer_is_shared?: boolean,
  /** Whether pause frames are on at the server's port. */
  flow_control_at_server?: boolean,
  /** Whether they are at the clients'. */
  flow_control_at_clients?: boolean,
};

/** The whole system. */
export type SystemSite = {
  /** Storage nodes. */
  nodes?: number,
  /** Processor cores of all of them. */
  cores?: number,
  /** Machines that make the load. */
  clients?: number,
  /** Rack units of the storage. */
  rack_units?: number,
  /** What it costs. */
  price?: number,
  /** In which currency: `EUR`. */
  currency?: string,
};

/** Rows of cells below two header lines. */
export type Table = {
  /** What it shows, above it on a page. */
  caption: string, columns: Array<Column>,
  /** Columns behind the first one that name the rows with it. */
  more_names: number,
  /** Where the figures of each row are in `summary.json`: `vda.points.0`. Empty where they are not there. */
  rows: Array<string>,
  /** Rows of which something bad is said. */
  bad_rows: Array<number>,
};

/** Where the data lies. */
export type Target = {
  /** The path that was given. */
  path: string,
  /** `nfs4`, `cifs`, `ext4`, … */
  fs_type: string | null,
  /** For display: `SMB 3.1.1 from nas1`. */
  description: string | null,
  /** The mounted thing: `//nas1/media`, `/dev/nvme0n1p2`. */
  source: string | null,
  /** The server, where there is one. */
  server: string | null,
  /** Mount options as the system states them. */
  mount_options: string | null,
  /** Other users own it or may write in it, and root confirmed this with `--shared-target`. */
  is_shared?: boolean,
};

/** What several targets moved together, against fewer of them. */
export type TargetScale = {
  /** The load point with fewest targets that moved most, as an index into the summary's. */
  from_point: number,
  /** Its targets. */
  from_targets: number,
  /** The load point with most targets that moved most. */
  to_point: number,
  /** Its targets. */
  to_targets: number,
  /** What the first moved. */
  from_bytes_per_s: number,
  /** What the second moved. */
  to_bytes_per_s: number,
  /** The second ÷ the first. */
  factor: number,
};

/** The mean throughput over the buffer time, wherever it was smallest (EBU Tech 3362, 9.2(7)). */
export type ThroughputFigures = {
  /** The buffer time. */
  buffer_s: number,
  /** The smallest mean over it. */
  min_bytes_per_s: number,
  /** When that stretch began. */
  min_began_s: number,
  /** When that stretch began. */
  min_began_in_point_s: number,
  /** What the application needs, if that was given. */
  needed_bytes_per_s: number | null,
  /** When the first stretch with less than that began. */
  first_below_s: number | null,
};

/** A figure with its name. */
export type Tile = { name: string,
  /** The figure, with its unit. */
  text: string,
  /** What stands below it, small. */
  more: string,
  /** Where the figure is in `summary.json`; empty where it is not there. */
  path: string,
  /** `null` where it is neither good nor bad. */
  is_good: boolean | null,
  /** What the name means. */
  help: string,
};

/** Equal bins of time. */
export type TimeAxis = {
  /** Where the first begins. */
  from_s: Decimal,
  /** How long each is. */
  bin_s: Decimal,
  /** How many there are; at most 1,200. */
  bins: number,
};

/** A distribution of times. Percentiles are good for three digits; the mean and maximum are exact. */
export type TimeFigures = {
  /** How many operations. */
  count: number,
  /** Mean. */
  mean_us: number,
  /**
   * Standard deviation: of all operations there are, not of a sample, to three digits. `null` in summaries
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

/** Times of operations that succeeded, by kind. `null` where there was none. */
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

/** How a sentence is to be taken. */
export type Tone = "answer" | "plain" | "inconclusive" | "bad";

/** What a trace says about itself: the words of its `trace.json` and of its log. */
export type TraceAbout = {
  /** What it is called. */
  name: string,
  /** Where it lies. */
  path: string,
  /** What it is of, in a sentence; may be empty. */
  about: string,
  /** How it came about: "record", "import strace", "synthetic"; "run" for a run. */
  made_by: string,
  /** The file that was imported, or the command that was recorded; may be empty. */
  source: string,
  /** When it was made, in RFC 3339; empty where that is not known. */
  made_at: string,
  /** At which level operations were seen: "application", "cache", "network", "block". */
  capture: string,
  /** Threads that asked for operations; 0 where that is not known. */
  threads: number,
  /** What it can't see. */
  blind_to: Array<string>,
  /** What somebody who relies on it should know. */
  warnings: Array<string>,
  /** What was seen and not kept, by reason. */
  left_out: { [key in string]: number },
  /** Lines of the source that could not be understood. */
  malformed_lines: number,
  /** The first of them: line number, text, what is wrong. */
  first_malformed: Array<[number, string, string]>,
  /** What its reads and writes moved in all, by itself; `null` where it doesn't say. */
  moved: TraceMoved | null,
  /** What the recorder took per operation, without the way to it and back. */
  cost_ns_per_op: number | null,
  /** What the way to the recorder and back took per operation, measured before it began. */
  round_trip_ns: number | null,
  /** For a synthetic trace: figure, what was published, what the trace has, and how far it may be off. */
  synthetic: Array<[string, number, number, number]>,
};

/** A trace of the library. */
export type TraceEntry = {
  /** The trace's name. */
  name: string,
  /** A description in a sentence; or what is wrong with it. */
  about: string,
};

/** The figures of a trace as a whole, over the chosen period. */
export type TraceFigures = {
  /** Where the period begins; `null` if all is told. */
  from_s: number | null,
  /** Where it ends. */
  to_s: number | null,
  /** When the first operation was issued, since the start of the trace. */
  first_issued_s: number,
  /** From then until the last operation was done. */
  span_s: number,
  /** Operations of every kind. */
  ops: number,
  /** Those that failed. */
  failed_ops: number,
  /** Operations of a run's warm-up; in no other figure. */
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
  /** Accesses that begin where the one before them, in the whole trace, ended in the same file. */
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
  /** Reads that moved nothing, because the file had ended. */
  reads_at_the_end: number,
  /** Accesses that moved something, and less than was asked. */
  short_ops: number,
  /** Sizes of reads, as moved. */
  read_sizes: SizeFigures | null,
  /** Sizes of writes, as moved. */
  write_sizes: SizeFigures | null,
  /** Service times of reads. */
  read_service: ServiceFigures | null,
  /** Service times of writes. */
  write_service: ServiceFigures | null,
  /** Kinds of operations that occur. */
  by_kind: Array<KindFigures>,
  /** What failed, the most frequent first. */
  errors: Array<ErrorCount>,
  /** How many files. */
  files: FilesTouched,
};

/** What the reads and writes of a whole trace moved, as its maker counted. */
export type TraceMoved = {
  /** Reads that did not fail. */
  reads: number,
  /** What they brought. */
  read_bytes: number,
  /** Writes that did not fail. */
  writes: number,
  /** What they wrote. */
  written_bytes: number,
};

/** The period in equal bins. An access counts where it was done. */
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
   * What `reelgauge report TRACE --json` prints, without the files' maps: `Detail.maps` has better
   * ones.
   */
  report: TraceReport,
  /** What is said and shown of it, as blocks; the first is the answer. */
  sections: Array<SectionBlocks>,
  /** What only the log knows. */
  detail: Detail,
};

/** Everything that a report of a trace shows. */
export type TraceReport = {
  /** `TRACE_REPORT_VERSION`. */
  trace_report_version: number,
  /** What the trace says about itself. */
  about: TraceAbout,
  /** All operations together. */
  figures: TraceFigures,
  /** The files with the most bytes. */
  files: Array<FileFigures>,
  /** What was done when. */
  over_time: TraceOverTime,
  /** Signs of fragmented files. */
  signs: FragmentSigns,
};

/** All trials with one count. */
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

/** Operations that had got no answer when a load point was given up. */
export type Unanswered = {
  /** Threads that waited for one operation each, or for several at once. */
  threads: number,
  /** How long the oldest had been under way. Throughput counts that time as far as it was measured. */
  for_s: number,
};

/** The load curve, with everything that limits its meaning. */
export type VdaFacts = {
  /** "VDA-like …": the label of everything that shows these figures. */
  label: string,
  /** How the data set and the times compare with the published definition, in words. */
  data_set_note: string,
  /** The load points, in the order in which they ran. */
  points: Array<VdaPoint>,
  /**
   * The largest load point before the first that is not valid. `null` where the first is not, and in runs
   * of earlier versions.
   */
  streams: number | null,
  /** Its total in the unit of published results, KiB/s ÷ 1000. */
  published_mb_per_s: number | null,
  /** The overall response time. `null` where there is no curve to compute it from. */
  overall_response_time_ms: number | null,
  /** Why there is none, or why it compares with no published one; `null` where it compares. */
  ort_note: string | null,
  /** The last load point before the response time turns upwards, as an index into `points`. */
  knee_point: number | null,
  /** Steps between load points that are not within ±30 % of the mean step, in words. */
  uneven_steps: Array<string>,
};

/** One load point of the curve. */
export type VdaPoint = {
  /** Streams, each one camera and one companion. */
  streams: number,
  /** What all processes together were asked for. */
  requested_ops_per_s: number,
  /** What they did. */
  achieved_ops_per_s: number,
  /** Mean response time of all transfers of both component workloads. `null` where none was finished. */
  mean_response_ms: number | null,
  /** Bytes written; MiB = 2^20. */
  written_mib_per_s: number | null,
  /** Bytes read; MiB = 2^20. */
  read_mib_per_s: number | null,
  /**
   * Read and written together in the unit of published results, KiB/s ÷ 1000. `null` where that was not
   * measured, and in runs of earlier versions.
   */
  published_mb_per_s: number | null,
  /** Every process, all together, and the ratio of the component workloads kept their limits. */
  valid: boolean,
  /** Why it is not valid, in words. */
  why_not?: string,
};

/** Whether a load point met its criteria. */
export type Verdict = {
  /** Everything that was asked for was measured and met. */
  passed: boolean,
  /** The failure that came first in time. */
  failed_first: Failure | null,
  /**
   * Every failure, first ones first; those without a moment after those with one, and what was not
   * measured last.
   */
  failures: Array<Failure>,
  /** What was asked for. */
  asked: Array<Criterion>,
  /**
   * The storage failed at least one criterion: this was measured, and Reelgauge's scheduling delay
   * does not explain it.
   */
  storage_failed: boolean,
};

/** How a verdict is to be taken. */
export type VerdictTone = "good" | "unsure" | "bad" | "plain";

/** A verdict and how it is to be taken. */
export type VerdictWord = {
  /** `criteria met`. */
  word: string,
  /** Its sign and colour. */
  tone: VerdictTone,
};

/** What verification found. */
export type VerifyFacts = {
  /** Bytes that were compared with what had been written. */
  checked_bytes: number,
  /** Bytes that differed. */
  different_bytes: number,
  /** Where the first difference is, in words. */
  first_difference: string | null,
};

/** What was sampled while nothing was measured. */
export type WatchFacts = {
  /** The machine, by the name of its folder in `counters/`. */
  agent: string,
  /** From the first sample to the last. */
  watched_s: number,
  /** How often it looked. */
  looks: number,
  /** What counted, those that say most first. */
  counters: Array<WatchedCounter>,
  /** What could not be sampled, in words. */
  unread: Array<string>,
};

/** One counter of a watch. */
export type WatchedCounter = {
  /** `host`, `network`, `disk`, `mount` or `tool`. */
  layer: string,
  /** As in the log: `util_percent`. */
  name: string,
  /** Which of several; empty where there is one. */
  device: string,
  /** For display, without the unit: "sda busy". */
  words: string,
  /** `percent`, `bytes_per_s`, `per_s`, `us`, `bytes`, `count`. */
  unit: string,
  /** Over all the time that it was sampled. */
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

/** Some workers of one kind, as far as it bears on comparing. */
export type WorkActor = {
  /** `player`, `mix`, `replay`, … */
  kind: string,
  /** The format, footage or trace that they work on; empty where there is none. */
  media: string,
  /** How many there are in each unit of scale. */
  count: number,
  /** A clock says when they ask for what, so that their throughput is what was asked for. */
  paced: boolean,
};

/** The figures of one worker. */
export type WorkerFigures = {
  /** Its number. */
  worker: number,
  /**
   * The paper's tables of this worker alone, without the cells for which it measured nothing. `null`
   * where no block sizes are drawn.
   */
  paper?: PaperTables,
  /** Operations of every kind that were measured, failed ones included. */
  ops: number,
  /** Those that failed. */
  failed_ops: number,
  /** The same by kind. */
  ops_by_kind: OpsByKind,
  /** Operations of the warm-up. They are in no other figure. */
  warmup_ops: number,
  /** Transfers that ran to their end without a failure. */
  transfers: number,
  /** Transfers that did not: cut off by the end or the warm-up, or with a failed operation. */
  transfers_left_out: number,
  /**
   * Reads and writes that succeeded but moved less than requested. They end the run, except in a replay,
   * and are in no time here.
   */
  short_transfers: number,
  /** The writes among them. `null` in summaries of versions that did not tell them apart. */
  short_writes: number | null,
  /** Bytes read. */
  read_bytes: number,
  /** Bytes written. */
  written_bytes: number,
  /** Throughput: bytes read ÷ measured time. `null` where that is 0. */
  read_bytes_per_s: number | null,
  /** Throughput: bytes written ÷ measured time. */
  written_bytes_per_s: number | null,
  /** Both together. */
  bytes_per_s: number | null,
  /** Reads and writes that succeeded ÷ measured time. */
  data_ops_per_s: number | null,
  /** From when operations were due until they were done: what an application would have felt. */
  response: TimesByKind,
  /** From when operations were issued until they were done: what the storage took. */
  service: TimesByKind,
  /**
   * Time from when operations were due *and their worker was free* until they were issued: the
   * scheduling delay of Reelgauge.
   */
  lateness: LatenessFigures | null,
  /** What failed, by error number. */
  errors: Array<ErrorFigures>,
  /** The failure that came first. */
  first_error: FirstError | null,
};

/** Margin of a frame: how close it was to its deadline. */
export type WorstMargin = {
  /** Deadline − completion; negative when late. */
  margin_us: number,
  /** The frame's number on the timeline. */
  frame: number,
  /** Its deadline. */
  deadline_s: number,
  /** Its deadline. */
  deadline_in_point_s: number,
  /** `false` for a frame that had not come when the measured part ended: it is at least this late. */
  has_come: boolean,
};

/** A file that a pass of a replay wrote, and the pieces that it lies in. */
export type WrittenPieces = {
  /** Index of the load point of the pass. */
  point: number,
  /** Its name in the trace. */
  file: string,
  /** Bytes. */
  size_bytes: number,
  /** Pieces. */
  pieces: number,
  /** Bytes of a piece, on average. */
  piece_bytes: number,
};
