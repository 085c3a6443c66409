// Histograms of response times of several runs in one chart: the share of operations in each bin of time, separately
// for reads and writes.

import { useMemo } from "preact/hooks";
import { categoryAxis, tickUs, valueAxis } from "../charts/axes";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { seriesStyle } from "../charts/palette";
import type { RunPage } from "../data/page";
import { counted, duration, fixed } from "../figures/units";
import { Section } from "../parts/section";
import { binEndUs, binStartUs, latencyCounts } from "../run/period-stats";
import { type HistogramLine, histogramsOf } from "./histogram-lines";

type Kind = "reads" | "writes";

export function HistogramsOver({ runs, names }: { runs: RunPage[]; names: string[] }) {
  const kinds = histogramKinds(runs, names);
  if (kinds.length === 0) return null;
  return (
    <Section
      id="histograms"
      title="Histograms of response times"
      about="Share of each run’s operations by response time, four bins per doubling. The whole run without warm-up."
    >
      <div class="grid">
        {kinds.map((kind) => (
          <HistogramChart key={kind} kind={kind} runs={runs} names={names} />
        ))}
      </div>
    </Section>
  );
}

/** The kinds of operations that occur in at least two runs. */
export function histogramKinds(runs: RunPage[], names: string[]): Kind[] {
  return (["reads", "writes"] as const).filter((kind) => linesOf(runs, names, kind).length > 1);
}

function linesOf(runs: RunPage[], names: string[], kind: Kind): HistogramLine[] {
  const counts = runs.map(({ detail }) => (detail === null ? [] : latencyCounts(detail.latency[kind], { first: 0, end: detail.time.bins })));
  return histogramsOf(counts, names);
}

function HistogramChart({ kind, runs, names }: { kind: Kind; runs: RunPage[]; names: string[] }) {
  const lines = useMemo(() => linesOf(runs, names, kind), [runs, names, kind]);
  const bins = lines[0]?.bins ?? [];
  const option = useMemo(() => (look: Look) => draw(look, lines), [lines]);
  return (
    <Chart
      id={`compare-histogram-${kind}`}
      title={`Response times of ${kind}`}
      describe={`${lines.map(({ name, count, mode }) => `${name}: ${counted(count, "operation")}, most around ${duration(binStartUs(mode))}`).join("; ")}.`}
      option={option}
      height={300}
      note="Corresponds to the NASPT paper, Figures 5, 10 and 11, with all systems in one chart."
      table={() => ({
        columns: ["from, ms", "to, ms", ...lines.map(({ name }) => `${name}, %`)],
        rows: bins.map((bin, at) => [binStartUs(bin) / 1e3, binEndUs(bin) / 1e3, ...lines.map(({ percent }) => percent[at] ?? 0)]),
      })}
    />
  );
}

function draw(look: Look, lines: HistogramLine[]): ChartOption {
  const bins = lines[0]?.bins ?? [];
  const axis = categoryAxis(
    look,
    "",
    bins.map((bin) => tickUs(Number(binStartUs(bin).toPrecision(2)))),
  );
  return {
    xAxis: { ...axis, axisLabel: { ...axis.axisLabel, interval: (at: number) => (bins[at] ?? 0) % 4 === 0 } },
    yAxis: { ...valueAxis(look, "% of operations"), min: 0 },
    grid: { top: 48 },
    tooltip: { valueFormatter: (value: unknown) => (typeof value === "number" ? `${fixed(value, 2)} %` : "–") },
    series: lines.map(({ run, name, percent }) => {
      const style = seriesStyle(look, run);
      return {
        type: "line" as const,
        name,
        step: "middle" as const,
        symbol: "none",
        areaStyle: { color: style.color, opacity: 0.12 },
        itemStyle: { color: style.color },
        lineStyle: { color: style.color, width: 2, type: style.dash },
        data: percent,
      };
    }),
  };
}
