// What keys, buttons and boxes do to the view of the offset map.

import { describe, expect, it } from "vitest";
import { boxed } from "../src/trace/map-stage";
import { type MapExtent, bytesWithin, mapKey, marksOf, movedMap, roundStep, viewOf, zoomedMap } from "../src/trace/map-view";

const extent: MapExtent = { time: { from_s: 0, to_s: 100 }, end_bytes: 1e9 };
const all = { period: null, bytes: null };

describe("zooming", () => {
  it("keeps what is at the anchor where it is", () => {
    const closer = zoomedMap(extent, all, 0.5, "both", { across: 0.25, up: 0.25 });
    expect(closer.period).toEqual({ from_s: 12.5, to_s: 62.5 });
    expect(closer.bytes).toEqual({ from_bytes: 1.25e8, to_bytes: 6.25e8 });
  });

  it("changes one axis alone", () => {
    expect(zoomedMap(extent, all, 0.5, "time").bytes).toBeNull();
    expect(zoomedMap(extent, all, 0.5, "offset").period).toBeNull();
  });

  it("ends at all there is, and at 4 KiB", () => {
    const closer = zoomedMap(extent, all, 0.5);
    expect(zoomedMap(extent, closer, 4)).toEqual(all);
    const closest = bytesWithin(1e9, { from_bytes: 500, to_bytes: 501 });
    expect(closest).toEqual({ from_bytes: 500, to_bytes: 4596 });
    expect(bytesWithin(100, { from_bytes: 10, to_bytes: 20 })).toBeNull();
  });
});

describe("moving", () => {
  it("stops at the ends", () => {
    const part = { period: { from_s: 10, to_s: 20 }, bytes: { from_bytes: 0, to_bytes: 1e8 } };
    const moved = movedMap(extent, part, 0.5, -3);
    expect(moved.period).toEqual({ from_s: 15, to_s: 25 });
    expect(moved.bytes).toEqual({ from_bytes: 0, to_bytes: 1e8 });
    expect(movedMap(extent, part, 100, 100)).toEqual({
      period: { from_s: 90, to_s: 100 },
      bytes: { from_bytes: 9e8, to_bytes: 1e9 },
    });
  });

  it("does nothing where everything is in view", () => {
    expect(movedMap(extent, all, 0.3, 0.3)).toEqual(all);
  });
});

it("knows its keys and leaves the others", () => {
  expect(mapKey("+", extent, all)?.period).toEqual({ from_s: 25, to_s: 75 });
  expect(mapKey("0", extent, { period: { from_s: 1, to_s: 2 }, bytes: null })).toEqual(all);
  expect(mapKey("Tab", extent, all)).toBeUndefined();
});

it("zooms into a box, and only in the axes that the box spans", () => {
  const input = { extent, choice: all };
  expect(boxed(input, { across: 0.2, up: 0.1 }, { across: 0.1, up: 0.3 })).toEqual({
    period: { from_s: 10, to_s: 20 },
    bytes: { from_bytes: 1e8, to_bytes: 3e8 },
  });
  expect(boxed(input, { across: 0.2, up: 0.5 }, { across: 0.4, up: 0.505 }).bytes).toBeNull();
});

it("makes a view of a choice", () => {
  expect(viewOf(extent, all, 800, 300)).toEqual({
    from_s: 0, to_s: 100, from_bytes: 0, to_bytes: 1e9, width_px: 800, height_px: 300,
  });
});

it("marks axes in round steps", () => {
  expect(roundStep(100, 7)).toBe(20);
  expect(roundStep(0.003, 4)).toBeCloseTo(0.001, 12);
  expect(marksOf(3, 21, 4).at).toEqual([5, 10, 15, 20]);
  expect(marksOf(5, 5, 4).at).toEqual([]);
});
