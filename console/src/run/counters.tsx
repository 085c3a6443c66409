// Counters of host, network, disks and mount: small charts below one another, under the time axis of all
// others.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { tick, tickTime, timeAxis, valueAxis } from "../charts/axes";
import { seriesStyle } from "../charts/palette";
import type { CounterSeries, Counters } from "../data/page";
import { number } from "../figures/units";
import type { Extent } from "../period";
import { Name } from "../parts/name";
import { chartText } from "../parts/text";

const LAYERS: Record<CounterSeries["layer"], string> = {
  host: "This machine",
  network: "Network",
  disk: "Disks",
  mount: "Mount",
  tool: "Reelgauge itself",
};

/** What the raw numbers are divided by, and the unit that is shown then. */
const UNITS: Record<string, { scale: number; name: string }> = {
  percent: { scale: 1, name: "%" },
  bytes_per_s: { scale: 1e6, name: "MB/s" },
  per_s: { scale: 1, name: "per s" },
  us: { scale: 1, name: "µs" },
  bytes: { scale: 1e6, name: "MB" },
  count: { scale: 1, name: "" },
};

/** Lines in one small chart. */
const MOST_LINES = 4;

interface Group {
  id: string;
  title: string;
  unit: string;
  series: CounterSeries[];
}

export function CounterCharts({ counters, extent }: { counters: Counters; extent: Extent }) {
  return (
    <>
      {counters.agents.map((agent, at) => (
        <AgentCounters
          key={agent.agent}
          agent={agent.agent}
          many={counters.agents.length > 1}
          series={agent.series}
          notes={agent.notes}
          at={at}
          extent={extent}
        />
      ))}
    </>
  );
}

interface AgentProps {
  agent: string;
  many: boolean;
  series: CounterSeries[];
  /** What was left out or could not be sampled. */
  notes: string[];
  at: number;
  extent: Extent;
}

function AgentCounters({ agent, many, series, notes, at, extent }: AgentProps) {
  const layers = (Object.keys(LAYERS) as CounterSeries["layer"][]).filter((layer) =>
    series.some((one) => one.layer === layer),
  );
  return (
    <>
      {many && (
        <h3>
          <Name text={agent} />
        </h3>
      )}
      {layers.map((layer) => (
        <div class="counter-layer" key={layer}>
          <h3>{LAYERS[layer]}</h3>
          {groupsOf(
            series.filter((one) => one.layer === layer),
            `counter-${at}-${layer}`,
          ).map((group) => (
            <GroupChart key={group.id} group={group} extent={extent} />
          ))}
        </div>
      ))}
      {notes.map((note) => (
        <p class="faint" dir="auto">
          {note}
        </p>
      ))}
    </>
  );
}

/** Series of one device and one unit share a chart. */
export function groupsOf(series: CounterSeries[], id: string): Group[] {
  const groups: Group[] = [];
  for (const one of series) {
    const title = `${one.device === "" ? LAYERS[one.layer] : one.device}, ${titleOf(one.unit)}`;
    const group = groups.find(
      (known) => known.title === title && known.unit === one.unit && known.series.length < MOST_LINES,
    );
    if (group === undefined)
      groups.push({ id: `${id}-${groups.length}`, title, unit: one.unit, series: [one] });
    else group.series.push(one);
  }
  return groups.map((group) => {
    const only = group.series[0];
    return group.series.length === 1 && only !== undefined ? { ...group, title: only.label } : group;
  });
}

function titleOf(unit: string): string {
  return (
    { percent: "%", bytes_per_s: "MB/s", per_s: "per second", us: "µs", bytes: "MB", count: "count" }[unit] ??
    unit
  );
}

function GroupChart({ group, extent }: { group: Group; extent: Extent }) {
  const unit = UNITS[group.unit] ?? { scale: 1, name: group.unit };
  const option = useMemo(() => (look: Look) => draw(look, group, unit), [group]);
  const said = group.series.map((one) => {
    const values = one.value.filter((value) => value !== null);
    const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
    return `${one.label}: ${values.length === 0 ? "nothing" : `at most ${number(most / unit.scale)} ${unit.name}`}`;
  });
  return (
    <Chart
      id={group.id}
      title={chartText(group.title, 60)}
      level={4}
      describe={said.join("; ")}
      option={option}
      timeAxis={extent}
      height={group.series.length > 1 ? 140 : 110}
      table={() => ({
        columns: ["series", "at, s", unit.name === "" ? "value" : `value, ${unit.name}`],
        rows: group.series.flatMap((one) =>
          one.at_s.map((at, n) => [
            one.label,
            at,
            one.value[n] == null ? null : (one.value[n] ?? 0) / unit.scale,
          ]),
        ),
      })}
    />
  );
}

function draw(look: Look, group: Group, unit: { scale: number; name: string }): ChartOption {
  const series: LineSeriesOption[] = group.series.map((one, n) => {
    const style = seriesStyle(look, n);
    return {
      type: "line",
      name: chartText(one.label, 60),
      // A point holds for the time since the point before it.
      step: "start",
      symbol: "none",
      itemStyle: { color: style.color },
      lineStyle: { color: style.color, type: style.dash, width: 1.5 },
      areaStyle: group.series.length === 1 ? { color: style.color, opacity: 0.12 } : undefined,
      data: one.at_s.map((at, index) => [
        at,
        one.value[index] == null ? null : (one.value[index] ?? 0) / unit.scale,
      ]),
    };
  });
  const percent = group.unit === "percent";
  return {
    xAxis: timeAxis(look),
    yAxis: {
      ...valueAxis(look, unit.name, { room: true, min: 0, ...(percent ? { max: 100 } : {}), format: tick }),
      splitNumber: 2,
    },
    legend: { show: group.series.length > 1 },
    grid: { top: group.series.length > 1 ? 40 : 20 },
    tooltip: { formatter: (items: unknown) => words(items, unit.name) },
    series,
  };
}

function words(items: unknown, unit: string): string {
  const list = Array.isArray(items) ? (items as { seriesName?: string; value?: unknown }[]) : [];
  return list
    .map((item) => {
      const value = Array.isArray(item.value) ? (item.value as (number | null)[]) : [];
      const shown = value[1] == null ? "–" : `${number(value[1])} ${unit}`;
      return `${tickTime(Number((value[0] ?? 0).toFixed(2)))}  ${item.seriesName ?? ""}: ${shown}`;
    })
    .join("\n");
}
