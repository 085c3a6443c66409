// What the load points of a run differ in: the axis that its figures are drawn over. Pure.

import type { LoadPoint, Summary } from "../data/summary";
import { cut } from "../parts/text";

export interface SweptAxis {
  /** As it reads after "by": `block size`. */
  title: string;
  /** Below the axis, with the unit. */
  name: string;
  values: string[];
}

/** Settings that a sweep goes over, by their names in the plan: their shown names and units. */
const SWEPT: Record<string, [name: string, unit: string]> = {
  blocks: ["block size", ""],
  random: ["random transfers", "%"],
  length: ["length of a transfer", ""],
};

/** The settings that a sweep goes over: one, or two that run together (`length=… x blocks=…`). */
function settingsOf(sweep: string): string[] {
  const names = sweep.split(" x ").map((part) => /^([a-z_-]+)=/.exec(part)?.[1]);
  return names.filter((name) => name !== undefined);
}

/** The setting that was swept, or both of two, else the number of workers, else the load points by name. */
export function sweptAxis(summary: Summary): SweptAxis {
  const points = summary.load_points;
  const settings = settingsOf(summary.plan["sweep"] ?? "");
  if (settings.length > 0 && points.some((point) => point.sweep_value !== null)) {
    const named = settings.map((setting) => SWEPT[setting] ?? [setting.replace(/[_-]/g, " "), ""]);
    const values = points.map((point) => cut(point.sweep_value ?? point.label, 18));
    const name = named.map(([title, unit]) => (unit === "" ? title : `${title}, ${unit}`)).join(" × ");
    return { title: named.map(([title]) => title).join(" and "), name, values };
  }
  const workers = points.map((point) => point.workers);
  if (new Set(workers).size === points.length)
    return { title: "clients", name: "clients (workers)", values: workers.map(String) };
  return { title: "load point", name: "load point", values: points.map((point) => cut(labelOf(point), 18)) };
}

/** Two sweeps that run together, as a table of load points. */
export interface SweptGrid {
  /** The x axis: transfer lengths where they are one of the two, else the first setting. */
  axis: SweptAxis;
  /** What each line is: its value of the other setting. */
  lines: { name: string; points: (LoadPoint | null)[] }[];
}

const BETWEEN = " x ";

/** `null` where no two settings are swept. */
export function sweptGrid(summary: Summary): SweptGrid | null {
  const settings = settingsOf(summary.plan["sweep"] ?? "");
  const parts = summary.load_points.map((point) => (point.sweep_value ?? "").split(BETWEEN));
  if (settings.length !== 2 || parts.some((pair) => pair.length !== 2)) return null;
  // Block sizes are lines, as in the paper.
  const x = settings[0] === "blocks" ? 1 : 0;
  const values = (at: number) => [...new Set(parts.map((pair) => pair[at] ?? ""))];
  const [title, unit] = SWEPT[settings[x] ?? ""] ?? [settings[x] ?? "", ""];
  const [other] = SWEPT[settings[1 - x] ?? ""] ?? [settings[1 - x] ?? "", ""];
  const pointAt = (one: string, two: string) => summary.load_points.find((_, at) => parts[at]?.[x] === one && parts[at]?.[1 - x] === two) ?? null;
  return {
    axis: { title, name: unit === "" ? title : `${title}, ${unit}`, values: values(x) },
    lines: values(1 - x).map((value) => ({ name: `${other} ${value}`, points: values(x).map((one) => pointAt(one, value)) })),
  };
}

function labelOf(point: LoadPoint): string {
  return point.sweep_value ?? point.label;
}

/** What the axis is, by its name in the plan: the setting, both of two, `workers`, or `load point`. */
export function sweptName(summary: Summary): string {
  const settings = settingsOf(summary.plan["sweep"] ?? "");
  if (settings.length > 0) return settings.join(" x ");
  return new Set(summary.load_points.map((point) => point.workers)).size === summary.load_points.length ? "workers" : "load point";
}
