// A trace in the console: its page, with further details from the server.

import { useMemo } from "preact/hooks";
import { api } from "../data/api";
import { ReportPage } from "../report-page";
import { SourceContext } from "../trace/source";
import { ConsoleBar } from "./bar";
import { hashOf } from "./routes";
import { useData } from "./use-data";
import { Waiting } from "./waiting";

export function TracePageView({ name }: { name: string }) {
  const { data, error } = useData((stop) => api.tracePage(name, stop), name);
  const source = useMemo(
    () => ({
      map: (query: URLSearchParams, stop: AbortSignal) => api.traceMap(name, query, stop),
      ops: (query: URLSearchParams, stop: AbortSignal) => api.traceOps(name, query, stop),
    }),
    [name],
  );
  const bar = (
    <ConsoleBar here="trace">
      <a class="button" href={hashOf({ page: "start", verb: "replay", set: { trace: name } })}>
        Replay a trace
      </a>
    </ConsoleBar>
  );
  if (data === null) return <Waiting title={name} what="the trace" error={error} back={bar} />;
  return (
    <SourceContext.Provider value={source}>
      <ReportPage page={data} back={bar} />
    </SourceContext.Provider>
  );
}
