// A chart: canvas, title, files (PNG, SVG, CSV), a sentence and a table for screen readers. Charts with a time axis
// share one period. A chart is drawn when it comes into view.

import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { ChartOption, ECharts } from "./echarts";
import { init } from "./echarts";
import { common, LEGEND_LINE_PX, legendFor, lookFor } from "./look";
import type { Look } from "./palette";
import { timeGrid } from "./axes";
import { BandsContext, withBands } from "./bands";
import { ConditionsContext, conditionsText } from "./conditions";
import type { Band } from "./bands";
import { CursorLine, useCursor } from "./cursor";
import { followPointer } from "./pointer";
import { ChartFiles } from "./chart-files";
import { ChartTableView } from "./chart-table";
import type { ChartTable } from "./chart-table";
import { printed } from "./chart-print";
import { useTimeGestures } from "./time-gestures";
import type { Extent } from "../period";
import { byKey, inView, period } from "../period";
import { dark } from "../parts/theme";

export type { ChartTable } from "./chart-table";
export type { Look } from "./palette";
export type { ChartOption } from "./echarts";

export interface ChartProps {
  /** Unique on the page; the anchor and the name of the files. */
  id: string;
  title: string;
  /** One sentence with the figures, for users who can't see the chart. */
  describe: string;
  /** What to draw, in addition to the common look. Called again if the colours or this function change. */
  option: (look: Look) => ChartOption;
  /** The data as rows, for the CSV file and the table below the chart. A function is called only when needed. */
  table: ChartTable | (() => ChartTable);
  /** For charts whose x axis is time in seconds: the whole time range. Such charts share the period. */
  timeAxis?: Extent | null;
  /** CSS pixels. */
  height?: number;
  /** Text for a position in the chart, in units of its axes; shown below it while the pointer is there. */
  readout?: (x: number, y: number) => string | null;
  /** Called when a mark of the chart was clicked. */
  onPick?: (pick: { series: string; index: number }) => void;
  /** A hint for reading the chart. */
  note?: ComponentChildren;
  /**
   * It corresponds to a figure of a paper. Conditions of the paper that the run did not keep are printed below it and
   * in its pictures.
   */
  isOfPaper?: boolean;
  /** Heading level of the title; default 3. */
  level?: 3 | 4;
}

export function Chart(props: ChartProps) {
  const { id, title, describe, note, height = 260 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<ECharts | null>(null);
  const [readout, setReadout] = useState<string | null>(null);
  const [tabled, setTabled] = useState(false);
  const bands = useContext(BandsContext);
  const help = useId();
  const differs = conditionsText(useContext(ConditionsContext));
  const conditions = props.isOfPaper === true ? differs : "";
  useLazyChart(box, setChart);
  useDrawing(chart, props, bands);
  usePointing(chart, props, setReadout);
  useTimeGestures(chart, box, props.timeAxis ?? null);
  const time = props.timeAxis ?? null;
  const Heading = props.level === 4 ? "h4" : "h3";
  const keys = time === null ? {} : { tabIndex: 0, role: "group" as const, "aria-describedby": help };
  return (
    <figure class="chart" id={id}>
      <div class="chart-head">
        <Heading>{title}</Heading>
        <ChartFiles
          id={id}
          title={title}
          chart={chart}
          table={props.table}
          svg={() => svgOf(props, bands)}
          conditions={conditions}
          showTable={() => setTabled(!tabled)}
          tableIsShown={tabled}
        />
      </div>
      <div
        class={time === null ? "chart-box" : "chart-box chart-time"}
        {...keys}
        aria-label={time === null ? undefined : `${title}: choose a period`}
        onKeyDown={time === null ? undefined : (event) => onKey(event, time)}
      >
        <div
          class="chart-canvas"
          role="img"
          aria-label={`${title}. ${describe}`}
          ref={box}
          style={{ height: `${height}px` }}
        />
        {time !== null && <CursorLine chart={chart} />}
        <PrintedChart props={props} bands={bands} height={height} />
      </div>
      {time !== null && (
        <p class="sr-only" id={help}>
          Arrow keys move the period, plus shortens it, minus lengthens it, Escape shows everything.
        </p>
      )}
      <ChartNote note={note} conditions={conditions} />
      {props.readout !== undefined && <p class="chart-readout">{readout ?? "\u00a0"}</p>}
      {tabled && <ChartTableView title={title} table={props.table} />}
    </figure>
  );
}

function ChartNote({ note, conditions }: { note: ComponentChildren; conditions: string }) {
  if (note === undefined && conditions === "") return null;
  return (
    <figcaption class="chart-note">
      {note}
      {conditions !== "" && (
        <span class="chart-conditions" dir="auto">
          {" "}
          {conditions}
        </span>
      )}
    </figcaption>
  );
}

function onKey(event: KeyboardEvent, extent: Extent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const wish = byKey(event.key, extent, period.peek());
  if (wish === undefined) return;
  event.preventDefault();
  period.value = wish;
}

/** The complete ECharts option: the common look, the chart's own option, the period. */
function fullOption(props: ChartProps, look: Look, bands: readonly Band[]): ChartOption {
  const own = props.option(look);
  const time = props.timeAxis ?? null;
  const base = time === null ? common(look) : { ...common(look), grid: timeGrid(look) };
  const all: ChartOption = { ...base, ...own };
  const legend = own.legend;
  if (legend !== undefined && !Array.isArray(legend))
    all.legend = { ...base.legend, ...legend } as ChartOption["legend"];
  if (own.grid !== undefined && !Array.isArray(own.grid))
    all.grid = { ...base.grid, ...own.grid } as ChartOption["grid"];
  if (own.tooltip !== undefined && !Array.isArray(own.tooltip)) {
    all.tooltip = { ...base.tooltip, ...own.tooltip } as ChartOption["tooltip"];
  }
  if (time === null) return withRoomForLegend(all, look);
  all.xAxis = withPeriod(all.xAxis, time);
  // The page draws one cursor for all charts.
  all.tooltip = { ...all.tooltip, axisPointer: { type: "none" } } as ChartOption["tooltip"];
  return withBands(withRoomForLegend(all, look), bands, look);
}

/** Moves the plot down if the legend has more than one line. */
function withRoomForLegend(option: ChartOption, look: Look): ChartOption {
  const { legend, grid } = option;
  if (legend === undefined || Array.isArray(legend) || legend.show === false) return option;
  const series = Array.isArray(option.series)
    ? option.series
    : option.series === undefined
      ? []
      : [option.series];
  const names = Array.isArray(legend.data) ? legend.data : series.map((one) => one.name ?? "");
  const { type, lines } = legendFor([...new Set(names.map(String))], look);
  const room = (lines - 1) * LEGEND_LINE_PX;
  const moved =
    Array.isArray(grid) || typeof grid?.top !== "number" ? grid : { ...grid, top: grid.top + room };
  return {
    ...option,
    legend: { ...legend, type } as ChartOption["legend"],
    grid: moved as ChartOption["grid"],
  };
}

function withPeriod(axes: ChartOption["xAxis"], extent: Extent): ChartOption["xAxis"] {
  const { from_s, to_s } = inView(extent, period.peek());
  const bounds = { min: from_s, max: to_s };
  if (Array.isArray(axes)) return axes.map((axis) => ({ ...axis, ...bounds })) as ChartOption["xAxis"];
  return { ...axes, ...bounds } as ChartOption["xAxis"];
}

/**
 * Creates the chart when its box comes near the view or the browser is idle, so that a picture of the whole page has
 * no empty boxes. Keeps it as large as its box, and disposes of it. A chart in a folded part waits until the part is
 * opened.
 */
function useLazyChart(
  box: { current: HTMLDivElement | null },
  setChart: (chart: ECharts | null) => void,
): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let made: ECharts | null = null;
    const make = () => {
      if (made !== null) return;
      seen.disconnect();
      made = init(element, null, { renderer: "canvas" });
      setChart(made);
    };
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && make(), {
      rootMargin: "300px",
    });
    seen.observe(element);
    let forget = () => {};
    const sized = new ResizeObserver(() => {
      if (made !== null) return made.resize();
      // The box has a size now: at the beginning, or because the folded part around it was opened.
      forget();
      forget = whenIdle(() => element.checkVisibility() && make());
    });
    sized.observe(element);
    return () => {
      forget();
      seen.disconnect();
      sized.disconnect();
      made?.dispose();
      setChart(null);
    };
  }, []);
}

/** Calls `act` when the browser is idle. Returns a function that cancels this. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(act, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: 1_000 });
  return () => cancelIdleCallback(handle);
}

/** Draws again if the data, the colours or the period change. */
function useDrawing(chart: ECharts | null, props: ChartProps, bands: readonly Band[]): void {
  const isDark = dark.value;
  const chosen = period.value;
  const time = props.timeAxis ?? null;
  const drawn = useRef<ChartProps["option"] | null>(null);
  useEffect(() => {
    if (chart === null) return;
    drawn.current = props.option;
    chart.setOption(fullOption(props, lookFor(isDark, chart.getWidth()), bands), { notMerge: true });
  }, [chart, isDark, props.option, bands, time?.from_s, time?.to_s]);
  useEffect(() => {
    if (chart === null || time === null || drawn.current !== props.option) return;
    const axes = chart.getOption()["xAxis"];
    const many = Array.isArray(axes) ? axes.length : 1;
    const { from_s, to_s } = inView(time, chosen);
    chart.setOption(
      { xAxis: Array.from({ length: many }, () => ({ min: from_s, max: to_s })) },
      { lazyUpdate: true },
    );
  }, [chart, time === null ? null : chosen]);
}

/** Handles clicks on marks, and shows the text for the position under the pointer. */
function usePointing(
  chart: ECharts | null,
  props: ChartProps,
  setReadout: (text: string | null) => void,
): void {
  const { readout, onPick } = props;
  useCursor(chart, props.timeAxis != null);
  useEffect(() => {
    if (chart === null || readout === undefined) return undefined;
    return followPointer(chart, (pixel) => {
      if (pixel === null || !chart.containPixel({ gridIndex: 0 }, pixel)) return setReadout(null);
      const [x, y] = chart.convertFromPixel({ gridIndex: 0 }, pixel) as number[];
      setReadout(x === undefined || y === undefined ? null : readout(x, y));
    });
  }, [chart, readout]);
  useEffect(() => {
    if (chart === null || onPick === undefined) return undefined;
    const click = (event: { seriesName?: string; dataIndex?: number }) =>
      onPick({ series: event.seriesName ?? "", index: event.dataIndex ?? 0 });
    chart.on("click", click as (event: unknown) => void);
    return () => {
      if (!chart.isDisposed()) chart.off("click", click as (...args: unknown[]) => void);
    };
  }, [chart, onPick]);
}

/** The chart as an SVG document in light colours, for files and for paper. */
function svgOf(props: ChartProps, bands: readonly Band[], width = 960): string {
  const height = props.height ?? 260;
  const look = lookFor(false, width);
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ ...fullOption(props, look, bands), backgroundColor: look.ground });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** The chart as SVG, which prints sharper than a canvas. */
export function PrintedChart({ props, bands, height }: { props: ChartProps; bands: readonly Band[]; height: number }) {
  const box = useRef<HTMLDivElement>(null);
  const current = useRef(props);
  current.current = props;
  // The width at which letters on paper are as large as those of tables. Two charts in a row are half as wide.
  const width = () => (box.current?.closest(".grid:not(.wide)") === null ? 860 : 450);
  useEffect(
    () =>
      printed(
        () => box.current,
        () => svgOf({ ...current.current, height }, bands, width()),
      ),
    [bands],
  );
  return <div class="chart-printed" aria-hidden="true" ref={box} />;
}
