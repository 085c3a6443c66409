// Colours can be distinguished from the background and from one another, in light and in dark, by WCAG's formula; and
// for readers who don't see red or green, by a simulation of their sight.

import { describe, expect, it } from "vitest";
import { contrast, DARK, DASHES, heatColour, LIGHT, luminance, MARKERS, rgb } from "../src/charts/palette";

/** WCAG 2.2, 1.4.11: graphics need 3, 1.4.3: text needs 4.5. */
const GRAPHICS = 3;
const TEXT = 4.5;

for (const [name, look] of [
  ["light", LIGHT],
  ["dark", DARK],
] as const) {
  describe(`the ${name} palette`, () => {
    it("is seen on its ground", () => {
      const { read, write, both, bad, good, mark, series } = look;
      for (const colour of [read, write, both, bad, good, mark, ...series]) {
        expect(contrast(colour, look.ground), colour).toBeGreaterThanOrEqual(GRAPHICS);
      }
    });

    it("has letters that can be read", () => {
      for (const colour of [look.ink, look.faint]) {
        expect(contrast(colour, look.ground), colour).toBeGreaterThanOrEqual(TEXT);
      }
    });

    it("has heat that grows without a turn", () => {
      const steps = look.heat.map(luminance);
      const grows = steps.map((step, at) => Math.sign(step - (steps[at - 1] ?? step))).slice(1);
      expect(new Set(grows).size).toBe(1);
    });

    it("tells reads from writes without red and green", () => {
      expect(distance(withoutGreen(look.read), withoutGreen(look.write))).toBeGreaterThan(60);
      expect(distance(withoutGreen(look.read), withoutGreen(look.bad))).toBeGreaterThan(60);
    });
  });
}

/** Machado, Oliveira, Fernandes 2009: what deuteranopes see of a colour (on linear light, full severity). */
function withoutGreen(hex: string): number[] {
  const linear = rgb(hex).map((value) => (value / 255) ** 2.2);
  const matrix = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ];
  return matrix.map((row) => {
    const sum = row.reduce((all, factor, at) => all + factor * (linear[at] ?? 0), 0);
    return Math.max(0, sum) ** (1 / 2.2) * 255;
  });
}

function distance(one: number[], two: number[]): number {
  return Math.hypot(...one.map((value, at) => value - (two[at] ?? 0)));
}

describe("signs beside colour", () => {
  it("are different for every series", () => {
    expect(new Set(DASHES.map(String)).size).toBe(LIGHT.series.length);
    expect(new Set(MARKERS).size).toBe(LIGHT.series.length);
    expect(DARK.series.length).toBe(LIGHT.series.length);
  });
});

describe("contrast", () => {
  it("is WCAG's", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
    expect(contrast("#336699", "#336699")).toBe(1);
  });

  it("is mixed between the steps of heat", () => {
    expect(heatColour({ heat: ["#000000", "#ffffff"] }, 0.5)).toBe("rgb(128,128,128)");
    expect(heatColour({ heat: ["#000000", "#ffffff"] }, 2)).toBe("rgb(255,255,255)");
  });
});
