// Prints the vendor sheet instead of the page. The sheet is on the page only while it is printed.

import { signal } from "@preact/signals";

/** Whether the sheet replaces the page for printing. */
export const sheetIsShown = signal(false);

/** Prints the sheet, and shows the page again afterwards. */
export function printSheet(): void {
  sheetIsShown.value = true;
  document.documentElement.dataset["print"] = "sheet";
  const end = () => {
    sheetIsShown.value = false;
    delete document.documentElement.dataset["print"];
  };
  window.addEventListener("afterprint", end, { once: true });
  // Wait until the sheet has been drawn.
  window.requestAnimationFrame(() => window.requestAnimationFrame(() => window.print()));
}
