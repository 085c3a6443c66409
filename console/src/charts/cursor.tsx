// One cursor for all charts with a time axis: where the pointer is in one, a line stands in all.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ECharts } from "./echarts";
import { period } from "../period";

/** The moment under the pointer, in seconds; null where there is none. */
export const cursor = signal<number | null>(null);

/** Follows the pointer over this chart. */
export function useCursor(chart: ECharts | null, hasTime: boolean): void {
  useEffect(() => {
    if (chart === null || !hasTime) return undefined;
    const zr = chart.getZr();
    const move = (event: { offsetX: number; offsetY: number }) => {
      const pixel = [event.offsetX, event.offsetY];
      const grids = chart.getOption()["grid"];
      const many = Array.isArray(grids) ? grids.length : 1;
      const all = Array.from({ length: many }, (_, at) => at);
      const inside = all.some((at) => chart.containPixel({ gridIndex: at }, pixel));
      const moment: unknown = inside ? chart.convertFromPixel({ xAxisIndex: 0 }, event.offsetX) : null;
      cursor.value = typeof moment === "number" ? moment : null;
    };
    const leave = () => {
      cursor.value = null;
    };
    zr.on("mousemove", move);
    zr.on("globalout", leave);
    return () => {
      if (chart.isDisposed()) return;
      zr.off("mousemove", move);
      zr.off("globalout", leave);
    };
  }, [chart, hasTime]);
}

/** The line in one chart; nothing where the moment is not in view. */
export function CursorLine({ chart }: { chart: ECharts | null }) {
  const at_s = cursor.value;
  // A line of another period would stand elsewhere.
  void period.value;
  if (chart === null || at_s === null || chart.isDisposed()) return null;
  const left: unknown = chart.convertToPixel({ xAxisIndex: 0 }, at_s);
  if (typeof left !== "number" || !Number.isFinite(left) || left < 0 || left > chart.getWidth()) return null;
  return <div class="chart-cursor" style={{ left: `${left}px` }} aria-hidden="true" />;
}
