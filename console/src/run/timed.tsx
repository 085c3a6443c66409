// All charts with a time axis: streams, throughput, latency, counters. They are aligned, so that a stall and its cause
// line up. The strip at the top shows the period in view.

import type { ComponentChildren } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { BandsContext, incidentsOf } from "../charts/bands";
import type { Counters, Detail, RunPage } from "../data/page";
import type { Extent } from "../period";
import { Said } from "../parts/name";
import { Missing, Section } from "../parts/section";
import type { PagePart } from "../parts/shell";
import { PERIOD_HELP, TimeStrip } from "../parts/time-strip";
import { FileTable } from "../trace/file-table";
import { OffsetMap } from "../trace/offset-map";
import { OPERATIONS_HELP, OpList } from "../trace/op-list";
import { OtherCounters, TellingCounters } from "./counters";
import { HeatMap } from "./heat-map";
import { MarginChart } from "./margin-chart";
import type { Flow } from "./over-time";
import { joined } from "./over-time";
import { PeriodStats } from "./period-view";
import { StripChart } from "./strips";
import { ThroughputChart } from "./throughput";
import { WorstTable } from "./worst";

/** A run with a time axis. */
export interface Timed {
  run: RunPage;
  flow: Flow;
  extent: Extent;
}

interface TimedPart extends PagePart {
  view: () => ComponentChildren;
}

/** The available parts, by the ids of their sections. */
export function partsOf(time: Timed): TimedPart[] {
  const { run, flow, extent } = time;
  const { detail, counters } = run;
  const parts: TimedPart[] = [];
  const add = (id: string, title: string, view: () => ComponentChildren) => parts.push({ id, title, view });
  if (detail !== null && detail.streams.length > 0)
    add("strips", "Streams", () => <Strips time={time} detail={detail} />);
  add("time", titleOf(run), () => <OverTime time={time} />);
  if (counters !== null && counters.agents.length > 0)
    add("counters", "Other counters", () => <CountersSection counters={counters} extent={extent} isLocal={isLocal(run)} />);
  add("period", "Period in view", () => <PeriodStats flow={flow} detail={detail} />);
  if (detail === null) return parts;
  if (detail.latency.reads.cells.length + detail.latency.writes.cells.length > 0)
    add("latency-over-time", "Response times over time", () => <LatencyOverTime detail={detail} extent={extent} />);
  if (detail.worst.kind.length > 0)
    add("worst", "Slowest operations", () => <WorstTable detail={detail} extent={extent} />);
  if (detail.files.file.length > 0) add("files", "Files", () => <Files detail={detail} />);
  if (detail.listed.kind.length > 0) add("operations", "Operations", () => <Operations detail={detail} />);
  return parts;
}

export function PeriodStrip({ time: { flow, extent } }: { time: Timed }) {
  const both = flow.read_bytes.map((read, bin) => read + (flow.written_bytes[bin] ?? 0));
  return <TimeStrip extent={extent} shape={joined(both, 600, "max").values} shapeName="Throughput" />;
}

function Strips({ time: { run, extent }, detail }: { time: Timed; detail: Detail }) {
  return (
    <Section id="strips" title="Streams">
      <StripChart run={run} streams={detail.streams} extent={extent} />
    </Section>
  );
}

/** If there are incidents, the charts explain them. */
function titleOf(run: RunPage): string {
  return run.incidents.length > 0 && run.summary.check == null ? "Incidents over time" : "Over time";
}

function OverTime({ time: { run, flow, extent } }: { time: Timed }) {
  const { detail, counters } = run;
  const all = useContext(BandsContext);
  const bands = useMemo(() => incidentsOf(all), [all]);
  return (
    <Section id="time" title={titleOf(run)} about={PERIOD_HELP}>
      {detail === null && (
        <Missing>
          Only the per-second figures of summary.json are available:{" "}
          <Said text={run.why_no_detail ?? "this run has no log of single operations"} />.
        </Missing>
      )}
      <ThroughputChart detail={detail} points={run.summary.load_points} flow={flow} extent={extent} />
      {detail !== null && detail.streams.length > 0 && (
        <MarginChart streams={detail.streams} extent={extent} />
      )}
      {counters !== null && <TellingCounters counters={counters} bands={bands} extent={extent} isLocal={isLocal(run)} />}
    </Section>
  );
}

function LatencyOverTime({ detail, extent }: { detail: Detail; extent: Extent }) {
  return (
    <Section id="latency-over-time" title="Response times over time" about="Duration of operations over time. A stall shows as a tall column.">
      <HeatMap detail={detail} extent={extent} />
    </Section>
  );
}

/** Whether the target is on this client, not behind a network. If that is unknown, network counters keep their rank. */
export function isLocal({ summary: { memory, link } }: Pick<RunPage, "summary">): boolean {
  return memory?.on_network === false && link == null;
}

export function CountersSection({
  counters,
  extent,
  isLocal,
  title = "Other counters",
  about = "All other counters of host, network, disks and mount.",
}: {
  counters: Counters;
  extent: Extent;
  isLocal: boolean;
  title?: string;
  about?: string;
}) {
  const all = useContext(BandsContext);
  const bands = useMemo(() => incidentsOf(all), [all]);
  return (
    <Section id="counters" title={title} about={about}>
      <OtherCounters counters={counters} bands={bands} extent={extent} isLocal={isLocal} />
    </Section>
  );
}

function Files({ detail }: { detail: Detail }) {
  return (
    <Section
      id="files"
      title="Files"
      about="File offsets over time, and the files with the most bytes."
    >
      <OffsetMap detail={detail} />
      <FileTable detail={detail} />
    </Section>
  );
}

function Operations({ detail }: { detail: Detail }) {
  return (
    <Section id="operations" title="Operations" about={OPERATIONS_HELP}>
      <OpList detail={detail} />
    </Section>
  );
}
