// The console's navigation above every page: links, and actions for the current page.

import type { ComponentChildren } from "preact";
import { type Route, hashOf } from "./routes";

interface Props {
  /** The current page. */
  here: Route["page"];
  /** Buttons for the current page. */
  children?: ComponentChildren;
}

const PLACES = [
  { title: "Runs", route: { page: "runs" }, pages: ["runs", "run", "compare"] },
  { title: "Start a run", route: { page: "start", verb: "", set: {} }, pages: ["start"] },
  { title: "Traces", route: { page: "traces" }, pages: ["traces", "trace"] },
] as const;

export function ConsoleBar({ here, children }: Props) {
  return (
    <nav class="console-bar" aria-label="Console">
      <span class="console-name">Reelgauge</span>
      <ul>
        {PLACES.map((place) => {
          const isHere = (place.pages as readonly string[]).includes(here);
          return (
            <li>
              <a href={hashOf(place.route)} aria-current={isHere ? "page" : undefined}>
                {place.title}
              </a>
            </li>
          );
        })}
      </ul>
      {children !== undefined && <div class="console-acts">{children}</div>}
    </nav>
  );
}
