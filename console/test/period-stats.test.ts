// Statistics from bins against the same from single values.

import { describe, expect, it } from "vitest";
import type { LatencySide } from "../src/data/page";
import {
  binEndUs,
  binStartUs,
  bothSides,
  flowStats,
  latencyCounts,
  latencyStats,
  spanOf,
} from "../src/run/period-stats";
import { flowOf, joined, merged } from "../src/run/over-time";
import type { Flow } from "../src/run/over-time";
import type { Summary } from "../src/data/summary";

const TIME = { from_s: 1, bin_s: 0.5, bins: 4 };

/** The grid of single operations: [moment, latency]. */
function sideOf(ops: [number, number][]): LatencySide {
  const side: LatencySide = { cells: [], max_us: [0, 0, 0, 0], sum_us: [0, 0, 0, 0] };
  for (const [at_s, us] of ops) {
    const bin = Math.floor((at_s - TIME.from_s) / TIME.bin_s);
    side.cells.push(bin, us < 1 ? 0 : Math.floor(Math.log2(us) * 4), 1);
    side.max_us[bin] = Math.max(side.max_us[bin] ?? 0, us);
    side.sum_us[bin] = (side.sum_us[bin] ?? 0) + us;
  }
  return side;
}

const FLOW: Flow = {
  time: TIME,
  source: "log",
  ops: [4, 0, 0, 2],
  failed_ops: [0, 0, 0, 1],
  warmup_ops: [4, 0, 0, 0],
  read_bytes: [4_000_000, 0, 0, 1_000_000],
  written_bytes: [0, 0, 0, 500_000],
  max_us: [1, null, null, 2],
};

describe("a period in bins", () => {
  it("snaps outwards to whole bins", () => {
    expect(spanOf(TIME, null)).toEqual({ first: 0, end: 4, from_s: 1, to_s: 3 });
    expect(spanOf(TIME, { from_s: 1.6, to_s: 2.1 })).toEqual({ first: 1, end: 3, from_s: 1.5, to_s: 2.5 });
    expect(spanOf(TIME, { from_s: 1.5, to_s: 2 })).toEqual({ first: 1, end: 2, from_s: 1.5, to_s: 2 });
    expect(spanOf(TIME, { from_s: 50, to_s: 60 })).toMatchObject({ first: 4, end: 4 });
  });

  it("sums what is in it", () => {
    const all = flowStats(FLOW, null);
    expect([all.ops, all.failed_ops, all.warmup_ops]).toEqual([6, 1, 4]);
    expect([all.read_bytes_per_s, all.written_bytes_per_s]).toEqual([2_500_000, 250_000]);
    expect(all.longest_pause_s).toBe(1);
    const late = flowStats(FLOW, { from_s: 2.5, to_s: 3 });
    expect([late.ops, late.read_bytes_per_s, late.longest_pause_s]).toEqual([2, 2_000_000, 0]);
    expect(flowStats(FLOW, { from_s: 50, to_s: 60 }).read_bytes_per_s).toBeNull();
  });
});

describe("latencies of a period", () => {
  const ops: [number, number][] = [];
  for (let n = 0; n < 1000; n += 1) ops.push([1 + (n % 4) * 0.5 + 0.1, 50 + ((n * 7919) % 1000) ** 1.5]);
  const side = sideOf(ops);

  it("hold the true percentile in their bin", () => {
    for (const period of [null, { from_s: 1, to_s: 2 }]) {
      const mine = ops
        .filter(([at]) => period === null || (at >= period.from_s && at < period.to_s))
        .map(([, us]) => us);
      mine.sort((one, two) => one - two);
      const stats = latencyStats(side, TIME, period);
      expect(stats.count).toBe(mine.length);
      expect(stats.max_us).toBe(mine[mine.length - 1]);
      expect(stats.mean_us).toBeCloseTo(mine.reduce((one, two) => one + two, 0) / mine.length, 6);
      for (const [share, found] of [
        [0.5, stats.p50],
        [0.99, stats.p99],
      ] as const) {
        const exact = mine[Math.ceil(mine.length * share) - 1] ?? 0;
        expect(found?.from_us).toBeLessThanOrEqual(exact);
        expect(found?.to_us).toBeGreaterThanOrEqual(exact);
        expect((found?.to_us ?? 0) / (found?.from_us ?? 1)).toBeLessThan(1.19);
      }
    }
  });

  it("are those of the smaller half where the halves meet", () => {
    const two = latencyStats(
      sideOf([
        [1.1, 10],
        [1.2, 1000],
      ]),
      TIME,
      null,
    );
    expect(two.p50?.to_us).toBeLessThan(12);
    expect(two.p99).toBeNull();
  });

  it("have no percentile that their count does not carry", () => {
    const of = (count: number) =>
      latencyStats(sideOf(Array.from({ length: count }, (_, at): [number, number] => [1.1, 10 + at])), TIME, null);
    expect([of(1).p50, of(99).p99]).toEqual([null, null]);
    expect(of(99).p50).not.toBeNull();
    expect(of(100).p99?.to_us).toBeGreaterThanOrEqual(108);
  });

  it("are nothing where nothing was done", () => {
    const empty = latencyStats({ cells: [], max_us: [], sum_us: [] }, TIME, null);
    expect(empty).toEqual({ count: 0, mean_us: null, max_us: null, p50: null, p99: null });
  });

  it("are counted by bin of latency", () => {
    expect(
      latencyCounts({ cells: [0, 2, 5, 1, 2, 7, 1, 0, 1], max_us: [], sum_us: [] }, { first: 1, end: 2 }),
    ).toEqual([1, 0, 7]);
    expect([binStartUs(0), binStartUs(4), binEndUs(3), binStartUs(8)]).toEqual([0, 2, 2, 4]);
  });

  it("of both sides are added up", () => {
    const both = bothSides({ reads: sideOf([[1.1, 10]]), writes: sideOf([[1.2, 30]]) });
    expect([latencyStats(both, TIME, null).count, both.max_us[0], both.sum_us[0]]).toEqual([2, 30, 40]);
  });
});

describe("flow from summary.json", () => {
  const step = {
    point: 0,
    ops: 1,
    warmup_ops: 2,
    read_bytes: 10,
    written_bytes: 0,
    errors: 0,
    max_response_us: 5,
    max_response_began_s: 0,
  };
  const series = {
    step_s: 2,
    steps: [
      { ...step, began_s: 4 },
      { ...step, began_s: 6, max_response_us: null },
    ],
  };

  it("has a bin a step", () => {
    const flow = flowOf({ series } as unknown as Summary, null);
    expect(flow?.time).toEqual({ from_s: 4, bin_s: 2, bins: 2 });
    expect([flow?.ops, flow?.max_us]).toEqual([
      [3, 3],
      [5, null],
    ]);
  });

  it("is none without steps", () => {
    expect(flowOf({ series: { step_s: 1, steps: [] } } as unknown as Summary, null)).toBeNull();
  });

  it("is joined without losing anything", () => {
    expect(joined([1, 2, 3, 4, 5], 3, "sum")).toEqual({ values: [3, 7, 5], per: 2 });
    expect(merged([1, 3, 5], 2, "mean")).toEqual([2, 5]);
    expect(merged([1, 3], 1, "mean")).toEqual([1, 3]);
    expect(joined([1, 9, 3, 4, 5], 3, "max")).toEqual({ values: [9, 4, 5], per: 2 });
  });
});
