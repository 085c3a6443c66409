// The charts of a search for the largest count: trials by count, and the steps in the order of the search.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption, ScatterSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { RunPage } from "../data/page";
import type { LoadPoint, SearchFacts, TrialsAt } from "../data/summary";
import { count } from "../figures/units";
import { chartTable } from "../parts/blocks";

/** The names of the two causes of failed trials: the headers of the table of trials. */
interface Faults {
  theirs: string;
  own: string;
}

export function SearchCharts({ facts, run }: { facts: SearchFacts; run: RunPage }) {
  const points = run.summary.load_points;
  const table = chartTable(run, "search");
  const [, , theirs = "", own = ""] = table.columns;
  const faults = { theirs, own };
  const trials = useMemo(() => (look: Look) => trialBars(facts.trials, faults, look), [run]);
  const steps = useMemo(() => (look: Look) => stepDots(points, faults, look), [run]);
  return (
    <div class="grid">
      <Chart
        id="search-trials"
        title="Trials by count of streams"
        describe={facts.evidence_sentence}
        option={trials}
        height={280}
        table={table}
      />
      <Chart
        id="search-steps"
        title="Steps of the search"
        describe={`${count(points.length)} trials, the first with ${count(points[0]?.stream_count ?? 0)} streams.`}
        option={steps}
        height={280}
        table={() => ({
          columns: ["step", "streams", "result"],
          rows: points.map((point, at) => [at + 1, point.stream_count ?? null, outcomeOf(point, faults)]),
        })}
      />
    </div>
  );
}

function trialBars(trials: TrialsAt[], faults: Faults, look: Look): ChartOption {
  const bar = (
    name: string,
    color: string,
    field: "passed" | "failed" | "client_limited",
    angle: number | null,
  ) => ({
    type: "bar" as const,
    name,
    stack: "trials",
    barMaxWidth: 36,
    itemStyle: {
      color,
      ...(angle === null
        ? {}
        : {
            decal: {
              symbol: "rect" as const,
              dashArrayX: [1, 0] as [number, number],
              dashArrayY: [2, 4] as [number, number],
              rotation: angle,
              color: look.ground,
            },
          }),
    },
    data: trials.map((at) => at[field]),
  });
  return {
    xAxis: categoryAxis(
      look,
      "streams",
      trials.map((at) => count(at.streams)),
    ),
    yAxis: { ...valueAxis(look, "trials"), minInterval: 1 },
    grid: { bottom: 24, top: 48 },
    series: [
      bar("passed", look.good, "passed", null),
      bar(faults.theirs, look.bad, "failed", 0.8),
      bar(faults.own, look.faint, "client_limited", -0.8),
    ],
  };
}

function outcomeOf(point: LoadPoint, faults: Faults): string {
  if (point.verdict?.passed === true) return "passed";
  if (["this_machine", "tool", "max_rate"].includes(point.culprit ?? "")) return faults.own;
  return point.verdict?.storage_failed === true ? faults.theirs : "unknown";
}

function stepDots(points: LoadPoint[], faults: Faults, look: Look): ChartOption {
  const kinds = [
    { name: "passed", color: look.good, symbol: "circle" },
    { name: faults.theirs, color: look.bad, symbol: "triangle" },
    { name: faults.own, color: look.faint, symbol: "rect" },
    { name: "unknown", color: look.mark, symbol: "diamond" },
  ];
  const steps = points.map((point, at) => ({
    at: at + 1,
    streams: point.stream_count ?? 0,
    outcome: outcomeOf(point, faults),
  }));
  const order: LineSeriesOption = {
    type: "line",
    name: "order",
    symbol: "none",
    silent: true,
    lineStyle: { color: look.line, width: 1.5 },
    data: steps.map((step) => [step.at, step.streams]),
  };
  const dots: ScatterSeriesOption[] = kinds.map((kind) => ({
    type: "scatter",
    name: kind.name,
    symbolKeepAspect: true,
    symbol: kind.symbol,
    symbolSize: 10,
    itemStyle: { color: kind.color },
    data: steps.filter((step) => step.outcome === kind.name).map((step) => [step.at, step.streams]),
  }));
  const axis = valueAxis(look, "step");
  return {
    xAxis: {
      ...axis,
      nameLocation: "middle",
      nameGap: 26,
      min: 0,
      max: points.length + 1,
      minInterval: 1,
      splitLine: { show: false },
    },
    yAxis: { ...valueAxis(look, "streams"), minInterval: 1 },
    grid: { bottom: 24, top: 48 },
    tooltip: { trigger: "item", formatter: (item: unknown) => stepWords(item, steps) },
    series: [order, ...dots.filter((series) => (series.data ?? []).length > 0)],
    legend: {
      data: kinds.map((kind) => kind.name).filter((name) => steps.some((step) => step.outcome === name)),
    },
  };
}

function stepWords(item: unknown, steps: { at: number; streams: number; outcome: string }[]): string {
  const value = (item as { value?: unknown }).value;
  const at = Array.isArray(value) ? Number(value[0]) : 0;
  const step = steps.find((one) => one.at === at);
  return step === undefined ? "" : `step ${step.at}: ${count(step.streams)} streams, ${step.outcome}`;
}
