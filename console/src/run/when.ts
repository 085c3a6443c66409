// Dates and times as text, always with their zone, because reports travel.

import type { Page } from "../data/page";

/** `22 November 2026, 00:24:15 UTC`; the text itself if it is not a time. */
export function startedAt(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text === "" ? "start time unknown" : text;
  const day = at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day}, ${at.toLocaleTimeString("en-GB", { timeZone: "UTC" })} UTC`;
}

/** `Made by reelgauge 0.1.0 at 2026-11-22 00:24:15 UTC.` */
export function madeBy(page: Page): string {
  const made = page.made_at.replace("T", " ").replace(/\.\d+/, "").replace("Z", " UTC");
  return `Made by reelgauge ${page.tool_version} at ${made}.`;
}
