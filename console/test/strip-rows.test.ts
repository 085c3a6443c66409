// Rows of streams: colours follow the margin by the clock, the worst streams come first, and streams of several formats
// have separate rows.

import { describe, expect, it } from "vitest";
import type { PointStreams, StreamStrip } from "../src/data/page";
import { kindOf, turnsOf } from "../src/figures/margin";
import { cellsOf, marginLine, rowsOf } from "../src/run/strip-rows";

function strip(stream: number, name: string, margins: (number | null)[], late: number[] = []): StreamStrip {
  return { stream, name, min_margin_us: margins, late_frames: margins.map((_, bin) => late[bin] ?? 0) };
}

function point(streams: StreamStrip[], bin_s = 0.01): PointStreams {
  const bins = streams[0]?.min_margin_us.length ?? 0;
  const headroom = { from_percent: 0, step_percent: 10, count: [], never: 0 };
  return {
    point: 0,
    time: { from_s: 1, bin_s, bins },
    streams,
    left_out: 0,
    min_margin_us: [],
    late_frames: [], host_late_frames: [],
    headroom,
  } as PointStreams;
}

describe("cells of a strip", () => {
  // A buffer of 1 s in bins of 100 ms: nothing comes for 1.2 s.
  const falling = [990, 890, 790, 690, 590, 490, 390, 290, 190, 90, -10, -110, 980];
  const margins = falling.map((margin) => margin * 1e3);
  const stalled = strip(0, "player", [...margins, null, 990_000], margins.map((margin) => (margin < 0 ? 3 : 0)));

  it("change colour while the buffer drains, before a frame is late", () => {
    const cells = cellsOf(point([stalled], 0.1), stalled, 1_000);
    expect(cells.map((cell) => cell.kind)).toEqual([
      ...["free", "free", "free", "free", "free", "some", "some", "some", "some", "close", "late", "late", "free", "free"],
    ]);
    expect(cells.filter((cell) => cell.kind === "late").map((cell) => cell.late_frames)).toEqual([3, 3]);
  });

  it("are red where a frame was late, whatever the margin was", () => {
    const one = strip(0, "player", [900_000, null], [1, 2]);
    expect(cellsOf(point([one]), one, 1_000).map((cell) => cell.kind)).toEqual(["late", "late"]);
  });

  it("make a line that falls through 0, and is broken where no frame was expected", () => {
    const line = marginLine(cellsOf(point([stalled], 0.1), stalled, 1_000));
    expect(line.map(([, margin]) => margin)).toEqual([...falling, null, 990]);
    expect(line[0]?.[0]).toBeCloseTo(1.1, 9);
  });
});

describe("one set of steps", () => {
  it("colours a margin in the report as it does in the live view", () => {
    for (const buffer_ms of [0, 120, 1_000]) {
      const turns = turnsOf(10, buffer_ms);
      for (let at_s = 9.0001; at_s < 10.5; at_s += 0.0101) {
        const live = turns.find(({ until_s }) => at_s <= until_s)?.kind ?? "late";
        expect(kindOf(0, (10 - at_s) * 1e3, buffer_ms)).toBe(live);
      }
    }
  });
});

describe("rows", () => {
  it("begin with the most late frames, then the smallest margin", () => {
    const streams = [strip(0, "a", [900]), strip(1, "a", [100]), strip(2, "a", [900], [5])];
    expect(rowsOf([point(streams)], []).map((row) => row.stream)).toEqual([2, 1, 0]);
  });

  it("hold one format each, although streams are numbered anew", () => {
    const first = point([strip(0, "player, ProRes", [900])]);
    const second = { ...point([strip(0, "player, XAVC", [900])]), point: 1 };
    const third = { ...point([strip(0, "player, XAVC", [900])]), point: 2 };
    const rows = rowsOf([first, second, third], []);
    expect(rows.map((row) => [row.name, row.strips.length])).toEqual([
      ["player, ProRes", 1],
      ["player, XAVC", 2],
    ]);
  });
});
