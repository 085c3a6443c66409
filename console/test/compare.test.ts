// What a comparison shows first, and how it says it.

import { expect, test } from "vitest";
import type { ComparisonRow } from "../src/data/page";
import { byWeight, change, isJudged, matters, noise, told } from "../src/compare/judged";
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
    ({ summary: { load_points: [{ streams }] }, hero: { statement: { number: { of: "none" } } } }) as unknown as RunPage;
  const late = [page(null), page({ total: total(0) }), page({ total: total(50) })].map((one) => figuresOf(one).late_frames);
  expect(late).toEqual([null, null, 0]);
  expect(late.map(lateText)).toEqual(["no frames to be late", "no frames to be late", "0 late frames"]);
});
