// The content of a page. The types are those of the Rust side (generated.ts). Figures that are in summary.json are
// taken from there and never computed again. Unmeasured values are null, never 0. Long lists are columns (one array per
// field), because they are small and fast to read. Times are seconds since the start of the run.

export type {
  ComparedRun,
  Comparison,
  CounterAgent,
  CounterSeries,
  Counters,
  Detail,
  FileMap,
  FileRows,
  Headroom,
  IncidentSentence,
  LatencyGrid,
  LatencySide,
  MapLevel,
  MapPoints,
  OpColumns,
  OverTime,
  Page,
  PercentileCurve,
  PointStreams,
  RunNotes,
  RunPage,
  Sentence,
  SizeCounts,
  StreamStrip,
  SuitesPage,
  TimeAxis,
  TracePage,
} from "./generated";
