// The badge of a run: the result in one line, and nothing that was not measured.

import { describe, expect, it } from "vitest";
import type { RunPage } from "../src/data/page";
import { badgeSvg, badgeWords } from "../src/run/badge";

/** As much of a page as a badge reads. */
function run(number: object, judgement: string, before = ""): RunPage {
  return {
    hero: { before, format: "Apple ProRes 422 HQ UHD", storage: null, statement: { number, judgement } },
    summary: {
      started_at: "2026-11-23T10:00:00Z",
      storage: { make: null, model: null, firmware: null, other: {} },
      tags: [],
      target: { path: "/mnt/<nas>", description: null, fs_type: "nfs4" },
    },
  } as unknown as RunPage;
}

describe("a badge", () => {
  it("says count, format, late frames, day and storage", () => {
    const { words, tone } = badgeWords(run({ of: "capacity", streams: 12, at_least: null }, "met"));
    expect(words).toBe("12 × Apple ProRes 422 HQ UHD · no late frame · 23 November 2026 · /mnt/<nas> (nfs4)");
    expect(tone).toBe("good");
  });

  it("is no praise where nothing is known", () => {
    const cut = badgeWords(run({ of: "streams", point: 0, streams: 12, late_frames: 0 }, "not_known"));
    expect([cut.words.startsWith("not known · "), cut.tone]).toEqual([true, "bad"]);
    expect(badgeWords(run({ of: "not_measured" }, "not_known")).words).toContain("nothing measured");
    expect(badgeWords(run({ of: "capacity", streams: 12, at_least: "unfinished" }, "met", "at least")).words).toMatch(
      /^at least 12 × /,
    );
  });

  it("is SVG that no name can break", () => {
    expect(badgeSvg(run({ of: "capacity", streams: 12, at_least: null }, "met"))).not.toContain("<nas>");
  });
});
