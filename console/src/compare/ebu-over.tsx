// The paper's figures of several runs over their load points, for one type of access and one block size: one line per
// run.

import { useMemo, useState } from "preact/hooks";
import type { RunPage } from "../data/page";
import type { LoadPoint, PaperCell, PaperMode, Summary } from "../data/summary";
import { blockSize, number } from "../figures/units";
import { MODES } from "../run/paper";
import { type Block, blockName, blocksOf, hasEbuFigures, paperFigures, paperValues, usualBlock } from "../run/paper-lines";
import { sweptName } from "../run/swept";
import { AgainstChart, type Line } from "./against-chart";
import type { PointAxis } from "./point-keys";

const FIGURES: { id: "rate" | "mean" | "max"; title: string; unit: string; of: (cell: PaperCell) => number | null }[] = [
  { id: "rate", title: "Transfer rate of one client", unit: "MB/s", of: (cell) => cell.transfer_rate_while_transferring_mb_per_s },
  { id: "mean", title: "Average EBU latency", unit: "ms", of: (cell) => cell.average_latency_ms },
  { id: "max", title: "Maximum EBU latency", unit: "ms", of: (cell) => (cell.maximum_latency_s === null ? null : cell.maximum_latency_s * 1e3) },
];

interface Props {
  runs: RunPage[];
  names: string[];
  axis: PointAxis;
}

export function EbuOver({ runs, names, axis }: Props) {
  const points = useMemo(() => runs.flatMap(ebuPoints), [runs]);
  const [block, setBlock] = useState<Block>(() => usualBlock(points));
  const modes = useMemo(
    () => (Object.keys(MODES) as PaperMode[]).filter((mode) => paperValues(points, mode, null, (cell) => cell.bytes || null).some((value) => value !== null)),
    [points],
  );
  const [mode, setMode] = useState<PaperMode>(() => (modes.includes("seq_rd") ? "seq_rd" : "all"));
  if (points.length === 0 || modes.length === 0) return null;
  const swept = runs.map((run) => sweptName(run.summary));
  const lines = (of: (cell: PaperCell) => number | null) =>
    runs.map((run, at): Line => ({ name: names[at] ?? "", data: axis.keys.map((key) => [key, valueAt(run.summary, key, axis, mode, block, of)]) }));
  return (
    <>
      <div class="picks">
        <label class="pick">
          Access{" "}
          <select value={mode} onChange={({ currentTarget: { value } }) => setMode(value as PaperMode)}>
            {modes.map((one) => (
              <option value={one} selected={one === mode}>
                {MODES[one]}
              </option>
            ))}
          </select>
        </label>
        <label class="pick">
          Block size{" "}
          <select value={String(block)} onChange={({ currentTarget: { value } }) => setBlock(value === String(null) ? null : Number(value))}>
            {[...blocksOf(points), null].map((one) => (
              <option value={String(one)} selected={one === block}>
                {one === null ? "all sizes" : blockSize(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="grid three">
        {FIGURES.map(({ id, title, unit, of }) => {
          const paper = new Set(swept).size === 1 ? paperFigures(id, swept[0] ?? "") : null;
          return (
            <AgainstChart
              key={id}
              id={`compare-transfer-${id}`}
              title={`${title}, ${MODES[mode]}, ${blockName(block)}`}
              unit={unit}
              axis={axis}
              lines={lines(of)}
              say={number}
              {...(paper === null ? {} : { note: `Corresponds to EBU Tech 3362, ${paper}.` })}
            />
          );
        })}
      </div>
    </>
  );
}

function ebuPoints({ summary }: RunPage): LoadPoint[] {
  return hasEbuFigures(summary) ? summary.load_points.filter((point) => point.paper.per_transfer) : [];
}

/** `null` if the run has no such load point, or measured nothing there. */
function valueAt(summary: Summary, key: string, axis: PointAxis, mode: PaperMode, block: Block, of: (cell: PaperCell) => number | null): number | null {
  const point = hasEbuFigures(summary) ? summary.load_points.find((one) => one.paper.per_transfer && axis.keyOf(one) === key) : undefined;
  return point === undefined ? null : (paperValues([point], mode, block, of)[0] ?? null);
}
