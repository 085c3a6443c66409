// The EBU figures: throughput and latency against the number of clients, one line for each kind of access;
// the three tables of the paper; the same by block size.

import { useMemo, useState } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { LoadPoint } from "../data/summary";
import { mbPerS, ms } from "../figures/units";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { cut } from "../parts/text";
import { PaperView } from "./paper";

export function EbuSection({ points }: { points: LoadPoint[] }) {
  const measured = points
    .map((point, at) => ({ point, at }))
    .filter(({ point }) => point.paper.block_bytes.length > 0);
  const [chosen, setChosen] = useState(measured[measured.length - 1]?.at ?? 0);
  const current = points[chosen];
  return (
    <Section
      id="ebu"
      title="EBU figures"
      about="Throughput counts all workers and all time. The tables below are those of EBU's paper: what one worker gets while it transfers, and the time that everything else takes."
    >
      {points.length > 1 && <Against points={points} />}
      {measured.length > 1 && (
        <label class="pick">
          Tables of{" "}
          <select value={String(chosen)} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {measured.map(({ point, at }) => (
              <option value={String(at)} selected={at === chosen}>
                {cut(point.label, 60)}
              </option>
            ))}
          </select>
        </label>
      )}
      {current !== undefined && <PaperView point={current} at={chosen} />}
    </Section>
  );
}

/** What the load points differ in: what was swept, else the number of workers. */
function axisOf(points: LoadPoint[]): { title: string; name: string; values: string[] } {
  if (points.some((point) => point.sweep_value !== null)) {
    return {
      title: "load point",
      name: "load point",
      values: points.map((point) => cut(point.sweep_value ?? point.label, 18)),
    };
  }
  const workers = points.map((point) => point.workers);
  if (new Set(workers).size === points.length)
    return { title: "clients", name: "clients (workers)", values: workers.map(String) };
  return { title: "load point", name: "load point", values: points.map((point) => cut(point.label, 18)) };
}

interface Access {
  name: string;
  rate: (point: LoadPoint) => number | null;
  times: (point: LoadPoint) => { mean_us: number; max_us: number } | null | undefined;
}

const ACCESS: Access[] = [
  {
    name: "read",
    rate: (point) => point.total.read_bytes_per_s,
    times: (point) => point.total.response.read,
  },
  {
    name: "write",
    rate: (point) => point.total.written_bytes_per_s,
    times: (point) => point.total.response.write,
  },
  { name: "both", rate: (point) => point.total.bytes_per_s, times: (point) => point.total.response.data },
];

function Against({ points }: { points: LoadPoint[] }) {
  const axis = axisOf(points);
  const there = ACCESS.filter((access) => points.some((point) => (access.times(point) ?? null) !== null));
  const charts = useMemo(
    () =>
      [
        {
          id: "rate",
          title: "Throughput",
          unit: "MB/s",
          of: (access: Access) => (point: LoadPoint) => scaled(access.rate(point), 1e6),
          say: (v: number) => mbPerS(v * 1e6),
        },
        {
          id: "mean",
          title: "Average latency",
          unit: "ms",
          of: (access: Access) => (point: LoadPoint) => scaled(access.times(point)?.mean_us, 1e3),
          say: (v: number) => ms(v * 1e3),
        },
        {
          id: "max",
          title: "Maximum latency",
          unit: "ms",
          of: (access: Access) => (point: LoadPoint) => scaled(access.times(point)?.max_us, 1e3),
          say: (v: number) => ms(v * 1e3),
        },
      ].map((chart) => {
        const lines = there.map((access) => ({ name: access.name, values: points.map(chart.of(access)) }));
        return {
          ...chart,
          lines,
          option: (look: Look) => lineChart(look, axis, chart.unit, lines, chart.say),
        };
      }),
    [points],
  );
  return (
    <div class="grid three">
      {charts.map((chart) => (
        <Chart
          id={`ebu-${chart.id}`}
          title={`${chart.title} by ${axis.title}`}
          describe={
            chart.lines
              .map((line) => `${line.name}: ${said(line.values, axis.values, chart.say)}`)
              .join("; ") + `, ${chart.unit}.`
          }
          option={chart.option}
          table={() => ({
            columns: [axis.name, ...chart.lines.map((line) => `${line.name}, ${chart.unit}`)],
            rows: points.map((_, at) => [
              axis.values[at] ?? "",
              ...chart.lines.map((line) => line.values[at] ?? null),
            ]),
          })}
        />
      ))}
      {axis.name === "load point" && points.length > 12 && (
        <p class="faint">
          The last load point is <Name text={points[points.length - 1]?.label ?? ""} />.
        </p>
      )}
    </div>
  );
}

function scaled(value: number | null | undefined, by: number): number | null {
  return value === null || value === undefined ? null : value / by;
}

/** At most ten values in words. */
function said(values: (number | null)[], names: string[], say: (value: number) => string): string {
  const words = values.map((value, at) => `${value === null ? "nothing" : say(value)} at ${names[at] ?? ""}`);
  return words.length <= 10 ? words.join(", ") : `${words[0]} to ${words[words.length - 1]}`;
}

const SYMBOLS: Record<string, string> = { read: "circle", write: "rect", both: "diamond" };
const DASHED: Record<string, "solid" | number[]> = { read: "solid", write: [7, 4], both: [2, 3] };

/** Lines for read, write and both over named places. */
export function lineChart(
  look: Look,
  axis: { name: string; values: string[] },
  unit: string,
  lines: { name: string; values: (number | null)[] }[],
  say: (value: number) => string,
): ChartOption {
  const colour: Record<string, string> = { read: look.read, write: look.write, both: look.both };
  const series: LineSeriesOption[] = lines.map((line) => {
    const color = colour[line.name] ?? look.ink;
    return {
      type: "line",
      name: line.name,
      data: line.values,
      symbol: SYMBOLS[line.name] ?? "circle",
      symbolSize: 8,
      itemStyle: { color },
      lineStyle: { color, width: 2, type: DASHED[line.name] ?? "solid" },
    };
  });
  return {
    xAxis: categoryAxis(look, axis.name, axis.values),
    yAxis: { ...valueAxis(look, unit), min: 0 },
    grid: { bottom: 24, top: 48 },
    tooltip: {
      valueFormatter: (value: unknown) => (typeof value === "number" ? `${say(value)} ${unit}` : "–"),
    },
    series,
  };
}
