// The badge of a run: the result in one line, as SVG.

import { expect, it } from "vitest";
import type { RunPage } from "../src/data/page";
import { badgeSvg, badgeWords } from "../src/run/badge";

/** As much of a page as a badge reads. */
const run = {
  hero: { badge: { word: "12 × ProRes · no late frame", tone: "good" }, storage: "/mnt/<nas> (nfs4)" },
  summary: { started_at: "2026-11-23T10:00:00Z" },
} as unknown as RunPage;

it("a badge has the result, the day and the storage", () => {
  expect(badgeWords(run)).toBe("12 × ProRes · no late frame · 23 November 2026 · /mnt/<nas> (nfs4)");
});

it("a badge is SVG that no name can break", () => {
  expect(badgeSvg(run)).not.toContain("<nas>");
});
