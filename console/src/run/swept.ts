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

/** Settings that a sweep goes over, by their names in the plan: as people say them, and their unit. */
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

function labelOf(point: LoadPoint): string {
  return point.sweep_value ?? point.label;
}

/** What the axis is, by its name in the plan: the setting, both of two, `workers`, or `load point`. */
export function sweptName(summary: Summary): string {
  const settings = settingsOf(summary.plan["sweep"] ?? "");
  if (settings.length > 0) return settings.join(" x ");
  return new Set(summary.load_points.map((point) => point.workers)).size === summary.load_points.length ? "workers" : "load point";
}
