// Streams of a run in progress: one row each with the rest of its buffer, and the smallest margin of all over time.

import { useMemo } from "preact/hooks";
import { categoryAxis, deadlineLine, tick as tickWords, tickTime, timeAxis, valueAxis } from "../charts/axes";
import { Chart, type ChartOption, type Look } from "../charts/chart";
import { StripKey, WHOLE_ROWS, paintStrips } from "../charts/strip-paint";
import { MARGIN_NOTE, NO_FRAME_DUE, cellWords } from "../figures/margin";
import { count, counted, ms } from "../figures/units";
import type { LiveState } from "./live-state";
import { type StripCell, type StripRow, rowName, rowsOf, stripCells } from "./strip-cells";

export function LiveStrips({ state }: { state: LiveState }) {
  const cells = useMemo(() => stripCells(state.ticks), [state.ticks]);
  const rows = useMemo(() => rowsOf(cells), [cells]);
  const ends = endsOf(state);
  const strips = useMemo(() => (look: Look) => drawStrips(look, rows, cells, ends), [cells]);
  const margins = useMemo(() => (look: Look) => drawMargin(look, state, ends), [state.ticks]);
  const readout = useMemo(() => (x: number, y: number) => wordsFor(rows[Math.round(y)], cells, x), [cells]);
  if (rows.length === 0 || state.ticks.length < 2) return null;
  const late = new Set(cells.filter((cell) => cell.kind === "late").map(rowName)).size;
  const worst = state.tick?.margin_ms ?? null;
  return (
    <>
      <Chart
        id="live-strips"
        title="Streams and their margins"
        describe={`${counted(rows.length, "stream")}, ${count(late)} of them with late frames.`}
        option={strips}
        height={50 + rows.length * (rows.length > 24 ? 12 : 18)}
        readout={readout}
        note={<><StripKey /> One row per stream, at most the worst 64.</>}
        table={() => ({
          columns: ["stream", "from, s", "to, s", "margin, ms", "late frames"],
          rows: cells.map((cell) => [rowName(cell), cell.from_s, cell.to_s, cell.margin_ms, cell.late_frames]),
        })}
      />
      <Chart
        id="live-margin"
        title="Smallest margin of all streams"
        describe={worst === null ? "No frame is due now." : `Now ${ms(worst * 1e3)} ms. Below 0, a frame is overdue.`}
        option={margins}
        height={220}
        note={MARGIN_NOTE}
        table={() => ({
          columns: ["time, s", "smallest margin, ms"],
          rows: state.ticks.map((tick) => [tick.at_s, tick.margin_ms]),
        })}
      />
    </>
  );
}

interface Ends {
  min: number;
  max: number;
}

function endsOf(state: LiveState): Ends {
  return { min: state.ticks[0]?.at_s ?? 0, max: state.ticks.at(-1)?.at_s ?? 1 };
}

function drawStrips(look: Look, rows: StripRow[], cells: StripCell[], ends: Ends): ChartOption {
  const names = rows.map(rowName);
  const byRow = new Map(names.map((name): [string, StripCell[]] => [name, []]));
  cells.forEach((cell) => byRow.get(rowName(cell))?.push(cell));
  const axis = categoryAxis(look, "", names);
  return {
    xAxis: { ...timeAxis(look), ...ends },
    yAxis: { ...axis, inverse: true, axisTick: { show: false }, axisLabel: { ...axis.axisLabel, interval: rows.length > 24 ? 3 : 0 } },
    legend: { show: false },
    grid: { top: 8 },
    tooltip: { show: false },
    series: [paintStrips(look, [...byRow.values()], WHOLE_ROWS)],
  };
}

function drawMargin(look: Look, state: LiveState, ends: Ends): ChartOption {
  return {
    xAxis: { ...timeAxis(look), ...ends },
    yAxis: valueAxis(look, "ms", { format: tickWords, room: true }),
    legend: { show: false },
    tooltip: { formatter: (items: unknown) => marginWords(items) },
    series: [
      {
        type: "line",
        name: "smallest margin",
        symbol: "none",
        itemStyle: { color: look.read },
        lineStyle: { color: look.read, width: 2 },
        data: state.ticks.map((tick) => [tick.at_s, tick.margin_ms]),
        markLine: deadlineLine(look),
      },
    ],
  };
}

function wordsFor(row: StripRow | undefined, cells: StripCell[], at_s: number): string | null {
  if (row === undefined) return null;
  const name = rowName(row);
  const cell = cells.find((one) => rowName(one) === name && at_s >= one.from_s && at_s < one.to_s);
  const at = `Stream ${name} at ${tickTime(Number(at_s.toFixed(3)))}`;
  return `${at}: ${cell === undefined ? NO_FRAME_DUE : cellWords(cell)}`;
}

/** Contains only numbers, so it needs no escaping. */
function marginWords(items: unknown): string {
  const value = Array.isArray(items) ? (items as { value?: (number | null)[] }[])[0]?.value : undefined;
  const [at, margin] = [value?.[0] ?? null, value?.[1] ?? null];
  if (at === null) return "";
  return margin === null ? tickTime(at) : `${tickTime(at)}: margin ${ms(margin * 1e3)} ms`;
}
