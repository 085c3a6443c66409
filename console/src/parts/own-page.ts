// Saves the open page as one file: the application with this page's data.

import type { Page } from "../data/page";

/** The HTML of a page that contains this data, including notes, and depends on nothing else. */
export function ownPage(page: Page): string {
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  copy.removeAttribute("data-theme");
  copy.querySelector("#reelgauge")?.replaceChildren();
  const data = copy.querySelector("#reelgauge-data");
  if (data !== null) data.textContent = scriptJson(page);
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

/** JSON that is safe in a script element: nothing in it can end the element. */
export function scriptJson(value: unknown): string {
  const escape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escape);
}
