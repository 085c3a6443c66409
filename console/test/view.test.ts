// The link to a view of a run's page, and back.

import { describe, expect, it } from "vitest";
import { hashOfView, inExtent, viewOf } from "../src/view";
import type { View } from "../src/view";

const NOTHING: View = { part: "", period: null, point: null, stream: null };

describe("a view in the link", () => {
  it("comes back as it was", () => {
    const view: View = { part: "streams", period: { from_s: 7.25, to_s: 9.5001 }, point: 2, stream: 5 };
    const hash = hashOfView("#time", view);
    expect(hash).toBe("#streams?t=7.25-9.5001&point=2&stream=5");
    expect(viewOf(hash)).toEqual(view);
  });

  it("keeps the console's path in front", () => {
    const view: View = { ...NOTHING, part: "ebu", point: 0 };
    const hash = hashOfView("#/runs/a%20b?t=1-2", view);
    expect(hash).toBe("#/runs/a%20b?at=ebu&point=0");
    expect(viewOf(hash)).toEqual(view);
    expect(hashOfView(hash, NOTHING)).toBe("#/runs/a%20b");
  });

  it("is nothing where nothing was chosen", () => {
    expect(hashOfView("", NOTHING)).toBe("");
    expect(viewOf("")).toEqual(NOTHING);
  });

  it("takes no nonsense", () => {
    for (const bad of ["t=9-7", "t=a-b", "t=-1-2", "point=-1", "stream=1e3", "point="])
      expect(viewOf(`#time?${bad}`)).toEqual({ ...NOTHING, part: "time" });
  });

  it("of another run's time shows all of it", () => {
    const extent = { from_s: 0, to_s: 10 };
    expect(inExtent({ from_s: 20, to_s: 30 }, extent)).toBeNull();
    expect(inExtent({ from_s: 9, to_s: 30 }, extent)).toEqual({ from_s: 9, to_s: 30 });
  });
});
