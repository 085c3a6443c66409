// Values of several runs against the demand of their load points, one line per run.

import { useMemo } from "preact/hooks";
import { categoryAxis, valueAxis } from "../charts/axes";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { seriesStyle } from "../charts/palette";
import type { PointAxis } from "./point-keys";

/** A run's name and its values over x. */
export interface Line {
  name: string;
  data: [number | string, number | null][];
  /** The second line of a run: thin and dotted, in the run's colour. */
  dotted?: boolean;
}

export function lineSeries(look: Look, line: Line, at: number, symbols: boolean): LineSeriesOption {
  const style = seriesStyle(look, at);
  const dash = line.dotted === true ? [1, 3] : style.dash;
  return {
    type: "line",
    name: line.name,
    data: line.data,
    symbol: symbols ? style.marker : "none",
    symbolSize: 8,
    itemStyle: { color: style.color },
    lineStyle: { color: style.color, width: line.dotted === true ? 1.5 : 2, type: dash },
  };
}

interface AgainstProps {
  id: string;
  title: string;
  unit: string;
  axis: PointAxis;
  lines: Line[];
  say: (value: number) => string;
  note?: string;
}

export function AgainstChart({ id, title, unit, axis, lines, say, note }: AgainstProps) {
  const runs = Math.max(1, lines.filter((line) => line.dotted !== true).length);
  const option = useMemo(
    () => (look: Look): ChartOption => ({
      xAxis: categoryAxis(look, axis.title, axis.keys),
      yAxis: { ...valueAxis(look, unit), min: 0 },
      grid: { bottom: 24 },
      tooltip: { valueFormatter: (value: unknown) => (typeof value === "number" ? `${say(value)} ${unit}` : "–") },
      series: lines.map((line, at) => lineSeries(look, line, at % runs, true)),
    }),
    [lines],
  );
  return (
    <Chart
      id={id}
      title={title}
      describe={lines.map((line) => `${line.name}: ${line.data.map(([, v]) => (v === null ? "nothing" : say(v))).join(", ")}`).join("; ")}
      option={option}
      {...(note === undefined ? {} : { note, isOfPaper: true })}
      table={{
        columns: [axis.title, ...lines.map((line) => `${line.name}, ${unit}`)],
        rows: axis.keys.map((key, row) => [key, ...lines.map((line) => line.data[row]?.[1] ?? null)]),
      }}
    />
  );
}
