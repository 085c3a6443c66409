// The parts of ECharts that the page uses. Parts that are not named here are not in the bundle.

import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import type {
  BarSeriesOption,
  CustomSeriesOption,
  LineSeriesOption,
  ScatterSeriesOption,
} from "echarts/charts";
import {
  AxisPointerComponent,
  GridComponent,
  LegendPlainComponent,
  LegendScrollComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from "echarts/components";
import type {
  GridComponentOption,
  LegendComponentOption,
  TitleComponentOption,
  TooltipComponentOption,
} from "echarts/components";
import { init, use } from "echarts/core";
import type { ComposeOption, ECharts } from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  AxisPointerComponent,
  GridComponent,
  LegendPlainComponent,
  LegendScrollComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export type ChartOption = ComposeOption<
  | BarSeriesOption
  | CustomSeriesOption
  | LineSeriesOption
  | ScatterSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
  | TooltipComponentOption
>;

export type { BarSeriesOption, CustomSeriesOption, ECharts, LineSeriesOption, ScatterSeriesOption };
export { init };
