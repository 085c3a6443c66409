// Where the application begins: a report, when data is embedded; the live console, when there is none.

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
  // The text for those without JavaScript.
  root.replaceChildren();
  render(page === null ? <LiveConsole /> : <ReportPage page={page} />, root);
}
