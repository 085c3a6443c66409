// The result figures of EBU Tech 3362 as lines: a figure of one block size by type of access, over the load points. The
// values are those of the paper's tables. Pure.

import type { LoadPoint, PaperCell, PaperMode, RunHost, Summary } from "../data/summary";
import { blockSize } from "../figures/units";

/** A block size in bytes; `null` for all of them together. */
export type Block = number | null;

/** The block size of the paper's figures. */
const PAPER_BLOCK = 1024 * 1024;

/** Only runs whose result is in MB/s have these figures, as on the terminal. */
export function hasEbuFigures(summary: Summary): boolean {
  const inStreams = summary.load_points.some((point) => point.stream_count != null);
  const told =
    [summary.check, summary.replay, summary.vda, summary.search].some((facts) => facts != null) || inStreams;
  return !told && summary.load_points.some((point) => point.paper.block_bytes.length > 0);
}

/** The block sizes of all load points, ascending. */
export function blocksOf(points: readonly Pick<LoadPoint, "paper">[]): number[] {
  return [...new Set(points.flatMap((point) => point.paper.block_bytes))].sort((one, two) => one - two);
}

/** The paper's block size if every load point with tables has it; otherwise all sizes together. */
export function usualBlock(points: readonly Pick<LoadPoint, "paper">[]): Block {
  const measured = points.map((point) => point.paper.block_bytes).filter((sizes) => sizes.length > 0);
  return measured.length > 0 && measured.every((sizes) => sizes.includes(PAPER_BLOCK)) ? PAPER_BLOCK : null;
}

/** A figure of each load point for a type of access and a block size; `null` if it was not measured. */
export function paperValues(
  points: readonly Pick<LoadPoint, "paper">[],
  mode: PaperMode,
  block: Block,
  of: (cell: PaperCell) => number | null,
): (number | null)[] {
  return points.map((point) => {
    const cell = point.paper.cells.find((one) => one.mode === mode && one.block_bytes === block);
    return cell === undefined ? null : of(cell);
  });
}

/** `1 MiB blocks`. */
export function blockName(block: Block): string {
  return block === null ? "all block sizes" : `${blockSize(block)} blocks`;
}

/** The quantity that distinguishes the lines of a chart. */
export type LinesBy = "access" | "block" | "client" | "host";

/** A line: its name, and a value for each position on the x axis. */
export interface PaperLine {
  name: string;
  values: (number | null)[];
}

type Of = (cell: PaperCell) => number | null;

/** A line for each block size, for a type of access. */
export function blockLines(points: readonly Pick<LoadPoint, "paper">[], mode: PaperMode, of: Of): PaperLine[] {
  return blocksOf(points).map((block) => ({ name: blockSize(block), values: paperValues(points, mode, block, of) }));
}

/** At most this many clients have a line: those that differ most from the others. */
const MOST_CLIENTS = 12;
/** From this ratio to the median on, a client is an outlier. */
const STANDS_OUT = 1.5;

export interface ClientLines {
  lines: PaperLine[];
  /** Clients or hosts without a line. */
  left_out: number;
  /**
   * The client or host that differs most from the others, if it is an outlier: its name, the ratio to the median, and
   * the load point.
   */
  outstanding: { name: string; times: number; point: number } | null;
}

type Workers = Pick<LoadPoint, "per_worker">;

/** A line for each client (worker). */
export function clientLines(points: readonly Workers[], mode: PaperMode, block: Block, of: Of): ClientLines {
  const workers = [...new Set(points.flatMap((point) => point.per_worker.map(({ worker }) => worker)))].sort((one, two) => one - two);
  const groups = workers.map((worker) => ({ name: `client ${worker + 1}`, first: worker, count: 1 }));
  return groupLines(points, groups, mode, block, of);
}

/** A line for each host of a fleet, over all its clients. */
export function hostLines(points: readonly Workers[], hosts: readonly Pick<RunHost, "agent" | "first_worker" | "workers">[], mode: PaperMode, block: Block, of: Of): ClientLines {
  const groups = hosts.map(({ agent, first_worker, workers }) => ({ name: agent, first: first_worker, count: workers }));
  return groupLines(points, groups, mode, block, of);
}

/**
 * The rate and the latencies of several clients as one cell: rates are weighted by the time of the transfers, latencies
 * by their number.
 */
export function cellOfAll(cells: readonly PaperCell[]): PaperCell | null {
  const [first] = cells;
  if (first === undefined || cells.length === 1) return first ?? null;
  const sum = (value: (cell: PaperCell) => number) => cells.reduce((total, cell) => total + value(cell), 0);
  const transfers = sum((cell) => cell.transfers);
  const rated = cells.filter(({ transfer_rate_while_transferring_mb_per_s: rate }) => rate !== null && rate > 0);
  const time = rated.reduce((total, cell) => total + cell.bytes / (cell.transfer_rate_while_transferring_mb_per_s ?? 1), 0);
  const longest = cells.flatMap(({ maximum_latency_s }) => maximum_latency_s ?? []);
  return {
    ...first,
    transfers,
    transfer_rate_while_transferring_mb_per_s: time > 0 ? rated.reduce((total, cell) => total + cell.bytes, 0) / time : null,
    average_latency_ms: transfers > 0 ? sum((cell) => (cell.average_latency_ms ?? 0) * cell.transfers) / transfers : null,
    maximum_latency_s: longest.length === 0 ? null : Math.max(...longest),
  };
}

/** A line for each group of clients. Those that differ most from the median of all at a load point are kept. */
function groupLines(points: readonly Workers[], groups: readonly { name: string; first: number; count: number }[], mode: PaperMode, block: Block, of: Of): ClientLines {
  const all = groups.map(({ name, first, count }): PaperLine => ({
    name,
    values: points.map((point) => {
      const own = point.per_worker.filter(({ worker }) => worker >= first && worker < first + count);
      const cells = own.flatMap(({ paper }) => paper?.cells.find((one) => one.mode === mode && one.block_bytes === block) ?? []);
      const cell = cellOfAll(cells);
      return cell === null ? null : of(cell);
    }),
  }));
  const medians = points.map((_, at) => median(all.flatMap(({ values }) => values[at] ?? [])));
  const ratios = (line: PaperLine) =>
    line.values.map((value, at) => {
      const middle = medians[at] ?? null;
      return value === null || middle === null || middle <= 0 || value <= 0 ? 1 : value / middle;
    });
  const away = (line: PaperLine) => Math.max(1, ...ratios(line).map((ratio) => Math.max(ratio, 1 / ratio)));
  const measured = all.filter(({ values }) => values.some((value) => value !== null));
  const sorted = [...measured].sort((one, two) => away(two) - away(one));
  const chosen = new Set(sorted.slice(0, MOST_CLIENTS));
  const [most] = sorted;
  const outstanding = most === undefined || measured.length < 3 || away(most) < STANDS_OUT ? null : outstandingOf(most.name, ratios(most));
  return { lines: measured.filter((line) => chosen.has(line)), left_out: measured.length - chosen.size, outstanding };
}

function outstandingOf(name: string, ratios: number[]): NonNullable<ClientLines["outstanding"]> {
  const away = ratios.map((ratio) => Math.max(ratio, 1 / ratio));
  const point = away.indexOf(Math.max(...away));
  return { name, times: ratios[point] ?? 1, point };
}

function median(values: number[]): number | null {
  const sorted = [...values].sort((one, two) => one - two);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return null;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

type PaperFigure = "rate" | "mean" | "max";

/** The figures of the paper that a chart corresponds to, by the quantity on its x axis; `null` if there is none. */
export function paperFigures(figure: PaperFigure, swept: string, by: LinesBy = "access"): string | null {
  return FIGURES[by][swept]?.[figure] ?? null;
}

const FIGURES: Record<LinesBy, Record<string, Partial<Record<PaperFigure, string>>>> = {
  access: {
    workers: {
      rate: "Figure 23 (one file for all clients) and Figure 25 (a file each)",
      mean: "Figure 24 (one file for all clients) and Figure 26 (a file each)",
      max: "Figure 51 (one file for all clients) and Figure 52 (a file each)",
    },
    length: { rate: "Figure 19" },
    random: { rate: "Figure 20" },
  },
  block: {
    workers: { rate: "Figure 21", mean: "Figure 22" },
    length: { rate: "Figure 19" },
    random: { rate: "Figure 20" },
    "length x blocks": { rate: "Figure 19" },
    "blocks x length": { rate: "Figure 19" },
    "random x blocks": { rate: "Figure 20" },
    "blocks x random": { rate: "Figure 20" },
  },
  client: { workers: { mean: "Figure 55" } },
  host: { workers: { mean: "Figure 55" } },
};
