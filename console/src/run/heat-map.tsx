// Durations of operations over time. The latency axis is logarithmic; darker cells have more operations. A stall is a
// tall column, a slow path a separate band.

import { useMemo, useState } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { latencyAxis, tickTime, timeAxis } from "../charts/axes";
import { DARK, heatColour, LIGHT } from "../charts/palette";
import { rasterSeries } from "../charts/raster";
import type { Detail, LatencySide, TimeAxis } from "../data/page";
import { count, counted, duration } from "../figures/units";
import type { Extent } from "../period";
import { binEndUs, binStartUs, bothSides, latencyStats } from "./period-stats";

type Side = "both" | "reads" | "writes";

export function HeatMap({ detail, extent }: { detail: Detail; extent: Extent }) {
  const sides = useMemo(() => sidesOf(detail), [detail]);
  const [chosen, setChosen] = useState<Side>(sides[0] ?? "both");
  const side = useMemo(
    () => (chosen === "both" ? bothSides(detail.latency) : detail.latency[chosen]),
    [detail, chosen],
  );
  const cells = useMemo(() => indexOf(side), [side]);
  const option = useMemo(() => (look: Look) => draw(look, cells, detail.time), [cells]);
  const readout = useMemo(() => (x: number, y: number) => words(detail.time, cells, chosen, x, y), [cells]);
  const stats = latencyStats(side, detail.time, null);
  if (stats.count === 0) return null;
  const what = detail.measure === "response" ? "Response time" : "Service time";
  return (
    <>
      {sides.length > 1 && (
        <label class="pick">
          Heat map of{" "}
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value as Side)}>
            {sides.map((one) => (
              <option value={one} selected={one === chosen}>
                {one === "both" ? "reads and writes" : one}
              </option>
            ))}
          </select>
        </label>
      )}
      <Chart
        id="latency-map"
        title={`${what} of ${chosen === "both" ? "reads and writes" : chosen} over time`}
        describe={`${counted(stats.count, "operation")}, longest ${duration(stats.max_us ?? 0)}.`}
        option={option}
        timeAxis={extent}
        height={200}
        readout={readout}
        note={<HeatKey most={cells.most} />}
        table={() => ({
          columns: ["from, s", "took from, ms", "to, ms", "operations"],
          rows: [...cells.counts].map(([key, many]) => [
            detail.time.from_s + Math.floor(key / 256) * detail.time.bin_s,
            binStartUs(key % 256) / 1e3,
            binEndUs(key % 256) / 1e3,
            many,
          ]),
        })}
      />
    </>
  );
}

function sidesOf(detail: Detail): Side[] {
  const reads = detail.latency.reads.cells.length > 0;
  const writes = detail.latency.writes.cells.length > 0;
  if (reads && writes) return ["both", "reads", "writes"];
  return reads ? ["reads"] : ["writes"];
}

interface Cells {
  /** The key is the bin of time * 256 + the bin of latency. */
  counts: Map<number, number>;
  most: number;
  lowest: number;
  highest: number;
}

function indexOf(side: LatencySide): Cells {
  const cells: Cells = { counts: new Map(), most: 0, lowest: 255, highest: 0 };
  for (let at = 0; at + 2 < side.cells.length; at += 3) {
    const bin = side.cells[at + 1] ?? 0;
    const key = (side.cells[at] ?? 0) * 256 + bin;
    const many = (cells.counts.get(key) ?? 0) + (side.cells[at + 2] ?? 0);
    cells.counts.set(key, many);
    cells.most = Math.max(cells.most, many);
    cells.lowest = Math.min(cells.lowest, bin);
    cells.highest = Math.max(cells.highest, bin);
  }
  return cells;
}

function draw(look: Look, cells: Cells, time: TimeAxis): ChartOption {
  const ends = { min: Math.max(binStartUs(cells.lowest), 0.9), max: binEndUs(cells.highest) * 1.05 };
  // A cell with one operation has the faintest colour, the cell with the most operations the strongest.
  const share = (many: number) => (cells.most <= 1 ? 1 : Math.log(many) / Math.log(cells.most));
  const paint = rasterSeries("operations", (context, plot) => {
    for (const [key, many] of cells.counts) {
      const from_s = time.from_s + Math.floor(key / 256) * time.bin_s;
      const [left, right] = [plot.x(from_s), plot.x(from_s + time.bin_s)];
      if (right < 0 || left > plot.width) continue;
      const bin = key % 256;
      const [top, bottom] = [plot.y(binEndUs(bin)), plot.y(Math.max(binStartUs(bin), ends.min))];
      context.fillStyle = heatColour(look, share(many));
      context.fillRect(
        Math.floor(left),
        Math.floor(top),
        Math.max(Math.ceil(right - left), 2),
        Math.max(Math.ceil(bottom - top), 2),
      );
    }
  });
  return {
    xAxis: timeAxis(look),
    yAxis: latencyAxis(look, "", ends),
    legend: { show: false },
    grid: { top: 12 },
    tooltip: { show: false },
    series: [paint],
  };
}

function words(time: TimeAxis, cells: Cells, side: Side, x: number, y: number): string | null {
  const at = Math.floor((x - time.from_s) / time.bin_s);
  const bin = y < 1 ? 0 : Math.floor(Math.log2(y) * 4 + 1e-9);
  const many = cells.counts.get(at * 256 + bin) ?? 0;
  const when = tickTime(Number((time.from_s + at * time.bin_s).toFixed(3)));
  const what = side === "both" ? "operations" : side;
  return `At ${when}: ${count(many)} ${what} took ${duration(binStartUs(bin))} to ${duration(binEndUs(bin))}`;
}

function HeatKey({ most }: { most: number }) {
  const gradient = (heat: readonly string[]) => `linear-gradient(to right, ${heat.join(", ")})`;
  const grounds = { "--heat-light": gradient(LIGHT.heat), "--heat-dark": gradient(DARK.heat) };
  return (
    <span class="heat-key">
      1 <span class="heat-bar" aria-hidden="true" style={grounds} /> {count(most)} operations per cell,
      logarithmic. Warm-up is excluded.
    </span>
  );
}
