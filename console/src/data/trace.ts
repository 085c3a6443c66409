// What `reelgauge report TRACE --json` prints. The types are those of the Rust side (generated.ts).

export type { FileFigures, TraceReport } from "./generated";
