// Suites side by side in the console, on the same page as in a report.

import type { ComponentChildren } from "preact";
import { api } from "../data/api";
import { ReportPage } from "../report-page";
import { useData } from "./use-data";
import { Waiting } from "./waiting";

interface Props {
  ids: string[];
  bar: ComponentChildren;
}

export function SuitesCompared({ ids, bar }: Props) {
  const { data, error } = useData((stop) => api.compareSuites(ids, stop), ids.join("\n"));
  if (data === null) return <Waiting title="Comparison" what="the suites" error={error} back={bar} />;
  return <ReportPage page={data} back={bar} />;
}
