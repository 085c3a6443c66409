// Exports of a run's page: the page itself, a sheet for the vendor or operator of the storage, a badge.

import type { Page, RunPage } from "../data/page";
import { download } from "../parts/download";
import { ownPage } from "../parts/own-page";
import { badgeSvg } from "./badge";
import { printSheet } from "./sheet-print";

export function Actions({ run, page }: { run: RunPage; page: Page }) {
  const asPage = () => download(`${run.id}.html`, new Blob([ownPage(page)], { type: "text/html" }));
  const asBadge = () => download(`${run.id}-badge.svg`, new Blob([badgeSvg(run)], { type: "image/svg+xml" }));
  return (
    <div class="hero-actions" role="group" aria-label="Export">
      <button type="button" class="small" onClick={asPage} title="This page with its notes, as one HTML file">
        Download
      </button>
      <button type="button" class="small" onClick={printSheet} title="One page to print or save as PDF">
        Vendor sheet
      </button>
      <button type="button" class="small" onClick={asBadge} title="The result in one line, as an SVG image">
        Badge
      </button>
    </div>
  );
}
