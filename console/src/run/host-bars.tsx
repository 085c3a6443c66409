// The transferred data and the late frames of each host, as bars side by side.

import { useMemo } from "preact/hooks";
import { categoryAxis, valueAxis } from "../charts/axes";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { BarSeriesOption } from "../charts/echarts";
import type { HostsSection, PointHosts } from "../data/summary";
import { mbPerS, number } from "../figures/units";
import { chartText } from "../parts/text";

/** With more hosts, there are no bars, only the table. */
const MOST_HOSTS = 40;

interface HostBar {
  name: string;
  read_mb_per_s: number | null;
  written_mb_per_s: number | null;
  late_frames: number | null;
}

export function HostBars({ section, hosts }: { section: HostsSection; hosts: PointHosts }) {
  const bars = useMemo(() => barsOf(section, hosts), [section, hosts]);
  const option = useMemo(() => (look: Look) => draw(look, bars), [bars]);
  if (bars.length < 2) return null;
  const said = bars.map((bar) => `${bar.name}: ${mbPerS(((bar.read_mb_per_s ?? 0) + (bar.written_mb_per_s ?? 0)) * 1e6)} MB/s`);
  return (
    <Chart
      id="host-bars"
      title="Hosts"
      describe={`${said.join("; ")}.`}
      option={option}
      height={260}
      table={() => ({
        columns: ["host", "read, MB/s", "write, MB/s", "late frames"],
        rows: bars.map((bar) => [bar.name, bar.read_mb_per_s, bar.written_mb_per_s, bar.late_frames]),
      })}
    />
  );
}

function barsOf(section: HostsSection, hosts: PointHosts): HostBar[] {
  return section.hosts.slice(0, MOST_HOSTS).flatMap((host, at) => {
    const figures = hosts.hosts[at]?.figures;
    if (figures === undefined) return [];
    const mb = (rate: number | null | undefined) => (rate == null ? null : rate / 1e6);
    const late_frames = figures.late_frames ?? null;
    return [{ name: host.agent, read_mb_per_s: mb(figures.read_bytes_per_s), written_mb_per_s: mb(figures.written_bytes_per_s), late_frames }];
  });
}

function draw(look: Look, bars: HostBar[]): ChartOption {
  const bar = (name: string, color: string, of: (bar: HostBar) => number | null, more: BarSeriesOption): BarSeriesOption => ({
    type: "bar",
    name,
    barMaxWidth: 36,
    itemStyle: { color },
    data: bars.map(of),
    ...more,
  });
  const hasLate = bars.some(({ late_frames }) => (late_frames ?? 0) > 0);
  const late = bar("late frames", look.bad, ({ late_frames }) => late_frames, { yAxisIndex: 1 });
  const rates = { stack: "rate" };
  return {
    xAxis: categoryAxis(look, "", bars.map(({ name }) => chartText(name, 10))),
    yAxis: [
      { ...valueAxis(look, "MB/s"), min: 0 },
      { ...valueAxis(look, "frames"), min: 0, minInterval: 1, show: hasLate, splitLine: { show: false } },
    ],
    grid: { bottom: 24, top: 48 },
    tooltip: {
      axisPointer: { type: "shadow" },
      valueFormatter: (value: unknown) => (typeof value === "number" ? number(value) : "–"),
    },
    series: [
      bar("read", look.read, ({ read_mb_per_s }) => read_mb_per_s, rates),
      bar("write", look.write, ({ written_mb_per_s }) => written_mb_per_s, rates),
      ...(hasLate ? [late] : []),
    ],
  };
}
