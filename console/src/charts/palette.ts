// Colours of the charts, based on Okabe and Ito's set for colour-blind readers. If one of these colours is too faint on
// the page's background, a darker or lighter one is used (test/palette.test.ts computes the contrast).
// Colour is never the only distinction: series differ in dash and marker, too.

export interface Look {
  dark: boolean;
  /** Width of the chart in CSS pixels, so that a chart can omit elements that don't fit. */
  width: number;
  ground: string;
  ink: string;
  faint: string;
  line: string;
  read: string;
  write: string;
  both: string;
  /** Late, failed, not met. */
  bad: string;
  good: string;
  /** For information, not a fault: warm-up, a mark. */
  mark: string;
  /** For series without a meaning, in order. */
  series: readonly string[];
  /** For heat maps, from few to many. */
  heat: readonly string[];
}

export const LIGHT: Omit<Look, "width"> = {
  dark: false,
  ground: "#ffffff",
  ink: "#1b1f24",
  faint: "#57606a",
  line: "#d5dae0",
  read: "#0072b2",
  write: "#b86e00",
  both: "#3f4850",
  bad: "#c93c00",
  good: "#00735a",
  mark: "#8a5a83",
  series: ["#0072b2", "#b86e00", "#00805e", "#b0508a", "#3f4850", "#c93c00", "#2f83b7", "#857a00"],
  heat: ["#d6e6f4", "#8cbfe0", "#3d8dc4", "#0b5c9e", "#07305c", "#050d1f"],
};

export const DARK: Omit<Look, "width"> = {
  dark: true,
  ground: "#12161b",
  ink: "#e8ecf0",
  faint: "#a3adb8",
  line: "#39424d",
  read: "#56b4e9",
  write: "#e69f00",
  both: "#d5dbe1",
  bad: "#ff7a45",
  good: "#2fc79a",
  mark: "#d99bc4",
  series: ["#56b4e9", "#e69f00", "#1fb58a", "#d98bb8", "#d5dbe1", "#ff7a45", "#8f9cf0", "#f0e442"],
  heat: ["#1c3352", "#28588c", "#3f86b0", "#7fb08a", "#d0c95c", "#fff3a0"],
};

/** Dashes in the order of the series; the eighth series also has a distinct one. */
export const DASHES: readonly (readonly number[] | "solid")[] = [
  "solid",
  [7, 4],
  [2, 3],
  [10, 3, 2, 3],
  [14, 5],
  [4, 2],
  [1, 4],
  [10, 3, 2, 3, 2, 3],
];

/** Markers in the order of the series. */
export const MARKERS: readonly string[] = [
  "circle",
  "rect",
  "triangle",
  "diamond",
  "path://M0,3 L3,0 L5,2 L7,0 L10,3 L8,5 L10,7 L7,10 L5,8 L3,10 L0,7 L2,5 Z",
  "path://M4,0 H6 V4 H10 V6 H6 V10 H4 V6 H0 V4 H4 Z",
  "path://M0,0 H10 L5,10 Z",
  "emptyCircle",
];

/** Colour, dash and marker of series n. */
export function seriesStyle(
  look: Look,
  n: number,
): { color: string; dash: number[] | "solid"; marker: string } {
  const dash = DASHES[n % DASHES.length] ?? "solid";
  return {
    color: look.series[n % look.series.length] ?? look.ink,
    dash: dash === "solid" ? dash : [...dash],
    marker: MARKERS[n % MARKERS.length] ?? "circle",
  };
}

/** Red, green and blue, 0 to 255. */
export function rgb(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The colour for a share, from few (0) to many (1). */
export function heatColour(look: Pick<Look, "heat">, share: number): string {
  const place = Math.min(Math.max(share, 0), 1) * (look.heat.length - 1);
  const index = Math.min(Math.floor(place), look.heat.length - 2);
  const one = rgb(look.heat[index] ?? "#000000");
  const two = rgb(look.heat[index + 1] ?? "#000000");
  const part = place - index;
  const mixed = one.map((value, channel) => Math.round(value + ((two[channel] ?? 0) - value) * part));
  return `rgb(${mixed.join(",")})`;
}

/** Relative luminance as WCAG 2 defines it. */
export function luminance(hex: string): number {
  const [red, green, blue] = rgb(hex).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

/** Contrast of two colours as WCAG 2 defines it, 1 to 21. */
export function contrast(one: string, two: string): number {
  const [light, dark] = [luminance(one), luminance(two)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}
