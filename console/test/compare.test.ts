// What a comparison shows first, and how it says it.

import { histogramsOf } from "../src/compare/histogram-lines";
import { expect, test } from "vitest";
import type { ComparisonRow } from "../src/data/page";
import { byWeight, change, isJudged, matters, noise, told } from "../src/compare/judged";
import { changeOf } from "../src/compare/judged";
import { isLadder, pointAxis } from "../src/compare/point-keys";
import { nines } from "../src/compare/overlays";
import { figuresOf } from "../src/compare/run-figures";
import { lateText } from "../src/compare/strips-over";
import type { RunPage } from "../src/data/page";

function row(judgement: ComparisonRow["judgement"], change_percent: (number | null)[]): ComparisonRow {
  const values = change_percent.map(() => 1);
  const rest = { group: "", figure: "f", label: "f", unit: "count" as const, better: "higher" as const };
  return { ...rest, values, texts: values.map(String), change_percent, noise_percent: [null, 1], judgement };
}

test("worse comes before better, larger before smaller, and noise does not matter", () => {
  const rows = [
    row(["base", "same"], [null, 1]),
    row(["base", "better"], [null, 50]),
    row(["base", "worse"], [null, -5]),
    row(["base", "worse"], [null, -20]),
  ];
  const first = rows.filter(matters).sort(byWeight).map((one) => one.change_percent[1]);
  expect(first).toEqual([-20, -5, 50]);
});

test("late frames come before what they drag along, whatever the percentage", () => {
  const late = { ...row(["base", "worse"], [null, null]), figure: "streams.total.late_frames" };
  const mean = { ...row(["base", "worse"], [null, 2229]), figure: "total.response.write.mean_us" };
  expect([mean, late].sort(byWeight)).toEqual([late, mean]);
});

test("that nothing failed in either says nothing of a difference", () => {
  const same = row(["base", "same"], [null, 0]);
  expect([isJudged(same, 0), isJudged(same, 1)]).toEqual([false, true]);
  expect(isJudged({ ...same, values: [0, 0] }, 1)).toBe(false);
  expect(isJudged({ ...same, values: [0, 0], figure: "streams.total.late_frames" }, 1)).toBe(true);
  expect(isJudged(row(["base", "unknown"], [null, 3]), 1)).toBe(false);
});

test("what was asked for is no difference", () => {
  const demand = row(["base", "demand"], [null, 100]);
  expect(matters(demand)).toBe(false);
  expect(told("demand").tone).toBe("plain");
});

test("changes and noise have signs and digits, and nothing is claimed of nothing", () => {
  expect([change(3.24), change(-12), change(0), change(null), change(250.4)]).toEqual(["+3.2 %", "-12.0 %", "0.0 %", "–", "+250 %"]);
  expect([noise(2.06), noise(null)]).toEqual(["± 2.1 %", "not known"]);
  expect(told(undefined).word).toBe("can't be told");
});

test("each nine of a percentile is one step to the right", () => {
  expect([0, 90, 99, 99.9].map((percentile) => Math.round(nines(percentile) * 100) / 100)).toEqual([0, 1, 2, 3]);
  expect(nines(100)).toBeCloseTo(7);
});

test("what has no frames, or none that was judged, has no late ones and not 0 of them", () => {
  const total = (frames_judged: number) => ({ frames_judged, late_frames: 0, worst_margin: null });
  const page = (streams: object | null) =>
    ({ summary: { load_points: [{ streams, total: { bytes_per_s: null } }] }, hero: { statement: { number: { of: "none" } } } }) as unknown as RunPage;
  const late = [page(null), page({ total: total(0) }), page({ total: total(50) })].map((one) => figuresOf(one).late_frames);
  expect(late).toEqual([null, null, 0]);
  expect(late.map(lateText)).toEqual(["no frames to be late", "no frames to be late", "0 late frames"]);
});

test("a sweep at one number of workers is compared value by value", () => {
  const point = (workers: number, sweep_value: string | null) => ({ workers, sweep_value });
  const sweep = [point(4, "64KiB"), point(4, "256KiB"), point(4, "1MiB")];
  const axis = pointAxis([...sweep, ...sweep]);
  expect([axis.title, axis.keys]).toEqual(["swept value", ["64KiB", "256KiB", "1MiB"]]);
  expect(pointAxis([point(8, null), point(2, null)]).keys).toEqual(["2", "8"]);
  const both = pointAxis([point(2, "64KiB"), point(4, "64KiB")]);
  expect([both.title, both.keys]).toEqual(["workers, swept value", ["2, 64KiB", "4, 64KiB"]]);
  const run = (points: unknown[]) => ({ summary: { load_points: points } }) as unknown as RunPage;
  expect([isLadder(run(sweep)), isLadder(run([point(4, null)]))]).toEqual([true, false]);
});

test("a noise larger than the figure leaves a change without a meaning", () => {
  const wild = { ...row(["base", "worse"], [null, 3467]), noise_percent: [null, 740] };
  expect([changeOf(wild, 1), noise(740)]).toEqual(["–", "over 100 %"]);
  expect(changeOf(row(["base", "worse"], [null, -20]), 1)).toBe("-20.0 %");
});

test("other work is no difference", () => {
  const other = row(["base", "other_plan"], [null, 300]);
  expect([matters(other), isJudged(other, 1), told("other_plan").word]).toEqual([false, false, "other work"]);
});

test("points that all count streams lie over their streams, not over workers", () => {
  const point = (workers: number, stream_count: number | undefined) =>
    ({ workers, sweep_value: null, ...(stream_count === undefined ? {} : { stream_count }) });
  // A stream of VDA has two workers; the second run has points of its own.
  const axis = pointAxis([point(4, 2), point(2, 1), point(20, 10), point(4, 2)]);
  expect([axis.title, axis.keys]).toEqual(["streams", ["1", "2", "10"]]);
  expect(axis.keyOf(point(20, 10))).toBe("10");
  expect(pointAxis([point(4, 2), point(8, undefined)]).title).toBe("workers (clients)");
});

test("histograms of several runs have the same bins and the share of each run's own operations", () => {
  const [one, two, ...more] = histogramsOf([[0, 0, 3, 1], [], [0, 0, 0, 1, 0, 9]], ["fast", "none", "slow"]);
  expect(more).toEqual([]);
  expect(one).toEqual({ run: 0, name: "fast", count: 4, bins: [2, 3, 4, 5], percent: [75, 25, 0, 0], mode: 2 });
  expect(two).toEqual({ run: 2, name: "slow", count: 10, bins: [2, 3, 4, 5], percent: [0, 10, 0, 90], mode: 5 });
  expect(histogramsOf([[], [0]], ["a", "b"])).toEqual([]);
});
