// A page of data, whatever it is about. The report and the live console both show it.

import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Page } from "./data/page";
import { CompareReport } from "./compare/compare-report";
import { period } from "./period";
import { RunReport } from "./run/run-report";
import { TraceReportPage } from "./trace/trace-report";

interface Props {
  page: Page;
  /** A way back, for the live console. */
  back?: ComponentChildren;
}

export function ReportPage({ page, back }: Props) {
  // Another page has other times.
  useEffect(() => () => void (period.value = null), [page]);
  if (page.kind === "trace" && page.trace !== null)
    return <TraceReportPage trace={page.trace} page={page} back={back} />;
  if (page.kind === "compare" && page.comparison !== null) return <CompareReport page={page} back={back} />;
  const run = page.runs[0];
  if (run === undefined)
    return (
      <main>
        <p>This file holds no run.</p>
      </main>
    );
  return <RunReport run={run} page={page} back={back} />;
}
