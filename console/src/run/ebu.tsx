// Charts of throughput and response times against the settings in which the load points differ. Then the main figure
// of EBU Tech 3362: the transfer rate of a client by type of access, for one block size; or by block size or by
// client, for one type of access. Then the paper's latencies in the same way.

import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import { seriesStyle } from "../charts/palette";
import type { RunPage } from "../data/page";
import type { LoadPoint, PaperCell, PaperMode, RunHost } from "../data/summary";
import { blockSize, counted, mbPerS, ms, number } from "../figures/units";
import { MODES } from "./paper";
import {
  type Block,
  type ClientLines,
  type LinesBy,
  blockLines,
  blockName,
  blocksOf,
  clientLines,
  hostLines,
  paperFigures,
  paperValues,
  usualBlock,
} from "./paper-lines";
import { sweptAxis, sweptGrid, sweptName } from "./swept";
import type { SweptAxis, SweptGrid } from "./swept";

/** The chosen lines of the paper's charts, and their run. */
const chosenLines = signal<{ run: RunPage; lines: LineChoice } | null>(null);

function linesOf(run: RunPage): LineChoice {
  const chosen = chosenLines.value;
  const points = run.summary.load_points;
  return chosen?.run === run ? chosen.lines : { by: "access", block: usualBlock(points), mode: usualMode(points) };
}

/** Throughput and response times, and the paper's main figure. */
export function EbuCharts({ run }: { run: RunPage }) {
  const points = run.summary.load_points;
  const axis = useMemo(() => sweptAxis(run.summary), [run]);
  const main = useMemo(() => mainCharts(points), [run]);
  const { charts, paperAxis, isGrid } = usePaper(run);
  const blocks = blocksOf(points);
  if (points.length < 2) return null;
  return (
    <>
      <LineCharts charts={main} axis={axis} />
      {blocks.length > 0 && (
        <>
          <LinesPick
            blocks={blocks}
            points={points}
            isGrid={isGrid}
            hosts={run.summary.hosts?.hosts ?? []}
            chosen={linesOf(run)}
            choose={(lines) => (chosenLines.value = { run, lines })}
          />
          <LineChart chart={charts[0]} axis={paperAxis} />
        </>
      )}
    </>
  );
}

/** The paper's mean and maximum latency. */
export function EbuLatencies({ run }: { run: RunPage }) {
  const { charts, paperAxis } = usePaper(run);
  return run.summary.load_points.length < 2 ? null : <LineCharts charts={charts.slice(1)} axis={paperAxis} />;
}

function usePaper(run: RunPage) {
  const { summary } = run;
  const { by, block, mode } = linesOf(run);
  return useMemo(() => {
    const grid = sweptGrid(summary);
    const lines = { by, block, mode };
    const charts =
      grid === null
        ? paperCharts(summary.load_points, summary.hosts?.hosts ?? [], lines, sweptName(summary))
        : gridCharts(grid, mode, sweptName(summary));
    return { charts, paperAxis: grid?.axis ?? sweptAxis(summary), isGrid: grid !== null };
  }, [run, by, block, mode]);
}

interface Line {
  name: string;
  values: (number | null)[];
}

interface Against {
  id: string;
  title: string;
  unit: string;
  lines: Line[];
  say: (value: number) => string;
  /** The corresponding figures of the paper. */
  paper?: string | null;
  /** Further notes. */
  more?: string[];
}

/** The quantity that distinguishes the lines of the paper's charts, and the value that all of them share. */
interface LineChoice {
  by: LinesBy;
  /** The block size, if the lines are types of access or clients. */
  block: Block;
  /** The type of access, if the lines are block sizes or clients. */
  mode: PaperMode;
}

interface PickProps {
  blocks: number[];
  points: LoadPoint[];
  /** Two settings are swept, and each line is a value of the second one. */
  isGrid: boolean;
  hosts: readonly RunHost[];
  chosen: LineChoice;
  choose: (choice: LineChoice) => void;
}

const BY: Record<LinesBy, string> = { access: "type of access", block: "block size", client: "client", host: "host" };

function LinesPick({ blocks, points, isGrid, hosts, chosen, choose }: PickProps) {
  const hasClients = points.some((point) => point.per_worker.some((worker) => worker.paper !== undefined));
  const kinds = (Object.keys(BY) as LinesBy[]).filter((by) => (by !== "client" || hasClients) && (by !== "host" || (hasClients && hosts.length > 1)));
  const modes = (Object.keys(MODES) as PaperMode[]).filter((mode) => paperValues(points, mode, null, (cell) => cell.bytes || null).some((value) => value !== null));
  return (
    <div class="picks">
      {!isGrid && (
        <label class="pick">
          Lines in EBU charts{" "}
          <select value={chosen.by} onChange={({ currentTarget: { value } }) => choose({ ...chosen, by: value as LinesBy })}>
            {kinds.map((by) => (
              <option value={by} selected={by === chosen.by}>
                by {BY[by]}
              </option>
            ))}
          </select>
        </label>
      )}
      {!isGrid && chosen.by !== "block" && (
        <label class="pick">
          Block size in EBU charts{" "}
          <select
            value={String(chosen.block)}
            onChange={({ currentTarget: { value } }) => choose({ ...chosen, block: value === String(null) ? null : Number(value) })}
          >
            {[...blocks, null].map((block) => (
              <option value={String(block)} selected={block === chosen.block}>
                {block === null ? "all sizes" : blockSize(block)}
              </option>
            ))}
          </select>
        </label>
      )}
      {(isGrid || chosen.by !== "access") && (
        <label class="pick">
          Access{" "}
          <select value={chosen.mode} onChange={({ currentTarget: { value } }) => choose({ ...chosen, mode: value as PaperMode })}>
            {modes.map((mode) => (
              <option value={mode} selected={mode === chosen.mode}>
                {MODES[mode]}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

/** Sequential reads, as in the paper, if there are any. */
function usualMode(points: LoadPoint[]): PaperMode {
  const has = (mode: PaperMode) => paperValues(points, mode, null, (cell) => cell.bytes || null).some((value) => value !== null);
  return has("seq_rd") ? "seq_rd" : "all";
}

const ACCESS: { name: string; rate: (point: LoadPoint) => number | null }[] = [
  { name: "read", rate: (point) => point.total.read_bytes_per_s },
  { name: "write", rate: (point) => point.total.written_bytes_per_s },
  { name: "both", rate: (point) => point.total.bytes_per_s },
];

const TYPES = (Object.keys(MODES) as PaperMode[]).filter((mode) => mode !== "all");

const SIDES = ["read", "write", "data"] as const;

function mainCharts(points: LoadPoint[]): Against[] {
  const rates = ACCESS.map(({ name, rate }) => ({ name, values: points.map((point) => scaled(rate(point), 1e6)) }));
  const times = (field: "mean_us" | "max_us") =>
    there(
      SIDES.map((side) => ({
        name: side === "data" ? "both" : side,
        values: points.map((point) => scaled(point.total.response[side]?.[field], 1e3)),
      })),
    );
  const say = (value: number) => ms(value * 1e3);
  return [
    { id: "rate", title: "Throughput", unit: "MB/s", lines: there(rates), say: (value) => mbPerS(value * 1e6) },
    { id: "response-mean", title: "Mean response time", unit: "ms", lines: times("mean_us"), say },
    { id: "response-max", title: "Longest response time", unit: "ms", lines: times("max_us"), say },
  ];
}

type PaperFigure = "rate" | "mean" | "max";

/** The paper's three figures, each with its name, its unit, and its value in a cell. */
const PAPER: { id: PaperFigure; title: string; unit: string; of: (cell: PaperCell) => number | null }[] = [
  { id: "rate", title: "Transfer rate of one worker", unit: "MB/s", of: (cell) => cell.transfer_rate_while_transferring_mb_per_s },
  { id: "mean", title: "Average EBU latency", unit: "ms", of: (cell) => cell.average_latency_ms },
  { id: "max", title: "Maximum EBU latency", unit: "ms", of: (cell) => scaled(cell.maximum_latency_s, 1e-3) },
];

/** Transfer rate, mean and maximum latency, with the chosen lines. */
function paperCharts(points: LoadPoint[], hosts: readonly RunHost[], choice: LineChoice, swept: string): [Against, Against, Against] {
  const { by, block, mode } = choice;
  const chart = ({ id, title, unit, of }: (typeof PAPER)[number]): Against => {
    const clients = by === "client" ? clientLines(points, mode, block, of) : by === "host" ? hostLines(points, hosts, mode, block, of) : null;
    const byAccess = () => TYPES.map((type) => ({ name: MODES[type], values: paperValues(points, type, block, of) }));
    const lines = clients?.lines ?? (by === "block" ? blockLines(points, mode, of) : byAccess());
    const what = by === "access" ? blockName(block) : by === "block" ? MODES[mode] : `${MODES[mode]}, ${blockName(block)}`;
    const heading = by === "block" ? `${title}, ${what}` : by === "access" ? `${title} with ${what}` : `${title}, each ${by}, ${what}`;
    const more = clients === null ? [] : clientWords(clients, points, by === "host" ? "host" : "client");
    return { id: id === "rate" ? "transfer-rate" : id, title: heading, unit, lines: there(lines), say: number, paper: paperFigures(id, swept, by), more };
  };
  const [rate, mean, max] = PAPER.map(chart);
  return [rate as Against, mean as Against, max as Against];
}

function clientWords({ left_out, outstanding }: ClientLines, points: LoadPoint[], kind: "client" | "host"): string[] {
  const at = outstanding === null ? undefined : points[outstanding.point];
  const out =
    outstanding === null ? `No ${kind} stands out.` : `${outstanding.name} stands out: ${number(outstanding.times)} times the median of all ${kind}s at ${at?.label ?? ""}.`;
  return [out, ...(left_out > 0 ? [`Not drawn: ${counted(left_out, kind)} closer to the others.`] : [])];
}

/** The same for two swept settings: one line for each value of the second. */
function gridCharts(grid: SweptGrid, mode: PaperMode, swept: string): [Against, Against, Against] {
  const chart = ({ id, title, unit, of }: (typeof PAPER)[number]): Against => ({
    id: id === "rate" ? "transfer-rate" : id,
    title: `${title}, ${MODES[mode]}`,
    unit,
    lines: there(grid.lines.map(({ name, points }) => ({ name, values: points.map((point) => (point === null ? null : (paperValues([point], mode, null, of)[0] ?? null))) }))),
    say: number,
    paper: paperFigures(id, swept, "block"),
  });
  const [rate, mean, max] = PAPER.map(chart);
  return [rate as Against, mean as Against, max as Against];
}

function there(lines: Line[]): Line[] {
  return lines.filter((line) => line.values.some((value) => value !== null && value > 0));
}

function LineCharts({ charts, axis }: { charts: Against[]; axis: SweptAxis }) {
  return (
    <div class="grid three">
      {charts.map((chart) => (
        <LineChart key={chart.id} chart={chart} axis={axis} />
      ))}
    </div>
  );
}

function LineChart({ chart, axis }: { chart: Against; axis: SweptAxis }) {
  const { id, title, unit, lines, say } = chart;
  const option = useMemo(() => (look: Look) => lineChart(look, axis, unit, lines, say), [chart, axis]);
  return (
    <Chart
      id={`ebu-${id}`}
      title={`${title} by ${axis.title}`}
      describe={lines.map((line) => `${line.name}: ${said(line.values, axis.values, say)}`).join("; ") + `, ${unit}.`}
      option={option}
      {...noteOf(chart)}
      isOfPaper
      table={() => ({
        columns: [axis.name, ...lines.map((line) => `${line.name}, ${unit}`)],
        rows: axis.values.map((value, at) => [value, ...lines.map((line) => line.values[at] ?? null)]),
      })}
    />
  );
}

function noteOf({ paper, more = [] }: Against): { note?: string } {
  const said = [...(paper == null ? [] : [`Corresponds to EBU Tech 3362, ${paper}.`]), ...more];
  return said.length === 0 ? {} : { note: said.join(" ") };
}

function scaled(value: number | null | undefined, by: number): number | null {
  return value === null || value === undefined ? null : value / by;
}

/** At most ten values as text. */
function said(values: (number | null)[], names: string[], say: (value: number) => string): string {
  const words = values.map((value, at) => `${value === null ? "not measured" : say(value)} at ${names[at] ?? ""}`);
  return words.length <= 10 ? words.join(", ") : `${words[0]} to ${words[words.length - 1]}`;
}

const SYMBOLS: Record<string, string> = { read: "circle", write: "rect", both: "diamond" };
const DASHED: Record<string, "solid" | number[]> = { read: "solid", write: [7, 4], both: [2, 3] };

/** Lines for reads, writes and both over named categories. */
export function lineChart(
  look: Look,
  axis: { name: string; values: string[] },
  unit: string,
  lines: { name: string; values: (number | null)[] }[],
  say: (value: number) => string,
): ChartOption {
  const colour: Record<string, string> = { read: look.read, write: look.write, both: look.both };
  const series: LineSeriesOption[] = lines.map((line, n) => {
    const style = seriesStyle(look, n);
    const color = colour[line.name] ?? style.color;
    return {
      type: "line",
      name: line.name,
      data: line.values,
      symbol: SYMBOLS[line.name] ?? style.marker,
      symbolSize: 8,
      itemStyle: { color },
      lineStyle: { color, width: 2, type: DASHED[line.name] ?? style.dash },
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
