// What all charts have in common: letters, grid, tooltip. A chart's own option goes on top of it.

import { DARK, LIGHT } from "./palette";
import type { Look } from "./palette";
import type { ChartOption } from "./echarts";
import { chartText } from "../parts/text";

/** Without quotes: ECharts writes them into SVG attributes as they are. */
export const FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif";

/** The colours for the page as it is, and the room there is. */
export function lookFor(dark: boolean, width: number): Look {
  return { ...(dark ? DARK : LIGHT), width };
}

/** More names than this don't fit over a chart: then they scroll. */
const MOST_NAMES = 8;

/** A line of the legend: its letters, and the gap to the next. */
const LETTERS_PX = 17;
const GAP_PX = 14;
export const LEGEND_LINE_PX = LETTERS_PX + GAP_PX;

/** How many lines the legend takes, by a rough width of its letters, and how it is then shown. */
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
 * The common part. Legend on top, where it scrolls when it is long; tooltip drawn on the canvas, so that a name
 * can't be markup; no animation, because figures don't move and old machines have to draw them.
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

/** A tooltip on the canvas. */
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
