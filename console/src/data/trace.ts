// What `reelgauge report TRACE --json` prints. The types are those of the Rust side (generated.ts).

export type {
  ErrorCount,
  FileFigures,
  FilesTouched,
  KindFigures,
  ServiceFigures,
  SizeFigures,
  TraceAbout,
  TraceFigures,
  TraceReport,
} from "./generated";
