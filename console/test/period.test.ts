// The period: never outside of what there is, and what keys and drags do to it.

import { describe, expect, it } from "vitest";
import { byKey, inView, moved, within, zoomed } from "../src/period";
import { dragged } from "../src/parts/time-strip";

const ALL = { from_s: 10, to_s: 110 };

describe("a period", () => {
  it("stays inside", () => {
    expect(within(ALL, { from_s: 0, to_s: 40 })).toEqual({ from_s: 10, to_s: 50 });
    expect(within(ALL, { from_s: 100, to_s: 130 })).toEqual({ from_s: 80, to_s: 110 });
    expect(within(ALL, { from_s: 0, to_s: 500 })).toBeNull();
    expect(within(ALL, { from_s: 200, to_s: 300 })).toBeNull();
    expect(inView(ALL, null)).toEqual(ALL);
  });

  it("is never empty", () => {
    const point = within(ALL, { from_s: 50, to_s: 50 });
    expect(point?.from_s).toBe(50);
    expect((point?.to_s ?? 0) - 50).toBeCloseTo(0.0001, 9);
  });

  it("zooms around a moment that stays in its place", () => {
    const near = zoomed(ALL, null, 0.5, 35);
    expect(near).toEqual({ from_s: 22.5, to_s: 72.5 });
    expect(zoomed(ALL, near, 2, 35)).toBeNull();
  });

  it("moves until the end, and keeps its length", () => {
    const part = { from_s: 20, to_s: 40 };
    expect(moved(ALL, part, 0.5)).toEqual({ from_s: 30, to_s: 50 });
    expect(moved(ALL, part, -5)).toEqual({ from_s: 10, to_s: 30 });
    expect(moved(ALL, part, 50)).toEqual({ from_s: 90, to_s: 110 });
    expect(moved(ALL, null, 0.5)).toBeNull();
  });

  it("follows keys", () => {
    const part = { from_s: 20, to_s: 40 };
    expect(byKey("+", ALL, null)).toEqual({ from_s: 35, to_s: 85 });
    expect(byKey("-", ALL, part)).toEqual({ from_s: 10, to_s: 50 });
    expect(byKey("ArrowRight", ALL, part)).toEqual({ from_s: 24, to_s: 44 });
    expect(byKey("ArrowLeft", ALL, part)).toEqual({ from_s: 16, to_s: 36 });
    expect(byKey("Escape", ALL, part)).toBeNull();
    expect(byKey("Tab", ALL, part)).toBeUndefined();
  });

  it("follows drags", () => {
    const begun = { at_s: 30, period: { from_s: 20, to_s: 40 } };
    expect(dragged(ALL, "window", begun, 45)).toEqual({ from_s: 35, to_s: 55 });
    expect(dragged(ALL, "window", begun, 0)).toEqual({ from_s: 10, to_s: 30 });
    expect(dragged(ALL, "from", begun, 25)).toEqual({ from_s: 25, to_s: 40 });
    expect(dragged(ALL, "to", begun, 90)).toEqual({ from_s: 20, to_s: 90 });
    expect(dragged(ALL, "new", begun, 50)).toEqual({ from_s: 30, to_s: 50 });
    expect(dragged(ALL, "new", begun, 30.1)).toEqual(begun.period);
  });
});
