// One cursor for all charts with a time axis: each chart draws a line at the time under the pointer.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ECharts } from "./echarts";
import { followPointer } from "./pointer";
import { period } from "../period";

/** The time under the pointer, in seconds; null if the pointer is not in a chart. */
export const cursor = signal<number | null>(null);

/** Sets the cursor to the time under the pointer in this chart. */
export function useCursor(chart: ECharts | null, hasTime: boolean): void {
  useEffect(() => {
    if (chart === null || !hasTime) return undefined;
    return followPointer(chart, (pixel) => {
      const grids = chart.getOption()["grid"];
      const many = Array.isArray(grids) ? grids.length : 1;
      const all = Array.from({ length: many }, (_, at) => at);
      const inside = pixel !== null && all.some((at) => chart.containPixel({ gridIndex: at }, pixel));
      const moment: unknown = inside ? chart.convertFromPixel({ xAxisIndex: 0 }, pixel[0]) : null;
      cursor.value = typeof moment === "number" ? moment : null;
    });
  }, [chart, hasTime]);
}

/** The line in one chart; nothing if the time is not in view. */
export function CursorLine({ chart }: { chart: ECharts | null }) {
  const at_s = cursor.value;
  // Read the period, so that the line is redrawn when the period changes.
  void period.value;
  if (chart === null || at_s === null || chart.isDisposed()) return null;
  const left: unknown = chart.convertToPixel({ xAxisIndex: 0 }, at_s);
  if (typeof left !== "number" || !Number.isFinite(left) || left < 0 || left > chart.getWidth()) return null;
  return <div class="chart-cursor" style={{ left: `${left}px` }} aria-hidden="true" />;
}
