// The incident on the vendor sheet: the worst streams and the margin, during the incident and shortly around it.

import { useMemo } from "preact/hooks";
import { PrintedChart } from "../charts/chart";
import type { ChartProps, Look } from "../charts/chart";
import { StripKey } from "../charts/strip-paint";
import type { Detail, RunPage } from "../data/page";
import type { Extent } from "../period";
import { bandsOf } from "./incidents";
import { useMarginChart } from "./margin-chart";
import { rowsOf } from "./strip-rows";
import { ROW_PX, drawStrips } from "./strips";

/** The number of streams for which the page has room. */
const MOST_STREAMS = 3;
const MARGIN_PX = 165;

/** The time shown before and after the incident: the minimum, and as a share of the incident. */
const AROUND_S = 2;
const AROUND_SHARE = 0.5;

export function SheetPicture({ run, detail }: { run: RunPage; detail: Detail }) {
  const extent = useMemo(() => shownOf(run, detail), [run, detail]);
  const bands = useMemo(() => bandsOf(run.summary.load_points), [run]);
  const rows = useMemo(() => rowsOf(detail.streams, run.summary.load_points).slice(0, MOST_STREAMS), [run, detail]);
  const margin = useMarginChart({ streams: detail.streams, extent }, null);
  const strips: ChartProps = {
    id: "sheet-strips",
    title: "Streams",
    describe: "",
    option: (look: Look) => drawStrips(look, rows, null),
    timeAxis: extent,
    table: { columns: [], rows: [] },
  };
  return (
    <div class="sheet-picture">
      <PrintedChart props={strips} bands={bands} height={34 + rows.length * ROW_PX} />
      <p>
        <StripKey />
      </p>
      <PrintedChart props={margin} bands={bands} height={MARGIN_PX} />
    </div>
  );
}

/** The period around the worst incident; the whole time of the streams if there is no incident. */
function shownOf(run: RunPage, detail: Detail): Extent {
  const first = run.incidents[0];
  const incident = first && run.summary.load_points[first.point]?.streams?.incidents[first.incident];
  const from_s = Math.min(...detail.streams.map(({ time }) => time.from_s));
  const to_s = Math.max(...detail.streams.map(({ time }) => time.from_s + time.bins * time.bin_s));
  if (incident === undefined) return { from_s, to_s };
  const around_s = Math.max(AROUND_S, (incident.ended_s - incident.began_s) * AROUND_SHARE);
  return { from_s: Math.max(from_s, incident.began_s - around_s), to_s: Math.min(to_s, incident.ended_s + around_s) };
}
