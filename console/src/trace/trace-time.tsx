// A trace over time: throughput, latency, the figures of the period in view, and the offset map.

import { useMemo } from "preact/hooks";
import type { Detail } from "../data/page";
import type { LoadPoint } from "../data/summary";
import { Missing, Section } from "../parts/section";
import { PERIOD_HELP, TimeStrip } from "../parts/time-strip";
import { HeatMap } from "../run/heat-map";
import { LatencyCharts } from "../run/distribution";
import { extentOf, flowOfDetail, joined } from "../run/over-time";
import { PeriodStats } from "../run/period-view";
import { SizesSection } from "../run/sizes";
import { ThroughputChart } from "../run/throughput";
import { OffsetMap } from "./offset-map";

/** A trace has no load points. */
const NO_POINTS: LoadPoint[] = [];

export function TraceTime({ detail }: { detail: Detail }) {
  const flow = useMemo(() => flowOfDetail(detail), [detail]);
  const extent = useMemo(() => extentOf(detail.time), [detail]);
  const bytes = useMemo(() => flow.read_bytes.map((read, bin) => read + (flow.written_bytes[bin] ?? 0)), [flow]);
  if (detail.time.bins === 0) {
    return (
      <Section id="time" title="Over time">
        <Missing>This trace has no operations.</Missing>
      </Section>
    );
  }
  return (
    <div class="timed">
      <TimeStrip extent={extent} shape={joined(bytes, 600, "max").values} shapeName="Throughput" />
      <Section id="time" title="Over time" about={PERIOD_HELP}>
        <OffsetMap detail={detail} />
        <ThroughputChart detail={detail} points={NO_POINTS} flow={flow} extent={extent} />
        <HeatMap detail={detail} extent={extent} />
      </Section>
      <PeriodStats flow={flow} detail={detail} />
      <Section id="latency" title="Service times" about="Service time: from issue to completion.">
        <LatencyCharts detail={detail} />
      </Section>
      {detail.sizes.length > 0 && <SizesSection detail={detail} />}
    </div>
  );
}
