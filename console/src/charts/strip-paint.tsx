// Streams as rows of coloured cells, in reports, comparisons and the live view, and the legend of the colours.

import type { Cell, Kind } from "../figures/margin";
import type { CustomSeriesOption } from "./echarts";
import type { Look } from "./palette";
import { rasterSeries } from "./raster";

/** Shares of the row's height: the position of the strip's bottom, and its height with and without late frames. */
export interface StripShape {
  foot: number;
  late: number;
  rest: number;
}

/** Names are above the strips. */
export const BELOW_NAMES: StripShape = { foot: 0.88, late: 0.38, rest: 0.28 };

/** Names are at the axis. */
export const WHOLE_ROWS: StripShape = { foot: 0.9, late: 0.8, rest: 0.6 };

/** Paints the rows of cells from top to bottom. Cells with late frames are painted last, over their neighbours. */
export function paintStrips(look: Look, rows: readonly (readonly Cell[])[], shape: StripShape): CustomSeriesOption {
  const colours: Record<Kind, string> = { late: look.bad, close: look.ink, some: look.faint, free: look.line };
  return rasterSeries("streams", (context, plot) => {
    const height = plot.height / Math.max(rows.length, 1);
    const paint = (cell: Cell, at: number) => {
      const [left, right] = [Math.floor(plot.x(cell.from_s)), Math.ceil(plot.x(cell.to_s))];
      if (right < 0 || left > plot.width) return;
      const isLate = cell.kind === "late";
      const share = isLate ? shape.late : shape.rest;
      context.fillStyle = colours[cell.kind];
      context.fillRect(left, height * (at + shape.foot - share), Math.max(right - left, isLate ? 3 : 1), height * share);
    };
    for (const late of [false, true])
      rows.forEach((cells, at) => cells.filter((cell) => (cell.kind === "late") === late).forEach((cell) => paint(cell, at)));
  });
}

export function StripKey() {
  return (
    <span class="strip-key">
      <i class="late" aria-hidden="true" /> late or overdue, <i class="close" aria-hidden="true" /> less than 10 % of
      the buffer left, <i class="some" aria-hidden="true" /> less than half, <i class="free" aria-hidden="true" /> half or more.
    </span>
  );
}
