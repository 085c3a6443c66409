// A page of data of any kind. The report and the live console both show it.

import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ConditionsContext } from "./charts/conditions";
import type { Page } from "./data/page";
import { CompareReport } from "./compare/compare-report";
import { period } from "./period";
import { RunReport } from "./run/run-report";
import { SuitesReport } from "./suites/suites-report";
import { TraceReportPage } from "./trace/trace-report";

interface Props {
  page: Page;
  /** A link back, in the live console. */
  back?: ComponentChildren;
}

export function ReportPage(props: Props) {
  // Other runs have other times. The same runs are loaded again if their notes change.
  const { kind, runs, trace } = props.page;
  const shown = [kind, trace?.id ?? "", ...runs.map((run) => run.id)].join("\n");
  useEffect(() => () => void (period.value = null), [shown]);
  return (
    <ConditionsContext.Provider value={props.page.deviations}>
      <Kind {...props} />
    </ConditionsContext.Provider>
  );
}

function Kind({ page, back }: Props) {
  if (page.kind === "trace" && page.trace !== null)
    return <TraceReportPage trace={page.trace} page={page} back={back} />;
  if (page.kind === "compare" && page.comparison !== null) return <CompareReport page={page} back={back} />;
  if (page.kind === "suites" && page.suites !== null) return <SuitesReport page={page} suites={page.suites} back={back} />;
  const run = page.runs[0];
  if (run === undefined)
    return (
      <main>
        <p>This file contains no run.</p>
      </main>
    );
  return <RunReport run={run} page={page} back={back} />;
}
