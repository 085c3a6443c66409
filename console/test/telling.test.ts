// Which counters are shown with the incidents.

import { describe, expect, it } from "vitest";
import type { CounterSeries } from "../src/data/page";
import { tells } from "../src/run/telling";

function series(value: (number | null)[], unit = "per_s", layer = "disk"): CounterSeries {
  return { layer, name: "x", device: "", label: "x", unit, at_s: value.map((_, at) => at), value } as CounterSeries;
}

const STALL = [{ from_s: 4, to_s: 5.2 }];

describe("a counter tells", () => {
  it("what went with the incident", () => {
    expect(tells(series([300, 310, 305, 300, 2, 3, 5, 300, 310]), STALL)).toBeGreaterThan(0.9);
  });

  it("nothing where it moved at another time, or not at all", () => {
    expect(tells(series([300, 2, 300, 2, 300, 2, 300, 2, 300, 2]), STALL)).toBe(0);
    expect(tells(series([300, 301, 300, 299, 300, 300, 301, 300, 300]), STALL)).toBe(0);
    expect(tells(series([null, null, null]), STALL)).toBe(0);
  });

  it("nothing of the tool itself, of a full memory, or of a few percent", () => {
    const values = [300, 310, 305, 300, 2, 3, 5, 300, 310];
    expect(tells(series(values, "per_s", "tool"), STALL)).toBe(0);
    expect(tells(series(values, "bytes"), STALL)).toBe(0);
    expect(tells(series([8, 8, 8, 8, 1, 1, 1, 8, 8], "percent"), STALL)).toBe(0);
  });

  it("a fall that a burst follows", () => {
    const written = [66, 67, 66, 68, 66, 2, 240, 66, 67, 66];
    expect(tells(series(written), [{ from_s: 4.2, to_s: 5.6 }])).toBeGreaterThan(0.9);
  });

  it("how much it moved, where there was no incident", () => {
    expect(tells(series([100, 50, 100]), [])).toBeCloseTo(0.5);
    expect(tells(series([100, 90, 100]), [])).toBe(0);
  });
});
