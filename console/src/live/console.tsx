// The live console: shows the page that the address names.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Shell } from "../parts/shell";
import { ConsoleBar } from "./bar";
import { ComparePage } from "./compare";
import { Door } from "./door";
import { LicencesPage } from "./licences";
import { ReachableBanner } from "./reachable";
import { type Route, hashOf, routeOf } from "./routes";
import { RunView } from "./run";
import { RunsPage } from "./runs";
import { StartPage } from "./start";
import { TracePageView } from "./trace";
import { TracesPage } from "./traces";
import "./live.css";

const route = signal<Route>({ page: "runs" });

export function LiveConsole() {
  useEffect(followAddress, []);
  const here = route.value;
  useEffect(() => {
    document.title = titleOf(here);
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [here]);
  return (
    <>
      <ReachableBanner />
      <Door>
        <Screen here={here} />
      </Door>
    </>
  );
}

function Screen({ here }: { here: Route }) {
  switch (here.page) {
    case "runs":
      return <RunsPage />;
    case "run":
      return <RunView key={here.id} id={here.id} against={here.against} />;
    case "start":
      return <StartPage key={hashOf(here)} verb={here.verb} set={here.set} />;
    case "compare":
      return <ComparePage key={here.ids.join("\n")} ids={here.ids} />;
    case "traces":
      return <TracesPage />;
    case "trace":
      return <TracePageView key={here.name} name={here.name} />;
    case "licences":
      return <LicencesPage />;
    case "unknown":
      return <Unknown />;
  }
}

const NOT_FOUND = "Page not found";

function Unknown() {
  return (
    <Shell title={NOT_FOUND} kind="Console" sections={[]} back={<ConsoleBar here="unknown" />}>
      <h1>{NOT_FOUND}</h1>
      <p>
        No page has this address. <a href={hashOf({ page: "runs" })}>All runs</a>
      </p>
    </Shell>
  );
}

/** Follows changes of the address. An anchor within the page changes neither the page nor its address. */
function followAddress(): () => void {
  let hash = window.location.hash;
  const follow = () => {
    const next = routeOf(window.location.hash);
    if (next === null) {
      window.history.replaceState(null, "", hash === "" ? "#/" : hash);
      return;
    }
    hash = window.location.hash;
    route.value = next;
    window.scrollTo(0, 0);
  };
  follow();
  window.addEventListener("hashchange", follow);
  return () => window.removeEventListener("hashchange", follow);
}

function titleOf(here: Route): string {
  const names: Record<Route["page"], string> = {
    runs: "Runs",
    run: here.page === "run" ? here.id : "",
    start: here.page === "start" && here.verb !== "" ? `Start ${here.verb}` : "Start a run",
    compare: "Comparison",
    traces: "Traces",
    trace: here.page === "trace" ? here.name : "",
    licences: "Licences",
    unknown: NOT_FOUND,
  };
  return `${names[here.page]} – Reelgauge`;
}
