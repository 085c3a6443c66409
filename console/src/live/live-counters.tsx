// Counters of a run in progress as small charts: the path to the storage, and this client. The sampler writes them
// every two seconds, so they can be that old.

import { useState } from "preact/hooks";
import { Spark } from "../charts/spark";
import { api } from "../data/api";
import type { Counters } from "../data/live";
import type { CounterSeries } from "../data/page";
import { number } from "../figures/units";
import { Section } from "../parts/section";
import { UNITS } from "../run/counters";
import { useData, useEvery } from "./use-data";

const LOOK_MS = 2_000;

/** The maximum number of counters on each side. */
const MOST = 6;

/** The number of points in a chart, the newest. */
const POINTS = 120;

const SIDES = [
  { title: "Path to the storage", layers: ["mount", "disk", "network"] },
  { title: "This client", layers: ["host", "tool"] },
];

export function LiveCounters({ id }: { id: string }) {
  const counters = useData((stop) => api.counters(id, stop), id);
  const [last, setLast] = useState<Counters | null>(null);
  useEvery(LOOK_MS, counters.again);
  // Until the next response arrives, keep the previous data on the screen.
  if (counters.data !== null && counters.data !== last) setLast(counters.data);
  const shown = counters.data ?? last;
  if (shown === null) return null;
  const series = shown.agents.flatMap((agent) => agent.series);
  return (
    <Section id="counters" title="Counters">
      <div class="live-counters">
        {SIDES.map(({ title, layers }) => (
          <Side key={title} title={title} series={movingFirst(layers.flatMap((layer) => series.filter((one) => one.layer === layer))).slice(0, MOST)} />
        ))}
      </div>
    </Section>
  );
}

function Side({ title, series }: { title: string; series: CounterSeries[] }) {
  return (
    <div>
      <h3>{title}</h3>
      {series.length === 0 && <p class="faint">No samples.</p>}
      <ul class="counter-lines">
        {series.map((one) => (
          <li key={`${one.layer} ${one.device} ${one.name}`}>
            <span class="counter-name">{one.words}</span>
            <Spark series={one} newest={POINTS} />
            <span class="counter-now">{nowOf(one)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A dash if nothing was measured. */
export function nowOf({ unit, value }: Pick<CounterSeries, "unit" | "value">): string {
  const { scale, name } = UNITS[unit] ?? { scale: 1, name: unit };
  const now = value.at(-1) ?? null;
  return now === null ? "–" : `${number(now / scale)} ${name}`.trim();
}

/** Changing counters first, because they are more informative; otherwise the order stays. */
export function movingFirst(series: readonly CounterSeries[]): CounterSeries[] {
  const isMoving = (one: CounterSeries) => new Set(one.value.filter((value) => value !== null)).size > 1;
  return [...series.filter(isMoving), ...series.filter((one) => !isMoving(one))];
}
