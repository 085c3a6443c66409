// The data that the Rust side embedded in this file.

import type { Page } from "./page";

/** The page's data; null in the live console. */
export function embeddedPage(): Page | null {
  const text = document.getElementById("reelgauge-data")?.textContent ?? "null";
  return JSON.parse(text) as Page | null;
}

export interface Licence {
  name: string;
  version: string;
  licence: string;
  text: string;
}

/** The packages that this page contains. */
export function licences(): Licence[] {
  const text = document.getElementById("reelgauge-licences")?.textContent ?? "[]";
  return JSON.parse(text) as Licence[];
}
