// Printing the vendor sheet instead of the page: it is on the page only while that happens.

import { signal } from "@preact/signals";

/** Whether the sheet is what is printed. */
export const sheetIsShown = signal(false);

/** Puts the sheet on paper, and the page back afterwards. */
export function printSheet(): void {
  sheetIsShown.value = true;
  document.documentElement.dataset["print"] = "sheet";
  const end = () => {
    sheetIsShown.value = false;
    delete document.documentElement.dataset["print"];
  };
  window.addEventListener("afterprint", end, { once: true });
  // The sheet has to be drawn first.
  window.requestAnimationFrame(() => window.requestAnimationFrame(() => window.print()));
}
