// A comparison in the console: two to eight runs, chosen in the list.

import { api } from "../data/api";
import { ReportPage } from "../report-page";
import { ConsoleBar } from "./bar";
import { useData } from "./use-data";
import { Waiting } from "./waiting";

export const FEWEST = 2;
export const MOST = 8;

export function ComparePage({ ids }: { ids: string[] }) {
  if (ids.length < FEWEST || ids.length > MOST) {
    const error = `A comparison takes ${FEWEST} to ${MOST} runs; this address names ${ids.length}. Choose them in the list of runs.`;
    return <Waiting title="Comparison" what="the runs" error={error} back={<ConsoleBar here="compare" />} />;
  }
  return <Compared ids={ids} />;
}

function Compared({ ids }: { ids: string[] }) {
  const { data, error } = useData((stop) => api.compare(ids, stop), ids.join("\n"));
  const bar = <ConsoleBar here="compare" />;
  if (data === null) return <Waiting title="Comparison" what="the runs" error={error} back={bar} />;
  return <ReportPage page={data} back={bar} />;
}
