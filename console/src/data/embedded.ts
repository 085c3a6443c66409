// The data that the Rust side put into this file.

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

/** The packages that are built into this page. */
export function licences(): Licence[] {
  const text = document.getElementById("reelgauge-licences")?.textContent ?? "[]";
  return JSON.parse(text) as Licence[];
}
