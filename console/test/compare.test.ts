// What a comparison shows first.

import { histogramsOf } from "../src/compare/histogram-lines";
import { expect, test } from "vitest";
import { isLadder, pointAxis } from "../src/compare/point-keys";
import { nines } from "../src/compare/overlays";
import { lateFrames, lateText } from "../src/compare/strips-over";
import type { RunPage } from "../src/data/page";

test("each nine of a percentile is one step to the right", () => {
  expect([0, 90, 99, 99.9].map((percentile) => Math.round(nines(percentile) * 100) / 100)).toEqual([0, 1, 2, 3]);
  expect(nines(100)).toBeCloseTo(7);
});

test("what has no frames, or none that was judged, has no late ones and not 0 of them", () => {
  const total = (frames_judged: number) => ({ frames_judged, late_frames: 0 });
  const page = (streams: object | null) => ({ summary: { load_points: [{ streams }] } }) as unknown as RunPage;
  const late = [page(null), page({ total: total(0) }), page({ total: total(50) })].map(lateFrames);
  expect(late).toEqual([null, null, 0]);
  expect(late.map((one) => /\d/.test(lateText(one)))).toEqual([false, false, true]);
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

test("points that all count streams lie over their streams, not over workers", () => {
  const point = (workers: number, stream_count: number | undefined) =>
    ({ workers, sweep_value: null, ...(stream_count === undefined ? {} : { stream_count }) });
  // A stream of VDA has two workers; the second run has other points.
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
