// The view of a run's page: period, load point, stream, part. It is part of the link, so that a copied link shows the
// same view. Pure except for the signals.

import { signal } from "@preact/signals";
import type { Extent, Period } from "./period";

/** The load point that tables show, as an index into the summary's; null for the default of each part. */
export const chosenPoint = signal<number | null>(null);

/** The chosen stream; null for all streams. */
export const chosenStream = signal<number | null>(null);

export interface View {
  /** The part of the page; empty for its top. */
  part: string;
  period: Period | null;
  point: number | null;
  stream: number | null;
}

/** The part after the `#`: `#streams?t=7.25-9.5&point=2&stream=5`. In the console a path comes first. */
export function viewOf(hash: string): View {
  const [place = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const said = new URLSearchParams(query);
  return {
    part: said.get("at") ?? (place.startsWith("/") ? "" : place),
    period: periodOf(said.get("t")),
    point: wholeOf(said.get("point")),
    stream: wholeOf(said.get("stream")),
  };
}

/** The link to a view, based on the current link. In the console the path stays. */
export function hashOfView(before: string, view: View): string {
  const [place = ""] = before.replace(/^#/, "").split("?", 2);
  const isPath = place.startsWith("/");
  const said = new URLSearchParams();
  if (isPath && view.part !== "") said.set("at", view.part);
  if (view.period !== null) said.set("t", `${seconds(view.period.from_s)}-${seconds(view.period.to_s)}`);
  if (view.point !== null) said.set("point", String(view.point));
  if (view.stream !== null) said.set("stream", String(view.stream));
  const query = said.toString();
  const path = isPath ? place : view.part;
  return path === "" && query === "" ? "" : `#${path}${query === "" ? "" : `?${query}`}`;
}

/** With four decimals, because no chart has a finer resolution. */
function seconds(value: number): string {
  return String(Number(value.toFixed(4)));
}

function periodOf(text: string | null): Period | null {
  const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "");
  if (found === null) return null;
  const period = { from_s: Number(found[1]), to_s: Number(found[2]) };
  return period.to_s > period.from_s ? period : null;
}

function wholeOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Null if the period is outside the extent, as that of a link to another run may be. */
export function inExtent(period: Period | null, extent: Extent): Period | null {
  if (period === null || period.to_s <= extent.from_s || period.from_s >= extent.to_s) return null;
  return period;
}
