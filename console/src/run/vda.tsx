// The charts of a VDA-like run's load curve: op rate and response time against streams, the knee, and the valid points.
// The title of each states that it is not the result of a published benchmark.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { RunPage } from "../data/page";
import type { LoadPoint, VdaFacts } from "../data/summary";
import { count, number } from "../figures/units";
import { chartTable } from "../parts/blocks";
import { cut } from "../parts/text";

export function VdaCharts({ run, facts }: { run: RunPage; facts: VdaFacts }) {
  const points = run.summary.load_points;
  const rates = useMemo(() => (look: Look) => rateChart(facts, look), [facts]);
  const responses = useMemo(() => (look: Look) => responseChart(facts, points, look), [facts, points]);
  const table = () => chartTable(run, "vda");
  return (
    <div class="grid">
      <Chart
        id="vda-rate"
        title={`Requested and achieved rate (${cut(facts.label, 60)})`}
        describe={facts.points
          .map(
            (point) =>
              `${count(point.streams)} streams: ${number(point.achieved_ops_per_s)} of ${number(point.requested_ops_per_s)} op/s`,
          )
          .join("; ")}
        option={rates}
        table={table}
      />
      <Chart
        id="vda-response"
        title={`Mean response time (${cut(facts.label, 60)})`}
        describe={facts.points
          .map(
            (point) =>
              `${count(point.streams)} streams: ${point.mean_response_ms === null ? "not measured" : `${number(point.mean_response_ms)} ms`}`,
          )
          .join("; ")}
        option={responses}
        table={table}
      />
    </div>
  );
}

/** Whether a load point ended early: it is neither valid nor invalid. */
function isCutOff(point: LoadPoint | undefined): boolean {
  return point !== undefined && point.ended_early !== null;
}

function rateChart(facts: VdaFacts, look: Look): ChartOption {
  const line = (
    name: string,
    values: number[],
    color: string,
    dash: "solid" | number[],
    symbol: string,
  ): LineSeriesOption => ({
    type: "line",
    name,
    data: values,
    symbol,
    symbolSize: 9,
    itemStyle: { color },
    lineStyle: { color, type: dash, width: 2 },
  });
  return {
    ...frame(facts, look, "op/s", (value) => `${number(value)} op/s`),
    series: [
      line(
        "requested",
        facts.points.map((point) => point.requested_ops_per_s),
        look.faint,
        [6, 4],
        "emptyCircle",
      ),
      line(
        "achieved",
        facts.points.map((point) => point.achieved_ops_per_s),
        look.read,
        "solid",
        "circle",
      ),
    ],
  };
}

function responseChart(facts: VdaFacts, points: LoadPoint[], look: Look): ChartOption {
  const series: LineSeriesOption = {
    type: "line",
    name: "mean response",
    symbolSize: 9,
    itemStyle: { color: look.both },
    lineStyle: { color: look.both, width: 2 },
    data: facts.points.map((point, at) => ({
      value: point.mean_response_ms,
      symbol: point.valid ? "circle" : isCutOff(points[at]) ? "diamond" : "triangle",
      itemStyle: { color: point.valid ? look.both : isCutOff(points[at]) ? look.faint : look.bad },
      label:
        at === facts.knee_point
          ? { show: true, formatter: "knee", position: "top" as const, color: look.ink }
          : undefined,
    })),
  };
  if (facts.overall_response_time_ms !== null) {
    series.markLine = {
      symbol: "none",
      silent: true,
      lineStyle: { color: look.mark, type: "dashed" },
      label: {
        formatter: `overall ${number(facts.overall_response_time_ms)} ms`,
        position: "insideEndTop",
        color: look.mark,
      },
      data: [{ yAxis: facts.overall_response_time_ms }],
    };
  }
  return { ...frame(facts, look, "ms", (value) => `${number(value)} ms`), series: [series] };
}

function frame(facts: VdaFacts, look: Look, unit: string, say: (value: number) => string): ChartOption {
  return {
    xAxis: categoryAxis(
      look,
      "streams",
      facts.points.map((point) => count(point.streams)),
    ),
    yAxis: { ...valueAxis(look, unit), min: 0 },
    grid: { bottom: 24, top: 48 },
    tooltip: { valueFormatter: (value: unknown) => (typeof value === "number" ? say(value) : "–") },
  };
}
