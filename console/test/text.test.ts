// How sentences are broken into lines.

import { describe, expect, it } from "vitest";
import { pieces } from "../src/parts/text";

const whole = (text: string) => pieces(text).filter((piece) => piece.isWhole).map((piece) => piece.text);

describe("a sentence on a page", () => {
  it("keeps flags, paths and times whole", () => {
    const text = "Use --duration 60s (or --step), then reelgauge compare runs/2026-11-25T231547Z-a NEW at 2026-11-25T23:15:09Z: well-known.";
    expect(whole(text)).toEqual(["--duration", "--step),", "runs/2026-11-25T231547Z-a", "2026-11-25T23:15:09Z:"]);
    expect(whole("a well-known read-ahead, 5 - 3")).toEqual([]);
    expect(whole("(/mnt/nas)")).toEqual(["(/mnt/nas)"]);
  });

  it("keeps numbers with their units, and nothing else together", () => {
    const shown = (text: string) => pieces(text).map((piece) => piece.text).join("");
    expect(shown("took 99 % of all, 1.5 s, 20 Mbit/s at 25 fps.")).toBe("took 99\u00a0% of all, 1.5\u00a0s, 20\u00a0Mbit/s at 25\u00a0fps.");
    for (const text of ["3 streams", "2 sets", "8 hosts", ""]) expect(shown(text)).toBe(text);
  });
});
