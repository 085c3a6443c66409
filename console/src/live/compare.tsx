// A comparison in the console, chosen in the list: two to eight runs or suites.

import { api } from "../data/api";
import { ReportPage } from "../report-page";
import { ConsoleBar } from "./bar";
import { FEWEST, MOST, compareChoice } from "./compare-choice";
import { SuitesCompared } from "./suites-compared";
import { useData } from "./use-data";
import { Waiting } from "./waiting";

export function ComparePage({ ids }: { ids: string[] }) {
  if (ids.length < FEWEST || ids.length > MOST) {
    const error = `A comparison needs ${FEWEST} to ${MOST} runs; this link names ${ids.length}. Choose runs in the list.`;
    return <Waiting title="Comparison" what="the runs" error={error} back={<ConsoleBar here="compare" />} />;
  }
  return <Chosen ids={ids} />;
}

/** The list of runs distinguishes runs from suites. */
function Chosen({ ids }: { ids: string[] }) {
  const runs = useData(api.runs, "runs");
  const bar = <ConsoleBar here="compare" />;
  if (runs.data === null) return <Waiting title="Comparison" what="the runs" error={runs.error} back={bar} />;
  const choice = compareChoice(ids, runs.data);
  if ("refused" in choice) return <Waiting title="Comparison" what="the runs" error={choice.refused} back={bar} />;
  return choice.of === "suites" ? <SuitesCompared ids={ids} bar={bar} /> : <Compared ids={ids} />;
}

function Compared({ ids }: { ids: string[] }) {
  const { data, error } = useData((stop) => api.compare(ids, stop), ids.join("\n"));
  const bar = <ConsoleBar here="compare" />;
  if (data === null) return <Waiting title="Comparison" what="the runs" error={error} back={bar} />;
  return <ReportPage page={data} back={bar} />;
}
