// Rows of streams: bins that are shorter than a frame leave no gaps, what matters most stands first, and streams of
// several formats have rows of their own.

import { describe, expect, it } from "vitest";
import type { PointStreams, StreamStrip } from "../src/data/page";
import { binsPerCell, cellsOf, rowsOf } from "../src/run/strip-rows";

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
    late_frames: [],
    headroom,
  } as PointStreams;
}

describe("cells of a strip", () => {
  // 25 frames a second in bins of 10 ms: three of four bins hold no frame.
  const margins = Array.from({ length: 100 }, (_, bin) => (bin % 4 === 1 ? 900_000 : null));
  const times = { frame_s: 0.04, allowance_us: 1_040_000 };

  it("are longer than a frame, so that a healthy stream has no gap", () => {
    const cells = cellsOf(point([strip(0, "player", margins)]), strip(0, "player", margins), times);
    expect(cells.length).toBe(20);
    for (let at = 1; at < cells.length; at += 1) expect(cells[at]?.from_s).toBeCloseTo(cells[at - 1]?.to_s ?? 0, 9);
    expect(cells.every((cell) => cell.kind === "free" && cell.margin_us === 900_000)).toBe(true);
  });

  it("keep a real gap, and what was late in it", () => {
    const stalled = margins.map((margin, bin) => (bin >= 20 && bin < 60 ? null : margin));
    const one = strip(0, "player", stalled, Array.from({ length: 60 }, (_, bin) => (bin === 41 ? 3 : 0)));
    const cells = cellsOf(point([one]), one, times);
    expect(cells.filter((cell) => cell.kind === "late").map((cell) => cell.late_frames)).toEqual([3]);
    expect(cells.some((cell) => cell.from_s > 1.19 && cell.to_s < 1.41)).toBe(false);
  });

  it("are as they are where a bin holds a frame", () => {
    expect(binsPerCell(0.02, 0.05)).toBe(1);
    expect(binsPerCell(0.04, 0.01)).toBe(5);
    expect(binsPerCell(0.02, 0.02)).toBe(2);
  });

  it("tell little time left from enough", () => {
    const few = [50_000, 300_000, 900_000];
    const one = strip(0, "player", few);
    const cells = cellsOf(point([one], 0.05), one, times);
    expect(cells.map((cell) => cell.kind)).toEqual(["close", "some", "free"]);
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
