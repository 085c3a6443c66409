// Throughput and response times against what the load points differ in, then the main figure of EBU Tech 3362: the
// transfer rate of a client by type of access, for one block size. Behind them the paper's latencies for that size, its
// three tables, and the same by block size.

import { useMemo, useState } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import { seriesStyle } from "../charts/palette";
import type { RunPage } from "../data/page";
import type { LoadPoint, PaperCell, PaperMode } from "../data/summary";
import { blockSize, mbPerS, ms, number } from "../figures/units";
import { Term } from "../parts/glossary";
import { Section } from "../parts/section";
import { MODES, PaperView } from "./paper";
import { type Block, blockName, blocksOf, paperFigures, paperValues, usualBlock } from "./paper-lines";
import { PointPick, usePoint } from "./point-pick";
import { sweptAxis, sweptName } from "./swept";
import type { SweptAxis } from "./swept";

export function EbuSection({ run }: { run: RunPage }) {
  const points = run.summary.load_points;
  const measured = points
    .map((point, at) => ({ point, at }))
    .filter(({ point }) => point.paper.block_bytes.length > 0);
  const chosen = usePoint(measured, measured[measured.length - 1]?.at ?? 0);
  const current = points[chosen];
  const axis = useMemo(() => sweptAxis(run.summary), [run]);
  const blocks = useMemo(() => blocksOf(points), [run]);
  const [block, setBlock] = useState<Block>(() => usualBlock(points));
  const main = useMemo(() => mainCharts(points), [run]);
  const [rate, ...latencies] = useMemo(() => paperCharts(points, block, sweptName(run.summary)), [run, block]);
  const isLadder = points.length > 1;
  return (
    <Section
      id="ebu"
      title="Throughput and response time"
      about={
        <>
          Throughput counts all workers and all time. <Term word="response time">Response time</Term> is that of single
          reads and writes. <Term word="EBU latency" /> is the set-up time of a transfer.
        </>
      }
    >
      {isLadder && <LineCharts charts={main} axis={axis} />}
      {isLadder && blocks.length > 0 && (
        <>
          <BlockPick blocks={blocks} chosen={block} choose={setBlock} />
          <LineChart chart={rate} axis={axis} />
        </>
      )}
      <details>
        <summary>{isLadder ? "EBU latency by type of access, t" : "T"}he paper’s tables, and figures by block size</summary>
        <div class="folded-content">
          {isLadder && <LineCharts charts={latencies} axis={axis} />}
          <PointPick points={measured} chosen={chosen} />
          {current !== undefined && <PaperView point={current} at={chosen} />}
        </div>
      </details>
    </Section>
  );
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
  /** The paper's figures that it corresponds to. */
  paper?: string | null;
}

function BlockPick({ blocks, chosen, choose }: { blocks: number[]; chosen: Block; choose: (block: Block) => void }) {
  return (
    <label class="pick">
      Block size of the paper’s charts{" "}
      <select
        value={String(chosen)}
        onChange={({ currentTarget: { value } }) => choose(value === String(null) ? null : Number(value))}
      >
        {[...blocks, null].map((block) => (
          <option value={String(block)} selected={block === chosen}>
            {block === null ? "all sizes" : blockSize(block)}
          </option>
        ))}
      </select>
    </label>
  );
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

/** The paper's figures for a block size, one line for each type of access: transfer rate, mean and maximum latency. */
function paperCharts(points: LoadPoint[], block: Block, swept: string): [Against, Against, Against] {
  const lines = (of: (cell: PaperCell) => number | null): Line[] =>
    there(TYPES.map((mode) => ({ name: MODES[mode], values: paperValues(points, mode, block, of) })));
  const rate = lines((cell) => cell.transfer_rate_while_transferring_mb_per_s);
  const mean = lines((cell) => cell.average_latency_ms);
  const max = lines((cell) => scaled(cell.maximum_latency_s, 1e-3));
  const title = (of: string) => `${of} with ${blockName(block)}`;
  const paper = (figure: "rate" | "mean" | "max") => paperFigures(figure, swept);
  return [
    { id: "transfer-rate", title: title("Transfer rate of one worker"), unit: "MB/s", lines: rate, say: number, paper: paper("rate") },
    { id: "mean", title: title("Average EBU latency"), unit: "ms", lines: mean, say: number, paper: paper("mean") },
    { id: "max", title: title("Maximum EBU latency"), unit: "ms", lines: max, say: number, paper: paper("max") },
  ];
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
      {...(chart.paper == null ? {} : { note: `Corresponds to EBU Tech 3362, ${chart.paper}.` })}
      table={() => ({
        columns: [axis.name, ...lines.map((line) => `${line.name}, ${unit}`)],
        rows: axis.values.map((value, at) => [value, ...lines.map((line) => line.values[at] ?? null)]),
      })}
    />
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
