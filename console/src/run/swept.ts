// The quantity that varies between the load points of a run: the x axis of its figures. Pure.

import type { LoadPoint, Summary } from "../data/summary";
import { cut } from "../parts/text";

export interface SweptAxis {
  /** The text after "by": `block size`. */
  title: string;
  /** The label of the axis, with the unit. */
  name: string;
  values: string[];
}

/** The settings that a sweep can vary, by their names in the plan, with displayed names and units. */
const SWEPT: Record<string, [name: string, unit: string]> = {
  blocks: ["block size", ""],
  random: ["random transfers", "%"],
  length: ["length of a transfer", ""],
};

/** The settings that a sweep varies: one, or two combined ones (`length=… x blocks=…`). */
function settingsOf(sweep: string): string[] {
  const names = sweep.split(" x ").map((part) => /^([a-z_-]+)=/.exec(part)?.[1]);
  return names.filter((name) => name !== undefined);
}

/** The swept setting, or both of two; otherwise the number of workers; otherwise the load points by name. */
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

/** Two combined sweeps as a table of load points. */
export interface SweptGrid {
  /** The x axis: transfer lengths if they are one of the two, otherwise the first setting. */
  axis: SweptAxis;
  /** One line for each value of the other setting. */
  lines: { name: string; points: (LoadPoint | null)[] }[];
}

const BETWEEN = " x ";

/** `null` unless two settings are swept. */
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

/** The axis by its name in the plan: the setting, both of two, `workers`, or `load point`. */
export function sweptName(summary: Summary): string {
  const settings = settingsOf(summary.plan["sweep"] ?? "");
  if (settings.length > 0) return settings.join(" x ");
  return new Set(summary.load_points.map((point) => point.workers)).size === summary.load_points.length ? "workers" : "load point";
}
