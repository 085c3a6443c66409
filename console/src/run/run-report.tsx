// A run's page: the answer first, then what it rests on, in the order in which somebody asks for it.

import { useMemo } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Page, RunPage } from "../data/page";
import type { Summary } from "../data/summary";
import { madeBy } from "./when";
import { Shell } from "../parts/shell";
import type { PagePart } from "../parts/shell";
import { Answer } from "./answer";
import { IncidentsSection } from "./incidents";
import { CheckSection } from "./check";
import { ConfigurationSection } from "./configuration";
import { Distribution } from "./distribution";
import { EbuSection } from "./ebu";
import { extentOf, flowOf } from "./over-time";
import { PointsSection } from "./points";
import { ReplaySection } from "./replay";
import { SearchSection } from "./search";
import { SizesSection } from "./sizes";
import { StreamsSection } from "./streams";
import { TimedSections, timedParts } from "./timed";
import { TrustSection } from "./trust";
import { VdaSection } from "./vda";
import { verdictOf } from "./verdict-word";
import { WorkersSection } from "./workers";

interface Part extends PagePart {
  view: () => ComponentChildren;
}

export function RunReport({ run, page, back }: { run: RunPage; page: Page; back?: ComponentChildren }) {
  const parts = useMemo(() => partsOf(run), [run]);
  return (
    <Shell
      title={run.id}
      kind="Run"
      verdict={verdictOf(run.summary)}
      sections={parts.filter((part) => part.title !== "")}
      madeBy={madeBy(page)}
      back={back}
    >
      <h1 class="sr-only">Run {run.id}</h1>
      {parts.map((part) => part.view())}
    </Shell>
  );
}

/** Runs that are told in MB/s have them, as on the terminal. */
function hasEbuFigures(summary: Summary): boolean {
  const inStreams = summary.load_points.some((point) => point.stream_count != null);
  const told =
    [summary.check, summary.replay, summary.vda, summary.search].some((facts) => facts != null) || inStreams;
  return !told && summary.load_points.some((point) => point.paper.block_bytes.length > 0);
}

/** What this run has to show. A part without a title is not in the navigation. */
function partsOf(run: RunPage): Part[] {
  const { summary, detail } = run;
  const flow = flowOf(summary, detail);
  const extent = flow === null ? null : extentOf(flow.time);
  const parts: Part[] = [{ id: "answer", title: "Answer", view: () => <Answer run={run} /> }];
  const add = (there: boolean, id: string, title: string, view: () => ComponentChildren) => {
    if (there) parts.push({ id, title, view });
  };
  const points = summary.load_points;
  const inStreams = points.some((point) => point.streams != null && point.streams.streams.length > 0);
  const check = summary.check ?? null;
  const search = summary.search ?? null;
  const vda = summary.vda ?? null;
  const replay = summary.replay ?? null;
  add(run.incidents.length > 0, "incidents", "Incidents", () => <IncidentsSection run={run} />);
  add(check !== null, "check", "Formats", () => check && <CheckSection facts={check} />);
  add(search !== null, "search", "Search", () => search && <SearchSection facts={search} points={points} />);
  add(vda !== null, "vda", "Load curve", () => vda && <VdaSection facts={vda} points={run.summary.load_points} />);
  add(replay !== null, "replay", "Replay", () => replay && <ReplaySection facts={replay} points={points} />);
  add(true, "points", points.length > 1 ? "Load points" : "Load point", () => (
    <PointsSection summary={summary} />
  ));
  add(inStreams, "streams", "Streams", () => <StreamsSection run={run} extent={extent} />);
  add(hasEbuFigures(summary), "ebu", "EBU figures", () => <EbuSection points={points} />);
  if (flow !== null && extent !== null) {
    const shown = timedParts(run);
    parts.push({
      ...(shown[0] ?? { id: "time", title: "Over time" }),
      view: () => <TimedSections run={run} flow={flow} extent={extent} />,
    });
    for (const part of shown.slice(1)) parts.push({ ...part, view: () => null });
  }
  add(true, "latency", "Latency", () => <Distribution run={run} />);
  add(
    detail !== null && detail.sizes.length > 0,
    "sizes",
    "Transfer sizes",
    () => detail && <SizesSection detail={detail} />,
  );
  add(
    points.some((point) => point.per_worker.length > 1),
    "workers",
    "Workers",
    () => <WorkersSection points={points} />,
  );
  add(true, "trust", "How far to trust it", () => <TrustSection run={run} />);
  add(true, "configuration", "Configuration", () => <ConfigurationSection run={run} />);
  return parts;
}
