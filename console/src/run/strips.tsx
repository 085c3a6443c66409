// The streams over time, one row each with its name: the most important ones, or all on request. A click on a row's
// name chooses that stream for the charts and tables below.

import { useMemo, useState } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { categoryAxis, tickTime, timeAxis } from "../charts/axes";
import { BELOW_NAMES, StripKey, paintStrips } from "../charts/strip-paint";
import type { PointStreams, RunPage } from "../data/page";
import { NO_FRAME_DUE, cellWords } from "../figures/margin";
import { count, counted } from "../figures/units";
import type { Extent } from "../period";
import { chartText, cut } from "../parts/text";
import { chosenStream } from "../view";
import { rowsOf } from "./strip-rows";
import type { Row } from "./strip-rows";

/** The number of rows until the user requests all. */
const SHOWN = 6;

/** Height of a row in CSS pixels: its name above, its strip below. */
export const ROW_PX = 32;

interface Props {
  run: RunPage;
  streams: PointStreams[];
  extent: Extent;
}

export function StripChart({ run, streams, extent }: Props) {
  const [all, setAll] = useState(false);
  const rows = useMemo(() => rowsOf(streams, run.summary.load_points), [run, streams]);
  const stream = chosenStream.value;
  const ordered = useMemo(() => withFirst(rows, stream), [rows, stream]);
  const shown = useMemo(() => (all ? ordered : ordered.slice(0, SHOWN)), [ordered, all]);
  const option = useMemo(() => (look: Look) => drawStrips(look, shown, stream), [shown, stream]);
  const readout = useMemo(() => (x: number, y: number) => words(run, shown, x, y), [shown]);
  const late = rows.reduce((sum, row) => sum + row.late_frames, 0);
  const left = streams.reduce((most, point) => Math.max(most, point.left_out), 0);
  return (
    <div class="strips">
      <Chart
        id="stream-strips"
        title="Streams and their late frames"
        describe={`${counted(rows.length, "stream")}, ${counted(late, "late frame")}.`}
        option={option}
        timeAxis={extent}
        height={34 + shown.length * ROW_PX}
        readout={readout}
        note={
          <>
            <StripKey /> {left > 0 && `Not shown: ${counted(left, "stream")} with fewer late frames.`}
          </>
        }
        table={() => tableOf(rows)}
      />
      <p class="strip-choice">
        {rows.length > 1 && <StreamPick rows={rows} />}
        {rows.length > SHOWN && (
          <button type="button" class="small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "Show fewer streams" : `Show all ${counted(rows.length, "stream")}`}
          </button>
        )}
      </p>
    </div>
  );
}

/** Moves the chosen stream to the top. */
function withFirst(rows: Row[], stream: number | null): Row[] {
  const chosen = rows.filter((row) => row.stream === stream);
  return chosen.length === 0 ? rows : [...chosen, ...rows.filter((row) => row.stream !== stream)];
}

function StreamPick({ rows }: { rows: Row[] }) {
  const streams = [...new Map(rows.map((row) => [row.stream, row])).values()];
  const stream = chosenStream.value;
  const choose = (value: string) => (chosenStream.value = value === "" ? null : Number(value));
  return (
    <label>
      Stream{" "}
      <select value={stream ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="" selected={stream === null}>
          all streams
        </option>
        {streams.map((row) => (
          <option value={String(row.stream)} selected={row.stream === stream}>
            {`stream ${row.stream}: ${cut(row.name, 50)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function tableOf(rows: Row[]) {
  return {
    columns: ["load point", "stream", "name", "from, s", "to, s", "smallest margin, ms", "late frames"],
    rows: rows.flatMap((row) =>
      row.strips.flatMap(({ point, cells }) =>
        cells.map(({ from_s, to_s, margin_ms, late_frames }) => [
          ...[point.point, row.stream, row.name],
          ...[from_s, to_s, margin_ms, late_frames],
        ]),
      ),
    ),
  };
}

export function drawStrips(look: Look, rows: Row[], stream: number | null): ChartOption {
  const cells = rows.map((row) => row.strips.flatMap((strip) => strip.cells));
  const longest = Math.max(Math.floor((look.width - 90) / 7), 16);
  const axis = categoryAxis(look, "", rows.map((row) => chartText(nameOf(row, stream), longest)));
  return {
    xAxis: timeAxis(look),
    yAxis: {
      ...axis,
      inverse: true,
      axisTick: { show: false },
      z: 10,
      // Each name is in its row, above its strip.
      axisLabel: {
        ...axis.axisLabel,
        inside: true,
        // Keeps the name legible over the bands of incidents.
        backgroundColor: look.ground,
        padding: [0, 3],
        interval: 0,
        hideOverlap: false,
        align: "left",
        verticalAlign: "bottom",
        color: look.ink,
        margin: 4,
      },
    },
    legend: { show: false },
    grid: { top: 4 },
    tooltip: { show: false },
    series: [paintStrips(look, cells, BELOW_NAMES)],
  };
}

/** `5 · player, Apple ProRes 422 HQ UHD · 19 late` */
function nameOf(row: Row, stream: number | null): string {
  const late = row.late_frames > 0 ? ` · ${count(row.late_frames)} late` : "";
  return `${row.stream === stream ? "▸ " : ""}${row.stream} · ${row.name}${late}`;
}

function words(run: RunPage, rows: Row[], x: number, y: number): string | null {
  const row = rows[Math.round(y)];
  if (row === undefined) return null;
  const at = tickTime(Number(x.toFixed(3)));
  const found = row.strips
    .flatMap(({ point, cells }) => cells.map((cell) => ({ point, cell })))
    .find(({ cell }) => x >= cell.from_s && x < cell.to_s);
  if (found === undefined) return `Stream ${row.stream} at ${at}: ${NO_FRAME_DUE}`;
  const label = run.summary.load_points.find((point) => point.index === found.point.point)?.label ?? "";
  return `Stream ${row.stream}, ${cut(row.name, 60)} (${cut(label, 30)}) at ${at}: ${cellWords(found.cell)}`;
}
