// Throughput of a run in progress, second by second, with a mark at each time at which late frames were found.

import { useMemo } from "preact/hooks";
import { tickTime, timeAxis, valueAxis } from "../charts/axes";
import { Chart, type ChartOption, type Look } from "../charts/chart";
import type { LineSeriesOption, ScatterSeriesOption } from "../charts/echarts";
import { mbPerS } from "../figures/units";
import { Missing } from "../parts/section";
import { type LiveState, MAX_TICKS } from "./live-state";

export function LiveChart({ state }: { state: LiveState }) {
  const option = useMemo(() => (look: Look) => draw(look, state), [state.ticks, state.late]);
  const last = state.tick;
  if (last === null || state.ticks.length < 2) return <Missing>The chart starts with the first figures.</Missing>;
  return (
    <Chart
      id="live-throughput"
      title="Throughput"
      describe={`Now: read ${mbPerS(last.read_bytes_per_s)} MB/s, write ${mbPerS(last.write_bytes_per_s)} MB/s.`}
      option={option}
      height={300}
      note={noteOf(state)}
      table={() => ({
        columns: ["time, s", "read, bytes/s", "write, bytes/s"],
        rows: state.ticks.map((tick) => [tick.at_s, tick.read_bytes_per_s, tick.write_bytes_per_s]),
      })}
    />
  );
}

function noteOf({ tick, ticks }: LiveState): string | undefined {
  const notes = [
    ...(ticks.length >= MAX_TICKS ? ["Only the last hour. The report shows the whole run."] : []),
    ...((tick?.warmup_s ?? 0) > 0 ? ["Warm-up is shown but not counted."] : []),
  ];
  return notes.length === 0 ? undefined : notes.join(" ");
}

function draw(look: Look, state: LiveState): ChartOption {
  const ends = { min: state.ticks[0]?.at_s ?? 0, max: state.ticks.at(-1)?.at_s ?? 1 };
  const series: (LineSeriesOption | ScatterSeriesOption)[] = [
    line("read", look.read, "solid", state.ticks.map((tick) => [tick.at_s, tick.read_bytes_per_s / 1e6])),
    line("write", look.write, [5, 2], state.ticks.map((tick) => [tick.at_s, tick.write_bytes_per_s / 1e6])),
  ];
  if (state.late.length > 0) {
    series.push({
      type: "scatter",
      name: "late frames",
      yAxisIndex: 1,
      symbol: "triangle",
      symbolSize: 11,
      itemStyle: { color: look.bad },
      data: state.late.filter((late) => late.at_s >= ends.min).map((late) => ({ value: [late.at_s, 0.04, late.frames] })),
    });
  }
  return {
    xAxis: { ...timeAxis(look), ...ends },
    yAxis: [
      { ...valueAxis(look, "MB/s"), min: 0 },
      { type: "value", show: false, min: 0, max: 1 },
    ],
    tooltip: { formatter: (items: unknown) => words(items) },
    series,
  };
}

function line(name: string, color: string, dash: "solid" | number[], data: [number, number][]): LineSeriesOption {
  return {
    type: "line",
    name,
    data,
    symbol: "none",
    itemStyle: { color },
    lineStyle: { color, width: 2, type: dash },
    areaStyle: { color, opacity: 0.1 },
  };
}

/** Contains only numbers and our own names, so it needs no escaping. */
function words(items: unknown): string {
  if (!Array.isArray(items)) return "";
  const list = items as { seriesName?: string; value?: number[] }[];
  const at = list[0]?.value?.[0];
  const lines = list.map(({ seriesName, value }) =>
    seriesName === "late frames" ? `${value?.[2] ?? 0} late frames` : `${seriesName}: ${mbPerS((value?.[1] ?? 0) * 1e6)} MB/s`,
  );
  return [at === undefined ? "" : tickTime(at), ...lines].join("\n");
}
