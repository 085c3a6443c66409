// What a page shows. The types are those of the Rust side (generated.ts); a figure that stands in summary.json is
// taken from there and never computed again. What was not measured is null, never 0. Long lists are columns (one
// array a field), because they are small and fast to read. Times are seconds since the start of the run.

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
