// The common look of all charts: font, grid, tooltip. A chart's own option is merged into it.

import { DARK, LIGHT } from "./palette";
import type { Look } from "./palette";
import type { ChartOption } from "./echarts";
import { chartText } from "../parts/text";

/** Without quotes, because ECharts writes them into SVG attributes unescaped. */
export const FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif";

/** The look for the page's current theme and this chart width. */
export function lookFor(dark: boolean, width: number): Look {
  return { ...(dark ? DARK : LIGHT), width };
}

/** With more names than this, the legend scrolls. */
const MOST_NAMES = 8;

/** Height of a line of the legend, including the gap to the next, in CSS pixels. */
const LETTERS_PX = 17;
const GAP_PX = 14;
export const LEGEND_LINE_PX = LETTERS_PX + GAP_PX;

/** How many lines the legend needs, estimated from the number of letters, and its type. */
export function legendFor(names: readonly string[], look: Look): { type: "plain" | "scroll"; lines: number } {
  if (names.length > MOST_NAMES) return { type: "scroll", lines: 1 };
  const longest = look.width < 500 ? 24 : 48;
  let lines = 1;
  let used = 0;
  for (const name of names) {
    const width = 26 + 5 + 14 + Math.min(name.length, longest) * 7;
    if (used > 0 && used + width > look.width - 10) {
      lines += 1;
      used = 0;
    }
    used += width;
  }
  return { type: "plain", lines };
}

/**
 * The common part. The legend is on top and scrolls if it is long. The tooltip is drawn on the canvas, so that a name
 * can't be markup. There is no animation, because figures don't move and old computers have to draw it.
 */
export function common(look: Look): ChartOption {
  return {
    animation: false,
    backgroundColor: "transparent",
    color: [...look.series],
    textStyle: { fontFamily: FONT, color: look.ink, fontSize: 12 },
    grid: {
      left: 8,
      right: 20,
      top: 34,
      bottom: 8,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    legend: {
      type: "plain",
      top: 0,
      left: 0,
      right: 0,
      itemWidth: 24,
      itemHeight: 10,
      textStyle: { color: look.ink, fontSize: 12, lineHeight: LETTERS_PX },
      itemGap: GAP_PX,
      inactiveColor: look.faint,
      pageTextStyle: { color: look.faint },
      pageIconColor: look.ink,
      pageIconInactiveColor: look.line,
      formatter: (name: string) => chartText(name, look.width < 500 ? 24 : 48),
    },
    tooltip: tooltip(look),
  };
}

/** A tooltip that is drawn on the canvas. */
export function tooltip(look: Look): ChartOption["tooltip"] {
  return {
    trigger: "axis",
    renderMode: "richText",
    confine: true,
    backgroundColor: look.dark ? "#222a33" : "#ffffff",
    borderColor: look.line,
    borderWidth: 1,
    padding: [6, 9],
    textStyle: { color: look.ink, fontSize: 12, fontFamily: FONT, lineHeight: 17 },
    axisPointer: { type: "line", lineStyle: { color: look.faint, type: "dashed" }, label: { show: false } },
  };
}
