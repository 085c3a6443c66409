// The streams of a load point: how many frames were late, how much time they had left, and every stream in a
// table.

import type { RunPage } from "../data/page";
import type { LateFigures, LoadPoint } from "../data/summary";
import { columnText } from "../figures/column";
import { count, counted, duration, ms } from "../figures/units";
import type { Extent } from "../period";
import { Figure, Tile, Tiles } from "../parts/figure";
import { Percentile } from "../parts/percentile";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import { HeadroomChart, MarginBars } from "./headroom";
import { PointPick, usePoint } from "./point-pick";
import { StreamTable } from "./stream-table";

export function StreamsSection({ run, extent }: { run: RunPage; extent: Extent | null }) {
  const points = run.summary.load_points;
  const there = points.map((point, at) => ({ point, at })).filter(({ point }) => point.streams != null);
  const chosen = usePoint(there, tellsMost(there));
  const point = points[chosen];
  const figures = point?.streams ?? null;
  if (point === undefined || figures === null) return null;
  const detail = run.detail?.streams.find((one) => one.point === point.index) ?? null;
  return (
    <Section
      id="streams"
      title="Stream table"
      about="Every frame has a deadline on a fixed timeline. A frame that comes after it is late, and so is everything behind it that a stall holds up."
    >
      <PointPick
        points={there}
        chosen={chosen}
        more={(one) => counted(one.streams?.total.late_frames ?? 0, "late frame")}
      />
      <Totals figures={figures} at={chosen} />
      <div class="grid">
        {detail !== null && <HeadroomChart headroom={detail.headroom} point={point} />}
        <MarginBars figures={figures} />
      </div>
      <StreamTable key={chosen} figures={figures} at={chosen} extent={extent} detail={detail} />
      <Rates point={point} at={chosen} />
    </Section>
  );
}

/** The largest load, with late frames if there were any. */
function tellsMost(points: { point: LoadPoint; at: number }[]): number {
  const weight = (point: LoadPoint) =>
    [Math.min(point.streams?.total.late_frames ?? 0, 1), point.stream_count ?? 0] as const;
  let best = points[0];
  for (const one of points) {
    if (best === undefined) break;
    const [late, streams] = weight(one.point);
    const [bestLate, bestStreams] = weight(best.point);
    if (late > bestLate || (late === bestLate && streams >= bestStreams)) best = one;
  }
  return best?.at ?? 0;
}

function Totals({ figures, at }: { figures: LateFigures; at: number }) {
  const { total } = figures;
  const path = (field: string) => `load_points.${at}.streams.total.${field}`;
  const late = total.late_frames > 0 ? "bad" : "good";
  return (
    <Tiles>
      <Tile name="Streams">
        <Figure path={path("streams")} value={total.streams} text={count} />
        {total.streams_not_begun > 0 && <small>{count(total.streams_not_begun)} never began</small>}
      </Tile>
      <Tile name="Late frames" tone={late}>
        <Figure path={path("late_frames")} value={total.late_frames} text={count} />
        <small>
          of <Figure path={path("frames_judged")} value={total.frames_judged} text={count} />
        </small>
      </Tile>
      <Tile name="Streams with late frames" tone={late}>
        <Figure path={path("streams_with_late_frames")} value={total.streams_with_late_frames} text={count} />
      </Tile>
      <Tile name="Worst margin" tone={(total.worst_margin?.margin_us ?? 0) < 0 ? "bad" : "good"}>
        <Figure
          path={path("worst_margin.margin_us")}
          value={total.worst_margin?.margin_us}
          text={ms}
          unit="ms"
        />
        {total.worst_margin !== null && (
          <small>
            stream {total.worst_margin.stream}, frame {count(total.worst_margin.frame)}
            {total.worst_margin.has_come ? "" : ", which never came"}
          </small>
        )}
      </Tile>
      <Tile name="99 of 100 frames within">
        <Percentile
          path={path("response.p99_us")}
          value={total.response?.p99_us}
          text={duration}
          percentile={99}
          operations={total.response?.count ?? 0}
        />
      </Tile>
      <Tile name="Runs of late frames" tone={late}>
        <Figure path={path("late_runs")} value={total.late_runs} text={count} />
        <small>
          in <Figure path={`load_points.${at}.streams.incident_count`} value={figures.incident_count} text={count} />{" "}
          {figures.incident_count === 1 ? "incident" : "incidents"}
        </small>
      </Tile>
      <Tile name="Late through the tool itself">
        <Figure
          path={path("late_frames_with_own_delay")}
          value={total.late_frames_with_own_delay}
          text={count}
        />
      </Tile>
    </Tiles>
  );
}

function Rates({ point, at }: { point: LoadPoint; at: number }) {
  const rates = point.rates ?? [];
  if (rates.length === 0) return null;
  const asked = columnText(rates.map((rate) => rate.requested_ops_per_s));
  const did = columnText(rates.map((rate) => rate.achieved_ops_per_s));
  return (
    <Table
      caption="Workers that were asked for a rate"
      rows={rates.map((rate, n) => ({ rate, n }))}
      most={20}
      columns={[
        { title: "worker", number: true, head: true, cell: ({ rate }) => rate.worker },
        { title: "component", cell: ({ rate }) => <Name text={rate.component} /> },
        {
          title: "asked for, op/s",
          number: true,
          cell: ({ rate, n }) => (
            <Figure
              path={`load_points.${at}.rates.${n}.requested_ops_per_s`}
              value={rate.requested_ops_per_s}
              text={asked}
            />
          ),
        },
        {
          title: "achieved, op/s",
          number: true,
          cell: ({ rate, n }) => (
            <Figure
              path={`load_points.${at}.rates.${n}.achieved_ops_per_s`}
              value={rate.achieved_ops_per_s}
              text={did}
            />
          ),
        },
      ]}
    />
  );
}
