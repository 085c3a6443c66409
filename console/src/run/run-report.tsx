// A run's page: the answer first, then the streams and the incidents, then their explanation. Raw and less relevant
// parts are folded at the end.

import { useMemo } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { BandsContext } from "../charts/bands";
import type { Page, RunPage } from "../data/page";
import { madeBy } from "./when";
import { FiguresRoot, SectionView } from "../parts/blocks";
import type { Charts } from "../parts/blocks";
import { Folded } from "../parts/section";
import { Shell } from "../parts/shell";
import type { PagePart } from "../parts/shell";
import { useViewLink } from "../view-link";
import { CheckChart } from "./check";
import { LatencyCharts } from "./distribution";
import { EbuCharts, EbuLatencies } from "./ebu";
import { Hero } from "./hero";
import { markBandsOf, Marks } from "./marks";
import { bandsOf, IncidentsSection } from "./incidents";
import { extentOf, flowOf } from "./over-time";
import { HostBars } from "./host-bars";
import { HostLines } from "./host-lines";
import { BlockCharts } from "./paper";
import { SearchCharts } from "./search";
import { Sheet } from "./sheet";
import { SizesSection } from "./sizes";
import { StreamCharts } from "./streams";
import * as timed from "./timed";
import type { Timed } from "./timed";
import { VdaCharts } from "./vda";
import "./run.css";

interface Part extends PagePart {
  view: () => ComponentChildren;
  /** Closed until the user opens it. */
  folded?: boolean;
}

export function RunReport({ run, page, back }: { run: RunPage; page: Page; back?: ComponentChildren }) {
  const time = useMemo(() => timedOf(run), [run]);
  const bands = useMemo(() => [...bandsOf(run.summary.load_points), ...markBandsOf(run)], [run]);
  const parts = useMemo(() => partsOf(run, time), [run, time]);
  const sections = [{ id: "answer", title: "Answer" }, ...parts];
  useViewLink(time?.extent ?? null);
  return (
    <Shell
      title={run.id}
      kind="Run"
      verdict={run.hero.verdict}
      sections={sections}
      madeBy={madeBy(page)}
      back={back}
    >
      <h1 class="sr-only">Run {run.id}</h1>
      <FiguresRoot.Provider value={run.summary}>
      <BandsContext.Provider value={bands}>
        <Hero run={run} page={page} />
        <div class="timed">
          {time !== null && <timed.PeriodStrip time={time} />}
          {parts.filter((part) => part.folded !== true).map((part) => part.view())}
          <div class="folds">
            <Folded>{parts.filter((part) => part.folded === true).map((part) => part.view())}</Folded>
          </div>
        </div>
      </BandsContext.Provider>
      <Sheet run={run} />
      </FiguresRoot.Provider>
    </Shell>
  );
}

function timedOf(run: RunPage): Timed | null {
  const flow = flowOf(run.summary, run.detail);
  return flow === null ? null : { run, flow, extent: extentOf(flow.time) };
}

/** The parts below the answer, the most requested first. */
function partsOf(run: RunPage, time: Timed | null): Part[] {
  const watch = run.summary.watch ?? null;
  if (watch !== null) return partsOfWatch(run, watch.watched_s);
  if (run.summary.msmeter != null) return partsOfMsmeter(run);
  const shown = time === null ? [] : timed.partsOf(time);
  const of = (...ids: string[]): Part[] => shown.filter((part) => ids.includes(part.id));
  const { facts, points, streams, raw } = ownParts(run, time);
  // A quick check is summarised by its table, because its streams start and end by the hundred.
  const isLook = run.summary.check != null;
  const strips = of("strips");
  const good = said(run, "good");
  // Charts that explain incidents are below the incidents.
  const explains = run.incidents.length > 0 && !isLook;
  // For a search, the count comes first, and the cause of the first failure afterwards.
  const isSearch = run.summary.search != null;
  return [
    ...(isSearch ? facts : []),
    ...(isLook ? good : strips),
    ...incidents(run, time),
    ...beside(run, time),
    ...(explains ? of("time") : []),
    ...(isSearch ? [] : facts),
    ...(isLook ? [] : good),
    ...points,
    ...(explains ? [] : of("time")),
    ...folded([...(isLook ? strips : []), ...streams, ...of("latency-over-time", "counters", "period", "worst")]),
    ...folded([...of("files", "operations"), ...raw]),
  ];
}

const folded = (parts: Part[]): Part[] => parts.map((part) => ({ ...part, folded: true }));

function beside(run: RunPage, time: Timed | null): Part[] {
  return said(run, "beside", { marks: () => <Marks run={run} extent={time?.extent ?? null} /> });
}

/** The parts of a watch, which has only counters. */
function partsOfWatch(run: RunPage, watched_s: number): Part[] {
  const extent = { from_s: 0, to_s: Math.max(1, watched_s) };
  const { counters } = run;
  const about = "Counters of processors, network and disks. Reelgauge generated no load.";
  const charts: Part[] =
    counters === null
      ? []
      : [
          {
            id: "counters",
            title: "Counters",
            view: () => (
              <timed.CountersSection counters={counters} extent={extent} isLocal={false} title="Counters" about={about} />
            ),
          },
        ];
  return [...beside(run, null), ...charts, ...folded(said(run, "configuration"))];
}

/** The original's workers report nothing but their records. */
function partsOfMsmeter(run: RunPage): Part[] {
  return [...said(run, "msmeter"), ...folded(said(run, "configuration"))];
}

function incidents(run: RunPage, time: Timed | null): Part[] {
  if (run.incidents.length === 0) return [];
  const view = () => <IncidentsSection run={run} extent={time?.extent ?? null} />;
  return [{ id: "incidents", title: "Incidents", view }];
}

interface OwnParts {
  /** The results that are specific to this kind of run. */
  facts: Part[];
  points: Part[];
  streams: Part[];
  raw: Part[];
}

/** A section written by the Rust side, if this run has it. */
function said(run: RunPage, id: string, charts?: Charts): Part[] {
  const section = run.sections.find((one) => one.id === id);
  if (section === undefined) return [];
  return [{ id, title: section.heading, view: () => <SectionView section={section} {...(charts && { charts })} /> }];
}

/** The parts that need no time axis. */
function ownParts(run: RunPage, time: Timed | null): OwnParts {
  const { summary, detail } = run;
  const points = summary.load_points;
  const part = (there: boolean, id: string, title: string, view: () => ComponentChildren): Part[] =>
    there ? [{ id, title, view }] : [];
  const check = summary.check ?? null;
  const search = summary.search ?? null;
  const vda = summary.vda ?? null;
  const hosts = summary.hosts ?? null;
  const facts = [
    ...said(run, "search", { search: () => search && <SearchCharts run={run} facts={search} /> }),
    ...said(run, "vda", { vda: () => vda && <VdaCharts run={run} facts={vda} /> }),
    ...said(run, "replay"),
    ...said(run, "ebu", {
      ebu: () => <EbuCharts run={run} />,
      "ebu-latency": () => <EbuLatencies run={run} />,
      "ebu-blocks": (at) => points.filter((_, place) => place === at).map((point) => <BlockCharts point={point} />),
    }),
  ];
  const table = said(run, "points");
  const machines = said(run, "hosts", hosts === null ? {} : {
    "host-lines": () => detail !== null && time !== null && <HostLines section={hosts} detail={detail} extent={time.extent} />,
    "host-bars": (point) => {
      const figures = hosts.points.find((one) => one.point === point);
      return figures && <HostBars section={hosts} hosts={figures} />;
    },
  });
  // The sections of these kinds contain a table of the load points.
  const isTold = [check, search, vda, summary.replay ?? null].some((one) => one !== null);
  const sizes = detail !== null && detail.sizes.length > 0;
  return {
    facts,
    points: [...machines, ...(isTold ? [] : table)],
    streams: said(run, "streams", {
      streams: (at) => at !== null && <StreamCharts run={run} at={at} extent={time?.extent ?? null} />,
    }),
    raw: [
      ...said(run, "check", { "check-formats": () => check && <CheckChart run={run} facts={check} /> }),
      ...(isTold ? table : []),
      ...said(run, "latency", { latency: () => detail && <LatencyCharts detail={detail} /> }),
      ...part(sizes, "sizes", "Transfer sizes", () => detail && <SizesSection detail={detail} />),
      ...said(run, "workers"),
      ...said(run, "trust"),
      ...said(run, "configuration"),
    ],
  };
}
