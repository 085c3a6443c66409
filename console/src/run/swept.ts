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

/** The setting that was swept, else the number of workers, else the load points by name. */
export function sweptAxis(summary: Summary): SweptAxis {
  const points = summary.load_points;
  const setting = /^([a-z_-]+)=/.exec(summary.plan["sweep"] ?? "")?.[1];
  if (setting !== undefined && points.some((point) => point.sweep_value !== null)) {
    const [title, unit] = SWEPT[setting] ?? [setting.replace(/[_-]/g, " "), ""];
    const values = points.map((point) => cut(point.sweep_value ?? point.label, 18));
    return { title, name: unit === "" ? title : `${title}, ${unit}`, values };
  }
  const workers = points.map((point) => point.workers);
  if (new Set(workers).size === points.length)
    return { title: "clients", name: "clients (workers)", values: workers.map(String) };
  return { title: "load point", name: "load point", values: points.map((point) => cut(labelOf(point), 18)) };
}

function labelOf(point: LoadPoint): string {
  return point.sweep_value ?? point.label;
}
