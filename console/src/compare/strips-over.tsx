// The streams of all runs on top of one another, from each run's own start: a strip for each run with the worst of its
// streams, and the smallest margin as a line for each.

import { useMemo } from "preact/hooks";
import { categoryAxis, tick, timeAxis, valueAxis } from "../charts/axes";
import { Chart, type ChartOption, type Look } from "../charts/chart";
import { seriesStyle } from "../charts/palette";
import { rasterSeries } from "../charts/raster";
import type { RunPage } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { counted, ms } from "../figures/units";
import { chartText } from "../parts/text";
import { Section } from "../parts/section";
import { type Kind, type StripCell, cellsOf, longestFrame } from "../run/strip-rows";
import { steps } from "../run/margin-chart";
import { figuresOf } from "./run-figures";

/** A run's strip is so high, CSS pixels. */
const ROW_PX = 40;

/** Painted one over the other: what is worse comes last. */
const ORDER: Kind[] = ["free", "some", "close", "late"];

interface Props {
  runs: RunPage[];
  names: string[];
}

interface Strip {
  name: string;
  /** Null where it has no frames. */
  late_frames: number | null;
  cells: StripCell[];
  margins: [number, number | null][];
}

export function StripsOver({ runs, names }: Props) {
  const strips = useMemo(() => runs.map((run, at) => stripOf(run, names[at] ?? "")), [runs]);
  const end = Math.max(1, ...strips.flatMap(({ cells }) => cells.map((cell) => cell.to_s)));
  const drawn = useMemo(() => (look: Look) => drawStrips(look, strips), [strips]);
  const margins = useMemo(() => (look: Look) => drawMargins(look, strips), [strips]);
  if (strips.every(({ cells }) => cells.length === 0)) return null;
  return (
    <Section id="streams-over-time" title="Streams" about="A strip for each run, from its own start: the worst of its streams at each time.">
      <Chart
        id="compare-strips"
        title="Streams and their late frames"
        describe={strips.map((strip) => `${strip.name}: ${lateText(strip.late_frames)}`).join("; ")}
        option={drawn}
        height={40 + strips.length * ROW_PX}
        timeAxis={{ from_s: 0, to_s: end }}
        note={<Key />}
        table={() => ({
          columns: ["run", "from, s", "to, s", "smallest margin, us", "late frames"],
          rows: strips.flatMap(({ name, cells }) =>
            cells.map((cell) => [name, cell.from_s, cell.to_s, cell.margin_us, cell.late_frames]),
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
        note="How long until a frame was needed that had not come. Below 0 it was late."
        table={() => ({
          columns: ["run", "time, s", "smallest margin, ms"],
          rows: strips.flatMap(({ name, margins }) => margins.map(([at, margin]) => [name, at, margin])),
        })}
      />
    </Section>
  );
}

function Key() {
  return (
    <span class="strip-key">
      <i class="late" aria-hidden="true" /> late frames, <i class="close" aria-hidden="true" /> less than a tenth of the
      time left, <i class="some" aria-hidden="true" /> less than half, <i class="free" aria-hidden="true" /> more than half.
    </span>
  );
}

function stripOf(run: RunPage, name: string): Strip {
  const streams = run.detail?.streams ?? [];
  const cells = streams.flatMap((point) => {
    const load = run.summary.load_points.find((one) => one.index === point.point);
    return cellsOf(point, point, { frame_s: longestFrame(load), allowance_us: allowanceOf(load) });
  });
  // Bins are shorter than a frame: on their own they would be dots without a line.
  const margins = steps(cells, ({ margin_us }) => (margin_us === null ? null : margin_us / 1e3));
  const { late_frames } = figuresOf(run);
  return { name, late_frames, margins, cells: [...cells].sort((one, two) => ORDER.indexOf(one.kind) - ORDER.indexOf(two.kind)) };
}

/** The shortest buffer of its streams, with a frame: what the margin is held against. */
function allowanceOf(load: LoadPoint | undefined): number | null {
  const all = (load?.streams?.streams ?? []).filter((one) => one.nominal_frames_per_s > 0);
  return all.length === 0 ? null : Math.min(...all.map((one) => (one.buffer_s + 1 / one.nominal_frames_per_s) * 1e6));
}

/** Where nothing has frames, none was late and none was in time. */
export function lateText(late_frames: number | null): string {
  return late_frames === null ? "no frames to be late" : counted(late_frames, "late frame");
}

function leastText({ margins }: Strip): string {
  const known = margins.flatMap(([, margin]) => (margin === null ? [] : [margin]));
  return known.length === 0 ? "no frame came" : `at least ${ms(Math.min(...known) * 1e3)} ms`;
}

function drawStrips(look: Look, strips: Strip[]): ChartOption {
  const colours: Record<Kind, string> = { late: look.bad, close: look.ink, some: look.faint, free: look.line };
  const paint = rasterSeries("runs", (context, plot) => {
    const height = plot.height / Math.max(strips.length, 1);
    strips.forEach(({ cells }, at) => {
      for (const cell of cells) {
        const [left, right] = [Math.floor(plot.x(cell.from_s)), Math.ceil(plot.x(cell.to_s))];
        if (right < 0 || left > plot.width) continue;
        const share = cell.kind === "late" ? 0.45 : 0.35;
        context.fillStyle = colours[cell.kind];
        context.fillRect(left, height * (at + 0.94 - share), Math.max(right - left, cell.kind === "late" ? 3 : 1), height * share);
      }
    });
  });
  const longest = Math.max(Math.floor((look.width - 90) / 7), 16);
  const axis = categoryAxis(look, "", strips.map(({ name }) => chartText(name, longest)));
  const label = { ...axis.axisLabel, inside: true, interval: 0, hideOverlap: false, align: "left", verticalAlign: "bottom", color: look.ink, margin: 4 } as const;
  return {
    xAxis: timeAxis(look),
    yAxis: { ...axis, inverse: true, axisTick: { show: false }, axisLabel: label },
    legend: { show: false },
    grid: { top: 4 },
    tooltip: { show: false },
    series: [paint],
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
        step: "end" as const,
      };
    }),
  };
}
