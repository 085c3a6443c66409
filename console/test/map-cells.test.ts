// Which level, cells and accesses of the offset map are drawn, and what they add up to.

import { describe, expect, it } from "vitest";
import type { FileMap, MapLevel } from "../src/data/page";
import { cellsFor, covers, levelFor, levelsFor, drawnPoints, pointsFor, seenIn, wantsMore } from "../src/trace/map-cells";
import type { MapView } from "../src/trace/map-view";
import { paintMarks } from "../src/trace/map-paint";
import { pickAt } from "../src/trace/map-pick";

/** A level of 100 s and 1 MB in equal cells, each with 10 bytes read and, in odd columns, 1 written. */
function level(columns: number, rows: number): MapLevel {
  const cells: number[] = [];
  for (let time = 0; time < columns; time += 1) {
    for (let row = 0; row < rows; row += 1) cells.push(time, row, 10, time % 2);
  }
  return {
    from_s: 0, time_bin_s: 100 / columns, time_bins: columns,
    from_bytes: 0, offset_bin_bytes: 1e6 / rows, offset_bins: rows, cells,
  };
}

const coarse = level(10, 10);
const fine = level(100, 100);
const view: MapView = { from_s: 0, to_s: 100, from_bytes: 0, to_bytes: 1e6, width_px: 200, height_px: 200 };
const map: FileMap = { file: 3, end_bytes: 1e6, levels: [coarse, fine], points: null };

describe("the level", () => {
  it("is the finest whose cells can be told apart", () => {
    // 200 px over 100 cells are 2 px each: too small. Half of the time and file: 4 px.
    expect(levelFor(view, [coarse, fine])).toBe(coarse);
    expect(levelFor({ ...view, to_s: 50, to_bytes: 5e5 }, [coarse, fine])).toBe(fine);
    expect(levelFor({ ...view, to_s: 50 }, [coarse, fine])).toBe(coarse);
  });

  it("is the coarsest where all are too fine, and none where there is none", () => {
    expect(levelFor({ ...view, width_px: 10, height_px: 10 }, [coarse, fine])).toBe(coarse);
    expect(levelFor(view, [])).toBeNull();
    expect(cellsFor(view, [])).toBeNull();
  });
});

it("takes only the cells of the time in view, also those that are partly in it", () => {
  const slice = cellsFor({ ...view, from_s: 25, to_s: 40 }, [coarse]);
  expect(slice?.first).toBe(20);
  expect(slice?.end).toBe(40);
  const edge = cellsFor({ ...view, from_s: 25, to_s: 40.01 }, [coarse]);
  expect(edge?.end).toBe(50);
});

describe("points", () => {
  const points = { issued_s: [1, 2, 3, 4], offset_bytes: [0, 100, 200, 300], len_bytes: [10, 10, 10, 10], write: [false, true, false, true], service_us: [500_000, 1e3, 1e3, 1e3] };

  it("are drawn where they are few in the view", () => {
    expect(pointsFor({ ...view, from_s: 2, to_s: 3 }, points)).toMatchObject({ first: 1, end: 3 });
    expect(pointsFor(view, points, 3)).toBeNull();
    expect(pointsFor(view, null)).toBeNull();
  });

  it("are drawn from their issue to their end, also where they began before the view", () => {
    expect(pointsFor({ ...view, from_s: 1.2, to_s: 1.4 }, points)).toMatchObject({ first: 1, end: 1 });
    expect(drawnPoints({ ...view, from_s: 1.2, to_s: 1.4 }, points)).toMatchObject({ first: 0, end: 1 });
    const rects: number[][] = [];
    const pen = { begin: () => {}, rect: (x: number, _y: number, width: number) => void rects.push([x, width]) };
    const scene = { view: { ...view, from_s: 0, to_s: 4, width_px: 400 }, files: [{ map: { ...map, points }, finer: null, colour: "" }], reads: true, writes: false };
    paintMarks(scene, pen);
    // The first read took half a second, 50 px; the other one is as wide as a mark.
    expect(rects).toEqual([[98, 52], [298, 4]]);
  });

  it("add up exactly", () => {
    const exact = { ...map, points };
    expect(seenIn({ ...view, from_s: 1.5, to_bytes: 300 }, exact, exact.levels)).toEqual({
      read_bytes: 10, written_bytes: 10, accesses: 2,
    });
  });
});

it("adds up the cells in view", () => {
  // Columns 2 and 3, rows 0 to 4.
  const seen = seenIn({ ...view, from_s: 20, to_s: 40, to_bytes: 5e5 }, { ...map, levels: [coarse] }, [coarse]);
  expect(seen).toEqual({ read_bytes: 100, written_bytes: 5, accesses: null });
});

describe("a finer level from a server", () => {
  const part: MapLevel = { ...level(10, 10), from_s: 20, time_bin_s: 1, from_bytes: 2e5, offset_bin_bytes: 1e4 };
  const inside: MapView = { ...view, from_s: 21, to_s: 29, from_bytes: 2.1e5, to_bytes: 2.9e5 };

  it("is used where it covers the view", () => {
    expect(covers(inside, part)).toBe(true);
    expect(levelsFor(inside, map, part)).toEqual([coarse, fine, part]);
    expect(levelsFor({ ...inside, to_s: 60 }, map, part)).toEqual([coarse, fine]);
  });

  it("is wanted where the finest cells are large, and never where every access is known", () => {
    expect(wantsMore(view, map, map.levels)).toBe(false);
    expect(wantsMore(inside, map, map.levels)).toBe(true);
    const points = { issued_s: [], offset_bytes: [], len_bytes: [], write: [], service_us: [] };
    expect(wantsMore(inside, { ...map, points }, map.levels)).toBe(false);
  });
});

describe("marks", () => {
  function drawn(reads: boolean, writes: boolean) {
    const fills: string[] = [];
    let now = "";
    const marks = paintMarks(
      { view, files: [{ map: { ...map, levels: [coarse] }, finer: null, colour: "#123456" }], reads, writes },
      { begin: (_colour, fill, alpha) => (now = `${fill} ${alpha}`), rect: () => fills.push(now) },
    );
    return { marks, fills };
  }

  it("tell reads from writes without colour", () => {
    const { fills } = drawn(true, true);
    expect(fills.filter((fill) => fill.startsWith("hatched"))).toHaveLength(50);
    // Read and written: faint below the hatching. Only read: as strong as its bytes say.
    expect(fills.filter((fill) => fill === "solid 0.35")).toHaveLength(50);
    expect(fills.filter((fill) => fill.startsWith("solid") && fill !== "solid 0.35")).toHaveLength(50);
  });

  it("are only those that are asked for", () => {
    expect(drawn(true, false).fills.every((fill) => fill.startsWith("solid"))).toBe(true);
    expect(drawn(false, true).marks).toBe(50);
    expect(drawn(false, false).marks).toBe(0);
  });
});

it("says what lies under the pointer", () => {
  const files = [{ map: { ...map, levels: [coarse] }, finer: null, colour: "#000000" }];
  expect(pickAt(view, files, { across: 0.35, up: 0.95 })).toEqual({
    file: 3,
    text: "from 30.000 s for 10.0 s, 900 kB to 1.0 MB: 10 B read, 1 B written",
  });
  const empty = [{ map: { ...map, levels: [{ ...coarse, cells: [] }] }, finer: null, colour: "#000000" }];
  expect(pickAt(view, empty, { across: 0.35, up: 0.95 })).toBeNull();
});
