// The entry point: shows a report if data is embedded in the page, otherwise the live console.

import { render } from "preact";
import { embeddedPage } from "./data/embedded";
import { beginTheme } from "./parts/theme";
import { ReportPage } from "./report-page";
import { LiveConsole } from "./live/console";
import "./theme.css";
import "./parts/parts.css";

const root = document.getElementById("reelgauge");
if (root !== null) {
  beginTheme();
  const page = embeddedPage();
  // Removes the text for browsers without JavaScript.
  root.replaceChildren();
  render(page === null ? <LiveConsole /> : <ReportPage page={page} />, root);
}
