// Everything that has a time: throughput, latency, streams, counters, one below the other with the same
// time axis, so that a stall and its cause line up. The strip on top says which period is in view.

import type { RunPage } from "../data/page";
import type { Extent } from "../period";
import { Said } from "../parts/name";
import { Missing, Section } from "../parts/section";
import type { PagePart } from "../parts/shell";
import { TimeStrip } from "../parts/time-strip";
import { FileTable } from "../trace/file-table";
import { OffsetMap } from "../trace/offset-map";
import { OpList } from "../trace/op-list";
import { CounterCharts } from "./counters";
import { HeatMap } from "./heat-map";
import { MarginChart, StripChart } from "./stream-time";
import type { Flow } from "./over-time";
import { joined } from "./over-time";
import { PeriodStats } from "./period-view";
import { ThroughputChart } from "./throughput";
import { WorstTable } from "./worst";

/** What of it there is, for the navigation. */
export function timedParts(run: RunPage): PagePart[] {
  const parts = [{ id: "time", title: "Over time" }];
  if (run.counters !== null && run.counters.agents.length > 0)
    parts.push({ id: "counters", title: "Counters" });
  parts.push({ id: "period", title: "Period in view" });
  if (run.detail !== null && run.detail.worst.kind.length > 0)
    parts.push({ id: "worst", title: "Slowest operations" });
  if (run.detail !== null && run.detail.files.file.length > 0) parts.push({ id: "files", title: "Files" });
  if (run.detail !== null && run.detail.listed.kind.length > 0)
    parts.push({ id: "operations", title: "Operations" });
  return parts;
}

export function TimedSections({ run, flow, extent }: { run: RunPage; flow: Flow; extent: Extent }) {
  const { detail } = run;
  const both = flow.read_bytes.map((read, bin) => read + (flow.written_bytes[bin] ?? 0));
  return (
    <div class="timed">
      <TimeStrip extent={extent} shape={joined(both, 600, "max").values} shapeName="Throughput" />
      <Section
        id="time"
        title="Over time"
        about="Drag across a chart to choose a period; all charts follow. Ctrl and wheel zooms, Shift and drag moves, Escape or a double click shows everything."
      >
        {detail === null && (
          <Missing>
            Only the seconds of summary.json are shown:{" "}
            <Said text={run.why_no_detail ?? "there is no log of single operations"} />.
          </Missing>
        )}
        <ThroughputChart detail={detail} points={run.summary.load_points} flow={flow} extent={extent} />
        {detail !== null && detail.streams.length > 0 && (
          <>
            <StripChart run={run} streams={detail.streams} extent={extent} />
            <MarginChart streams={detail.streams} extent={extent} />
          </>
        )}
        {detail !== null && <HeatMap detail={detail} extent={extent} />}
      </Section>
      {run.counters !== null && run.counters.agents.length > 0 && (
        <Section
          id="counters"
          title="Counters"
          about="What host, network, disks and mount said of themselves at the same time."
        >
          <CounterCharts counters={run.counters} extent={extent} />
        </Section>
      )}
      <PeriodStats flow={flow} detail={detail} />
      {detail !== null && detail.worst.kind.length > 0 && <WorstTable detail={detail} extent={extent} />}
      {detail !== null && detail.files.file.length > 0 && (
        <Section
          id="files"
          title="Files"
          about="Where in the files the workers were, and when; the files with the most bytes."
        >
          <OffsetMap detail={detail} />
          <FileTable detail={detail} />
        </Section>
      )}
      {detail !== null && detail.listed.kind.length > 0 && (
        <Section
          id="operations"
          title="Operations"
          about="One by one. A click on a time shows that moment in all charts."
        >
          <OpList detail={detail} />
        </Section>
      )}
    </div>
  );
}
