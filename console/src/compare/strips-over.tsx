// The streams of all runs in one chart, from each run's own start: one strip per run with the worst of its streams, and
// one line per run with the smallest margin.

import { useMemo } from "preact/hooks";
import { categoryAxis, tick, timeAxis, valueAxis } from "../charts/axes";
import { Chart, type ChartOption, type Look } from "../charts/chart";
import { seriesStyle } from "../charts/palette";
import { BELOW_NAMES, StripKey, paintStrips } from "../charts/strip-paint";
import type { RunPage } from "../data/page";
import { type Cell, MARGIN_NOTE, NO_FRAME_DUE } from "../figures/margin";
import { counted, ms } from "../figures/units";
import { chartText } from "../parts/text";
import { Section } from "../parts/section";
import { cellsOf, marginLine, shortestBuffer } from "../run/strip-rows";

/** Height of a run's strip, in CSS pixels. */
const ROW_PX = 40;

interface Props {
  runs: RunPage[];
  names: string[];
}

interface Strip {
  name: string;
  /** Null if the run has no frames. */
  late_frames: number | null;
  cells: Cell[];
  margins: [number, number | null][];
}

export function StripsOver({ runs, names }: Props) {
  const strips = useMemo(() => runs.map((run, at) => stripOf(run, names[at] ?? "")), [runs]);
  const end = Math.max(1, ...strips.flatMap(({ cells }) => cells.map((cell) => cell.to_s)));
  const drawn = useMemo(() => (look: Look) => drawStrips(look, strips), [strips]);
  const margins = useMemo(() => (look: Look) => drawMargins(look, strips), [strips]);
  if (strips.every(({ cells }) => cells.length === 0)) return null;
  return (
    <Section id="streams-over-time" title="Streams" about="One strip per run, from its start. It shows the run’s worst stream at each moment.">
      <Chart
        id="compare-strips"
        title="Streams and their late frames"
        describe={strips.map((strip) => `${strip.name}: ${lateText(strip.late_frames)}`).join("; ")}
        option={drawn}
        height={40 + strips.length * ROW_PX}
        timeAxis={{ from_s: 0, to_s: end }}
        note={<StripKey />}
        table={() => ({
          columns: ["run", "from, s", "to, s", "smallest margin, ms", "late frames"],
          rows: strips.flatMap(({ name, cells }) =>
            cells.map((cell) => [name, cell.from_s, cell.to_s, cell.margin_ms, cell.late_frames]),
          ),
        })}
      />
      <Chart
        id="compare-margins"
        title="Smallest margin of all streams"
        describe={strips.map((strip) => `${strip.name}: ${leastText(strip)}`).join("; ")}
        option={margins}
        height={260}
        timeAxis={{ from_s: 0, to_s: end }}
        note={MARGIN_NOTE}
        table={() => ({
          columns: ["run", "time, s", "smallest margin, ms"],
          rows: strips.flatMap(({ name, margins }) => margins.map(([at, margin]) => [name, at, margin])),
        })}
      />
    </Section>
  );
}

function stripOf(run: RunPage, name: string): Strip {
  const streams = run.detail?.streams ?? [];
  const cells = streams.flatMap((point) => {
    const load = run.summary.load_points.find((one) => one.index === point.point);
    return cellsOf(point, point, shortestBuffer(load));
  });
  return { name, late_frames: lateFrames(run), margins: marginLine(cells), cells };
}

/** If no frame was judged, as in a mix or a warm-up that was stopped, the number of late frames is unknown. */
export function lateFrames({ summary }: RunPage): number | null {
  const judged = summary.load_points.flatMap((point) => ((point.streams?.total.frames_judged ?? 0) > 0 ? [point.streams?.total.late_frames ?? 0] : []));
  return judged.length === 0 ? null : judged.reduce((sum, late) => sum + late, 0);
}

/** A dash if the run has no frames. */
export function lateText(late_frames: number | null): string {
  return late_frames === null ? "no frames with deadlines" : counted(late_frames, "late frame");
}

function leastText({ margins }: Strip): string {
  const known = margins.flatMap(([, margin]) => (margin === null ? [] : [margin]));
  return known.length === 0 ? NO_FRAME_DUE : `smallest ${ms(Math.min(...known) * 1e3)} ms`;
}

function drawStrips(look: Look, strips: Strip[]): ChartOption {
  const longest = Math.max(Math.floor((look.width - 90) / 7), 16);
  const axis = categoryAxis(look, "", strips.map(({ name }) => chartText(name, longest)));
  const label = { ...axis.axisLabel, inside: true, interval: 0, hideOverlap: false, align: "left", verticalAlign: "bottom", color: look.ink, margin: 4 } as const;
  return {
    xAxis: timeAxis(look),
    yAxis: { ...axis, inverse: true, axisTick: { show: false }, axisLabel: label },
    legend: { show: false },
    grid: { top: 4 },
    tooltip: { show: false },
    series: [paintStrips(look, strips.map(({ cells }) => cells), BELOW_NAMES)],
  };
}

function drawMargins(look: Look, strips: Strip[]): ChartOption {
  return {
    xAxis: timeAxis(look),
    yAxis: valueAxis(look, "ms", { format: tick, room: true }),
    tooltip: { valueFormatter: (value: unknown) => (typeof value === "number" ? `${ms(value * 1e3)} ms` : "–") },
    series: strips.map(({ name, margins }, at) => {
      const style = seriesStyle(look, at);
      return {
        type: "line" as const,
        name,
        data: margins,
        symbol: "none",
        itemStyle: { color: style.color },
        lineStyle: { color: style.color, width: 2, type: style.dash },
      };
    }),
  };
}
