// The interface between the live console and its server (crates/console).
//
// POST /api/enter                     {token}              sets the cookie that lets this browser in
// GET  /api/info                      Info
// GET  /api/runs                      RunEntry[]           newest first
// GET  /api/runs/ID/page              Page                 kind "run"
// GET  /api/runs/ID/map?file=N&from_s=&to_s=&from_bytes=&to_bytes=&columns=&rows=      MapLevel
// GET  /api/runs/ID/ops?from_s=&to_s=&file=GLOB&kind=&sort=&top=                      OpsFound
// GET  /api/runs/ID/events?from=N     EventsTold           the events since N; the page polls this
// GET  /api/runs/ID/counters          Counters | null      the samples, also while the run is in progress
// GET  /api/runs/ID/proof             ProofPage
// GET  /api/runs/ID/procedure         ProcedurePage
// GET  /api/runs/ID/suite             SuitePage
// GET  /api/runs/ID/live              server-sent events: each is one LiveEvent in `data:`
// PUT  /api/runs/ID/notes             RunNotes
// POST /api/runs/ID/stop
// DELETE /api/runs/ID
// GET  /api/compare?run=ID&run=ID     Page                 kind "compare"
// GET  /api/suites/compare?run=SUITE&run=SUITE       Page                 kind "suites"
// GET  /api/forms                     Form[]
// GET  /api/choices                   Choices
// GET  /api/formats?words=            FormatsFound
// POST /api/ahead                     StartRequest -> AheadAnswer
// POST /api/start                     StartRequest -> StartAnswer
// GET  /api/traces                    TraceEntry[]
// GET  /api/traces/NAME/page          Page                 kind "trace"
// GET  /api/traces/NAME/map?…         MapLevel             as for a run
// GET  /api/traces/NAME/ops?…         OpsFound             as for a run
// GET  /metrics                       Prometheus text
// An error is { "error": "what, where, what to do" } with status 4xx or 5xx.
// Requests other than GET need the header `X-Reelgauge: 1`. The types are those of the Rust side (generated.ts).

import type { LiveEvent } from "./generated";

export type {
  AheadAnswer,
  ChoiceEntry,
  Choices,
  Counters,
  EventsTold,
  Filled as StartRequest,
  Form,
  FormField,
  FormatEntry,
  FormatsFound,
  Info,
  LiveEvent,
  LiveHosts,
  LiveIncident,
  LiveStreams,
  OpsFound,
  ProcedurePage,
  ProcedureStepRow,
  ProcedureStepState,
  ProofPage,
  ProofPassRow,
  RunEntry,
  StartAnswer,
  SuitePage,
  SuiteRow,
  TraceEntry,
} from "./generated";

/** The event that a run sends once a second, and immediately when something happens. */
export type LiveTick = Extract<LiveEvent, { event: "live" }>;
