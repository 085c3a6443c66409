// The streams of a load point: the time that their frames had left, and every stream in a table.

import type { RunPage } from "../data/page";
import type { Extent } from "../period";
import { HeadroomChart, MarginBars } from "./headroom";
import { StreamTable } from "./stream-table";

export function StreamCharts({ run, at, extent }: { run: RunPage; at: number; extent: Extent | null }) {
  const point = run.summary.load_points[at];
  const figures = point?.streams ?? null;
  if (point === undefined || figures === null) return null;
  const detail = run.detail?.streams.find((one) => one.point === point.index) ?? null;
  return (
    <>
      <div class="grid">
        {detail !== null && <HeadroomChart headroom={detail.headroom} point={point} />}
        <MarginBars figures={figures} />
      </div>
      <StreamTable figures={figures} at={at} extent={extent} detail={detail} />
    </>
  );
}
