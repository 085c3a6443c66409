// Periods that every chart with a time axis marks: the incidents of a run, and other events during it.

import { createContext } from "preact";
import type { ChartOption, LineSeriesOption } from "./echarts";
import type { Look } from "./palette";

export interface Band {
  from_s: number;
  to_s: number;
  /** An event that may disturb storage, and not an incident. */
  isMark?: boolean;
}

/** The incidents alone. */
export function incidentsOf(bands: readonly Band[]): Band[] {
  return bands.filter((band) => band.isMark !== true);
}

/** The bands of the page. */
export const BandsContext = createContext<readonly Band[]>([]);

/** Adds the bands to the chart: each time axis gets a line without points, to which they are attached. */
export function withBands(option: ChartOption, bands: readonly Band[], look: Look): ChartOption {
  if (bands.length === 0) return option;
  const axes = Array.isArray(option.xAxis) ? option.xAxis.length : 1;
  const series = option.series === undefined ? [] : Array.isArray(option.series) ? option.series : [option.series];
  const carriers = Array.from({ length: axes }, (_, at): LineSeriesOption => ({
    type: "line",
    xAxisIndex: at,
    yAxisIndex: at,
    data: [],
    silent: true,
    markArea: {
      silent: true,
      itemStyle: { color: look.bad, opacity: 0.16, decal: { symbol: "none" } },
      data: bands.map((band) => [
        { xAxis: band.from_s, ...(band.isMark === true ? { itemStyle: { color: look.mark, opacity: 0.2 } } : {}) },
        { xAxis: band.to_s },
      ]),
    },
  }));
  return { ...option, series: [...series, ...carriers] };
}
