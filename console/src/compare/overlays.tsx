// Several runs in one chart: throughput from each run's start, latency percentiles, and figures of each load point
// against the number of clients or the swept value.

import { useMemo } from "preact/hooks";
import type { Comparison, PercentileCurve, RunPage } from "../data/page";
import type { LoadPoint, Summary } from "../data/summary";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { decades, latencyAxis, timeAxis, valueAxis } from "../charts/axes";
import { carriedCurve } from "../figures/percentile";
import { duration, mbPerS, ms, number } from "../figures/units";
import { Section } from "../parts/section";
import { flowOf, joined } from "../run/over-time";
import { hasEbuFigures, paperValues } from "../run/paper-lines";
import { isLadder, pointAxis } from "./point-keys";
import { runName } from "./run-key";
import { AgainstChart, lineSeries } from "./against-chart";
import type { Line } from "./against-chart";
import { EbuOver } from "./ebu-over";
import { HistogramsOver } from "./histograms-over";
import { StripsOver } from "./strips-over";

interface Props {
  runs: RunPage[];
  comparison: Comparison;
}

export function Overlays({ runs, comparison }: Props) {
  const names = comparison.runs.map(runName);
  return (
    <>
      <StripsOver runs={runs} names={names} />
      <ThroughputOver runs={runs} names={names} />
      <PercentilesOver runs={runs} names={names} />
      <HistogramsOver runs={runs} names={names} />
      <ClientsOver runs={runs} names={names} />
    </>
  );
}

function ThroughputOver({ runs, names }: { runs: RunPage[]; names: string[] }) {
  const lines = useMemo(() => runs.map((run, at) => throughputLine(run, names[at] ?? "")), [runs]);
  const end = Math.max(1, ...lines.flatMap((line) => line.data.map(([at]) => Number(at))));
  const option = useMemo(
    () => (look: Look): ChartOption => ({
      xAxis: timeAxis(look),
      yAxis: { ...valueAxis(look, "MB/s"), min: 0 },
      tooltip: { valueFormatter: (value: unknown) => (typeof value === "number" ? `${mbPerS(value * 1e6)} MB/s` : "–") },
      series: lines.map((line, at) => ({ ...lineSeries(look, line, at, false), step: "end" as const })),
    }),
    [lines],
  );
  const peak = (line: Line) => mbPerS(Math.max(0, ...line.data.map(([, value]) => value ?? 0)) * 1e6);
  return (
    <Section id="over-time" title="Throughput" about="Reads plus writes. Time counts from the start of each run.">
      <Chart
        id="compare-throughput"
        title="Throughput"
        describe={lines.map((line) => `${line.name}: peak ${peak(line)} MB/s`).join("; ")}
        option={option}
        timeAxis={{ from_s: 0, to_s: end }}
        table={() => ({
          columns: ["run", "from, s", "MB/s"],
          rows: lines.flatMap((line) => line.data.map(([at, value]) => [line.name, at, value])),
        })}
      />
    </Section>
  );
}

function throughputLine(run: RunPage, name: string): Line {
  const flow = flowOf(run.summary, run.detail);
  if (flow === null) return { name, data: [] };
  const both = flow.read_bytes.map((read, bin) => read + (flow.written_bytes[bin] ?? 0));
  // One-second steps, as on a run's own page, and no more than 400 steps.
  const { values, per } = joined(both, Math.min(400, Math.max(10, Math.ceil(flow.time.bins * flow.time.bin_s))), "sum");
  const width_s = flow.time.bin_s * per;
  const start = flow.time.from_s;
  const data = values.map((bytes, bin): [number, number] => [start + bin * width_s, bytes / width_s / 1e6]);
  const last = data[data.length - 1];
  // The last step has a width, too.
  return { name, data: last === undefined ? [] : [...data, [last[0] + width_s, last[1]]] };
}

function PercentilesOver({ runs, names }: { runs: RunPage[]; names: string[] }) {
  const kinds = ["read", "write"].filter((kind) => runs.some((run) => curveOf(run, kind) !== null));
  if (kinds.length === 0) return null;
  return (
    <Section
      id="percentiles"
      title="Response times"
      about="Response time by percentile, the slowest operations on the right. The whole run without warm-up."
    >
      <div class="grid">
        {kinds.map((kind) => (
          <PercentileChart key={kind} kind={kind} runs={runs} names={names} />
        ))}
      </div>
    </Section>
  );
}

/** A run's curve for a kind, up to the highest percentile that its number of operations supports. */
function curveOf(run: RunPage, kind: string): PercentileCurve | null {
  const curve = run.detail?.percentiles.find((one) => one.kind === kind);
  return curve === undefined ? null : carriedCurve(curve);
}

/** The position of a percentile: 90 at 1, 99 at 2, 99.9 at 3, and the longest of 1,000 at 3. */
export function nines(percentile: number, operations = 1e7): number {
  return Math.max(0, -Math.log10(Math.max(1 - percentile / 100, 1 / Math.max(operations, 2))));
}

function PercentileChart({ kind, runs, names }: { kind: string; runs: RunPage[]; names: string[] }) {
  const lines = useMemo(
    () =>
      runs.map((run, at): Line => {
        const curve = curveOf(run, kind);
        const part = (curve?.percentile ?? []).map((one, i): [number, number] => [nines(one, curve?.count), curve?.us[i] ?? 0]);
        return { name: names[at] ?? "", data: part.filter(([, us]) => us > 0) };
      }),
    [runs, kind],
  );
  const most = Math.max(1, ...lines.flatMap((line) => line.data.map(([x]) => Number(x)))).toFixed(2);
  const option = useMemo(
    () => (look: Look): ChartOption => ({
      xAxis: {
        ...valueAxis(look, ""),
        max: Number(most),
        min: 0,
        minInterval: 1,
        maxInterval: 1,
        axisLabel: { color: look.faint, fontSize: 11, formatter: (at: number) => percentText(at), showMaxLabel: false },
      },
      yAxis: latencyAxis(look, "response time", decades(lines.flatMap((line) => line.data.map(([, us]) => us ?? 0)))),
      tooltip: {
        axisPointer: { label: { show: false } },
        valueFormatter: (value: unknown) => (typeof value === "number" ? duration(value) : "–"),
      },
      series: lines.map((line, at) => lineSeries(look, line, at, false)),
    }),
    [lines],
  );
  return (
    <Chart
      id={`compare-percentiles-${kind}`}
      title={`Response time percentiles of ${kind}s`}
      describe={lines.map((line) => `${line.name}: longest ${duration(line.data[line.data.length - 1]?.[1] ?? 0)}`).join("; ")}
      option={option}
      height={300}
      table={() => ({
        columns: ["run", "percentile", "ms"],
        rows: runs.flatMap((run, at) => {
          const curve = curveOf(run, kind);
          return (curve?.percentile ?? []).map((one, i) => [names[at] ?? "", one, inMs(curve?.us[i])]);
        }),
      })}
    />
  );
}

function inMs(us: number | undefined): number | null {
  return us === undefined ? null : us / 1e3;
}

/** `0 %`, `90 %`, `99 %`, `99.9 %`. */
function percentText(at: number): string {
  const digits = Math.max(0, Math.round(at) - 2);
  return `${(100 - 10 ** (2 - at)).toFixed(at === 0 ? 0 : digits)} %`;
}

function ClientsOver({ runs, names }: { runs: RunPage[]; names: string[] }) {
  if (!runs.some(isLadder)) return null;
  const axis = pointAxis(runs.flatMap((run) => run.summary.load_points));
  const per = (of: (point: LoadPoint, summary: Summary) => number | null | undefined) =>
    runs.map((run, at): Line => ({
      name: names[at] ?? "",
      data: axis.keys.map((key) => {
        const point = run.summary.load_points.find((one) => axis.keyOf(one) === key);
        return [key, point === undefined ? null : (of(point, run.summary) ?? null)];
      }),
    }));
  const rate = per((point) => (point.total.bytes_per_s === null ? null : point.total.bytes_per_s / 1e6));
  // With one client, the total is that client's rate, so no separate line is drawn.
  const inClients = axis.title !== "streams";
  const isRamp = inClients && runs.some((run) => run.summary.load_points.some((point) => point.workers > 1));
  const client = per((point) => (point.total.bytes_per_s === null || point.workers === 0 ? null : point.total.bytes_per_s / point.workers / 1e6));
  const each = isRamp ? client.map((line): Line => ({ ...line, name: `${line.name}, per client`, dotted: true })) : [];
  // For a VDA-like curve the table shows the mean of transfers, by which its load points are judged; for other runs the
  // mean of reads and writes.
  const isCurve = runs.some((run) => run.summary.vda != null);
  const latency = per((point) => {
    const times = point.total.response.data;
    return isCurve ? point.rates_mean_response_ms : times && times.mean_us / 1e3;
  });
  const paper = per((point, summary) => (hasEbuFigures(summary) ? averageOf(point) : null));
  const has = (lines: Line[]) => lines.some((line) => line.data.some(([, value]) => value !== null));
  return (
    <Section id="clients" title="Results by load point">
      <div class="grid">
        <AgainstChart id="compare-rate" title={isRamp ? "Throughput, total and per client" : "Throughput"} unit="MB/s" axis={axis} lines={[...rate, ...each]} say={(v) => mbPerS(v * 1e6)} {...(inClients ? { note: RATES } : {})} />
        <AgainstChart id="compare-mean" title={isCurve ? "Mean response time of transfers" : "Mean response time"} unit="ms" axis={axis} lines={latency} say={(v) => ms(v * 1e3)} />
        {has(paper) && (
          <AgainstChart id="compare-ebu-latency" title="Average EBU latency" unit="ms" axis={axis} lines={paper} say={number} note={PAPER} />
        )}
      </div>
      <EbuOver runs={runs} names={names} axis={axis} />
    </Section>
  );
}

const RATES = "Corresponds to EBU Tech 3362, Figures 47, 49, 60, 62, 71 and 73 (total) and 58 (per client: total ÷ clients).";

/** The paper's latency over all types of access and block sizes. Earlier versions omitted the time between blocks. */
function averageOf({ paper }: LoadPoint): number | null {
  return paper.per_transfer ? (paperValues([{ paper }], "all", null, (cell) => cell.average_latency_ms)[0] ?? null) : null;
}

const PAPER = "Corresponds to EBU Tech 3362, Figures 48 and 50, over all block sizes. EBU latency: transfer time minus data transfer time.";
