// The result figures of EBU Tech 3362 as lines: a figure of one block size by type of access, over the load points.
// The values are those of the paper's tables. Pure.

import type { LoadPoint, PaperCell, PaperMode, Summary } from "../data/summary";
import { blockSize } from "../figures/units";

/** A block size in bytes; `null` for all of them together. */
export type Block = number | null;

/** The block size of the paper's figures. */
const PAPER_BLOCK = 1024 * 1024;

/** Runs that are told in MB/s have them, as on the terminal. */
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

/** The paper's block size where every load point with tables has it, else all sizes together. */
export function usualBlock(points: readonly Pick<LoadPoint, "paper">[]): Block {
  const measured = points.map((point) => point.paper.block_bytes).filter((sizes) => sizes.length > 0);
  return measured.length > 0 && measured.every((sizes) => sizes.includes(PAPER_BLOCK)) ? PAPER_BLOCK : null;
}

/** A figure of each load point for a type of access and a block size; `null` where it was not measured. */
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

type PaperFigure = "rate" | "mean" | "max";

/** The figures of the paper that a chart corresponds to, by what lies on its x axis; `null` where it has none. */
export function paperFigures(figure: PaperFigure, swept: string): string | null {
  return FIGURES[swept]?.[figure] ?? null;
}

const FIGURES: Record<string, Partial<Record<PaperFigure, string>>> = {
  workers: {
    rate: "Figure 23 (one file for all clients) and Figure 25 (a file each)",
    mean: "Figure 24 (one file for all clients) and Figure 26 (a file each)",
    max: "Figure 51 (one file for all clients) and Figure 52 (a file each)",
  },
  length: { rate: "Figure 19" },
  random: { rate: "Figure 20" },
};
