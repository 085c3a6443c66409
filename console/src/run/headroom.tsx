// The time that frames had left, of all streams and of each, which shows whether one stream suffers or all.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { Headroom } from "../data/page";
import type { LateFigures, LoadPoint } from "../data/summary";
import { count, counted, ms } from "../figures/units";
import { Term } from "../parts/glossary";
import { cut } from "../parts/text";

export function HeadroomChart({ headroom, point }: { headroom: Headroom; point: LoadPoint }) {
  const option = useMemo(() => (look: Look) => drawHeadroom(look, headroom), [headroom]);
  const all = headroom.count.reduce((one, two) => one + two, 0) + headroom.never;
  const late =
    headroom.count.reduce((sum, many, at) => (upper(headroom, at) <= 0 ? sum + many : sum), 0) +
    headroom.never;
  return (
    <Chart
      id="headroom"
      title="Headroom of each frame"
      describe={`${cut(point.label, 40)}: ${counted(all, "frame")}, ${count(late)} late or missing.`}
      option={option}
      note={<><Term word="headroom">Headroom</Term>: 100 % arrived at once, 0 % at the deadline, below 0 late. {counted(late, "frame")} of {count(all)} late or missing.</>}
      table={() => ({
        columns: ["headroom from, %", "to, %", "frames"],
        rows: [
          ...headroom.count.map((many, at) => [
            at === 0 ? null : lower(headroom, at),
            upper(headroom, at),
            many,
          ]),
          [null, "never arrived", headroom.never],
        ],
      })}
    />
  );
}

function lower(headroom: Headroom, at: number): number {
  return headroom.from_percent + at * headroom.step_percent;
}

function upper(headroom: Headroom, at: number): number {
  return lower(headroom, at) + headroom.step_percent;
}

function drawHeadroom(look: Look, headroom: Headroom): ChartOption {
  const names = headroom.count.map((_, at) =>
    at === 0 ? `< ${upper(headroom, 0)}` : String(lower(headroom, at)),
  );
  const bars = headroom.count.map((many, at) => ({ many, late: upper(headroom, at) <= 0 }));
  const never = headroom.never > 0;
  return {
    xAxis: categoryAxis(look, "headroom, %", never ? ["never", ...names] : names),
    yAxis: { ...valueAxis(look, "frames"), min: 0, minInterval: 1 },
    legend: { show: false },
    grid: { bottom: 24, top: 28 },
    tooltip: {
      axisPointer: { type: "shadow" },
      valueFormatter: (value: unknown) => (typeof value === "number" ? counted(value, "frame") : "–"),
    },
    series: [
      {
        type: "bar",
        name: "frames",
        barCategoryGap: "8%",
        // A few late frames among thousands must be visible.
        barMinHeight: 4,
        data: [...(never ? [{ many: headroom.never, late: true }] : []), ...bars].map(({ many, late }) => ({
          value: many === 0 ? null : many,
          itemStyle: late
            ? {
                color: look.bad,
                decal: {
                  symbol: "rect" as const,
                  dashArrayX: [1, 0] as [number, number],
                  dashArrayY: [2, 4] as [number, number],
                  rotation: 0.8,
                  color: look.ground,
                },
              }
            : { color: look.read },
        })),
      },
    ],
  };
}

/** The smallest margin of every stream, sorted, which shows whether one stream suffers or all. */
export function MarginBars({ figures }: { figures: LateFigures }) {
  const ordered = useMemo(() => orderedMargins(figures), [figures]);
  const option = useMemo(() => (look: Look) => drawMargins(look, ordered), [ordered]);
  if (ordered.length === 0) return null;
  const worst = ordered[0];
  const best = ordered[ordered.length - 1];
  return (
    <Chart
      id="stream-margins"
      title="Worst margin of each stream"
      describe={`${counted(ordered.length, "stream")}: ${ms(worst?.margin_us ?? 0)} ms to ${ms(best?.margin_us ?? 0)} ms.`}
      option={option}
      note="Sorted. Below 0, the stream had a late frame."
      table={() => ({
        columns: ["stream", "name", "worst margin, us", "late frames"],
        rows: ordered.map((one) => [one.stream, one.name, one.margin_us, one.late]),
      })}
    />
  );
}

interface Margin {
  stream: number;
  name: string;
  margin_us: number;
  late: number;
}

function orderedMargins(figures: LateFigures): Margin[] {
  const found = figures.streams.flatMap((one) =>
    one.worst_margin === null
      ? []
      : [
          {
            stream: one.stream,
            name: one.name,
            margin_us: one.worst_margin.margin_us,
            late: one.late_frames,
          },
        ],
  );
  return found.sort((one, two) => one.margin_us - two.margin_us);
}

function drawMargins(look: Look, ordered: Margin[]): ChartOption {
  return {
    xAxis: categoryAxis(
      look,
      "stream",
      ordered.map((one) => String(one.stream)),
    ),
    yAxis: valueAxis(look, "ms"),
    legend: { show: false },
    grid: { bottom: 24, top: 28 },
    tooltip: { axisPointer: { type: "shadow" }, formatter: (items: unknown) => marginWords(items, ordered) },
    series: [
      {
        type: "bar",
        name: "worst margin",
        barMaxWidth: 30,
        data: ordered.map((one) => ({
          value: one.margin_us / 1e3,
          itemStyle: { color: one.margin_us < 0 ? look.bad : look.read },
        })),
      },
    ],
  };
}

function marginWords(items: unknown, ordered: Margin[]): string {
  const first = (Array.isArray(items) ? items[0] : items) as { dataIndex?: number } | undefined;
  const one = ordered[first?.dataIndex ?? -1];
  if (one === undefined) return "";
  return `stream ${one.stream}, ${cut(one.name, 40)}\nworst margin ${ms(one.margin_us)} ms, ${counted(one.late, "late frame")}`;
}
