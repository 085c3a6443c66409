// Percentiles that a count carries, and what a sweep is drawn over.

import { describe, expect, it } from "vitest";
import type { Summary } from "../src/data/summary";
import { operationsFor, whyNot } from "../src/figures/percentile";
import { sweptAxis } from "../src/run/swept";

describe("a percentile", () => {
  it("needs an operation beyond it", () => {
    expect([50, 95, 99, 99.9].map(operationsFor)).toEqual([2, 20, 100, 1000]);
    expect(whyNot(99.9, 999)).toBe("p99.9 needs at least 1,000 operations; there were 999.");
    expect(whyNot(99.9, 1000)).toBeNull();
    expect(whyNot(0, 1)).toBeNull();
  });
});

describe("the axis of load points", () => {
  const summary = (plan: Record<string, string>, points: object[]) => ({ plan, load_points: points }) as unknown as Summary;

  it("is what was swept", () => {
    const points = [0, 50].map((value) => ({ sweep_value: String(value), workers: 4, label: `random ${value} %` }));
    const axis = sweptAxis(summary({ sweep: "random=0,50" }, points));
    expect(axis).toEqual({ title: "random transfers", name: "random transfers, %", values: ["0", "50"] });
  });

  it("is both settings of two sweeps that run together", () => {
    const points = ["1MiB x 4KiB", "1MiB x 1MiB"].map((sweep_value) => ({ sweep_value, workers: 4, label: sweep_value }));
    expect(sweptAxis(summary({ sweep: "length=1MiB x blocks=4KiB,1MiB" }, points))).toEqual({
      title: "length of a transfer and block size",
      name: "length of a transfer × block size",
      values: ["1MiB x 4KiB", "1MiB x 1MiB"],
    });
  });

  it("is the number of clients in a ramp, and the labels where nothing else differs", () => {
    const ramp = [1, 2].map((workers) => ({ sweep_value: null, workers, label: `${workers} workers` }));
    expect(sweptAxis(summary({}, ramp)).name).toBe("clients (workers)");
    const same = ["a", "b"].map((label) => ({ sweep_value: null, workers: 2, label }));
    expect(sweptAxis(summary({}, same)).values).toEqual(["a", "b"]);
  });
});
