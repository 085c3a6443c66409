// Signs of fragmented files in a trace, as TraceReport.signs holds them. The types are those of the Rust side
// (generated.ts).

export type { ColdReads, FarWrites, FragmentSigns, Hints } from "./generated";
