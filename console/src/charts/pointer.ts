// The pointer over a chart.

import type { ECharts } from "./echarts";

/**
 * Calls the function with the position of the pointer in the chart's pixels, and with null when it leaves. Returns a
 * function that ends this.
 */
export function followPointer(chart: ECharts, told: (pixel: [number, number] | null) => void): () => void {
  const zr = chart.getZr();
  const move = (event: { offsetX: number; offsetY: number }) => told([event.offsetX, event.offsetY]);
  const leave = () => told(null);
  zr.on("mousemove", move);
  zr.on("globalout", leave);
  return () => {
    if (chart.isDisposed()) return;
    zr.off("mousemove", move);
    zr.off("globalout", leave);
  };
}
