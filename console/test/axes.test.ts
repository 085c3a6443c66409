// Axes: ticks in the terminal's units, decades around what is there, round ends.

import { describe, expect, it } from "vitest";
import { decades, roundUp, tick, tickTime, tickUs } from "../src/charts/axes";
import { spans, stepData } from "../src/charts/steps";

describe("ticks", () => {
  it("say no more than they know", () => {
    expect([0, 0.25, 1.5, 2, 12_000, 0.0004, -30].map(tick)).toEqual([
      "0",
      "0.25",
      "1.5",
      "2",
      "12,000",
      "0.0004",
      "-30",
    ]);
  });

  it("of latency have the unit that suits them", () => {
    expect([1, 10, 1_000, 30_000, 1e6, 2.5e7].map(tickUs)).toEqual([
      "1 µs",
      "10 µs",
      "1 ms",
      "30 ms",
      "1 s",
      "25 s",
    ]);
  });

  it("of time are seconds, minutes, hours", () => {
    const cases: [number, string][] = [
      [0, "0 s"],
      [0.25, "0.25 s"],
      [119, "119 s"],
      [150, "2:30 min"],
      [7199, "119:59 min"],
      [7200, "2:00 h"],
      [36_060, "10:01 h"],
    ];
    for (const [seconds, text] of cases) expect(tickTime(seconds)).toBe(text);
  });
});

describe("decades", () => {
  it("hold everything that is there", () => {
    expect(decades([3, 4_500])).toEqual({ min: 1, max: 10_000 });
    expect(decades([10, 100])).toEqual({ min: 10, max: 100 });
    expect(decades([7])).toEqual({ min: 1, max: 10 });
    expect(decades([10])).toEqual({ min: 10, max: 100 });
    expect(decades([0.02, 0, -5, NaN, Infinity])).toEqual({ min: 0.01, max: 0.1 });
    expect(decades([])).toEqual({ min: 1, max: 10 });
  });
});

describe("round ends", () => {
  it("are not below the value", () => {
    expect([0.7, 1, 1.01, 23, 99, 101, 0, -4].map(roundUp)).toEqual([0.8, 1, 1.5, 30, 100, 150, 1, 1]);
  });
});

describe("steps", () => {
  const time = { from_s: 2, bin_s: 0.5, bins: 3 };

  it("hold each value to the end of its bin", () => {
    expect(stepData(time, [10, null, 30], 10)).toEqual([
      [2, 1],
      [2.5, null],
      [3, 3],
      [3.5, 3],
    ]);
    expect(stepData(time, [])).toEqual([]);
  });

  it("find runs of bins", () => {
    expect(spans(time, (bin) => bin !== 1)).toEqual([
      { from_s: 2, to_s: 2.5 },
      { from_s: 3, to_s: 3.5 },
    ]);
    expect(spans(time, () => false)).toEqual([]);
  });
});
