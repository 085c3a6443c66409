// Counters of host, network, disks and mount. The few that explain the run are small charts with the common time axis;
// the others are in one table with small lines.

import { useMemo, useState } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { tick, tickTime, timeAxis, valueAxis } from "../charts/axes";
import { seriesStyle } from "../charts/palette";
import { Spark, topOf } from "../charts/spark";
import type { Band } from "../charts/bands";
import type { CounterAgent, CounterSeries, Counters } from "../data/page";
import { number } from "../figures/units";
import type { Extent } from "../period";
import { Name } from "../parts/name";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";
import { chartText } from "../parts/text";
import { tells } from "./telling";

const LAYERS: Record<CounterSeries["layer"], string> = {
  host: "This client",
  network: "Network",
  disk: "Disks",
  mount: "Mount",
  tool: "Reelgauge itself",
  other: "Observed",
};

/** The divisor of the raw numbers, and the displayed unit. */
export const UNITS: Record<string, { scale: number; name: string }> = {
  percent: { scale: 1, name: "%" },
  bytes_per_s: { scale: 1e6, name: "MB/s" },
  per_s: { scale: 1, name: "per s" },
  us: { scale: 1, name: "µs" },
  bytes: { scale: 1e6, name: "MB" },
  count: { scale: 1, name: "" },
};

/** The maximum number of lines in one small chart. */
const MOST_LINES = 4;

interface Group {
  id: string;
  title: string;
  unit: string;
  series: CounterSeries[];
}

/** The maximum number of small charts. */
const MOST_TELLING = 3;

/** The maximum number of counters of the table that are drawn at a time. */
const MOST_DRAWN = 4;

interface Props {
  counters: Counters;
  bands: readonly Band[];
  extent: Extent;
  /** The target is on this client, so network counters do not explain anything. */
  isLocal: boolean;
}

/** The charts of all agents, the most informative first, each with its score. */
function ranked({ counters, bands, isLocal }: Omit<Props, "extent">): { group: Group; told: number }[] {
  const groups = counters.agents.flatMap((agent, at) => groupsOfAgent(agent, at, counters.agents.length > 1));
  const told = (one: CounterSeries) => (isLocal && one.layer === "network" ? 0 : tells(one, bands));
  const weight = (group: Group) => group.series.reduce((most, one) => Math.max(most, told(one)), 0);
  return groups.map((group) => ({ group, told: weight(group) })).sort((one, two) => two.told - one.told);
}

function groupsOfAgent(agent: CounterAgent, at: number, many: boolean): Group[] {
  const layers = Object.keys(LAYERS) as CounterSeries["layer"][];
  return layers.flatMap((layer) => {
    const series = agent.series.filter((one) => one.layer === layer);
    const groups = groupsOf(series, `counter-${at}-${layer}`);
    return many ? groups.map((group) => ({ ...group, title: `${agent.agent}: ${group.title}` })) : groups;
  });
}

/** The few counters that changed during the incidents; without incidents, those that changed most. */
export function TellingCounters(props: Props) {
  const shown = useMemo(() => split(props), [props.counters, props.bands, props.isLocal]);
  return (
    <div class="counter-layer">
      {shown.map((group) => (
        <GroupChart key={group.id} group={group} extent={props.extent} />
      ))}
    </div>
  );
}

function split(props: Omit<Props, "extent">): Group[] {
  return ranked(props).filter(({ told }) => told > 0).slice(0, MOST_TELLING).map(({ group }) => group);
}

/** A series with its host. */
interface Listed {
  id: string;
  agent: string;
  series: CounterSeries;
}

/** All other counters in one table. A click draws one. */
export function OtherCounters(props: Props) {
  const rows = useMemo(() => othersOf(props), [props.counters, props.bands, props.isLocal]);
  const [drawn, setDrawn] = useState<readonly string[]>([]);
  const toggle = (id: string) => setDrawn(drawn.includes(id) ? drawn.filter((one) => one !== id) : [...drawn, id].slice(-MOST_DRAWN));
  const notes = props.counters.agents.flatMap((agent) => agent.notes);
  return (
    <>
      <Table caption="Counters" quiet rows={rows} most={60} columns={columnsOf(rows, drawn, toggle)} empty="No other counter was sampled." />
      <div class="counter-layer">
        {rows
          .filter((row) => drawn.includes(row.id))
          .map(({ id, agent, series }) => {
            const title = [agent, series.device, series.label].filter((part) => part !== "").join(": ");
            return <GroupChart key={id} group={{ id, title, unit: series.unit, series: [series] }} extent={props.extent} />;
          })}
      </div>
      {notes.map((note) => (
        <p class="faint" dir="auto">
          {note}
        </p>
      ))}
    </>
  );
}

/** The series without a chart, changing ones first. */
function othersOf(props: Omit<Props, "extent">): Listed[] {
  const shown = new Set(split(props).flatMap((group) => group.series));
  const many = props.counters.agents.length > 1;
  const all = props.counters.agents.flatMap(({ agent, series }, at) =>
    series.map((one, n): Listed => ({ id: `counter-${at}-${n}`, agent: many ? agent : "", series: one })),
  );
  const rest = all.filter(({ series }) => !shown.has(series));
  const isMoving = ({ series }: Listed) => new Set(series.value.filter((value) => value !== null)).size > 1;
  return [...rest.filter(isMoving), ...rest.filter((row) => !isMoving(row))];
}

function columnsOf(rows: readonly Listed[], drawn: readonly string[], toggle: (id: string) => void): Column<Listed>[] {
  const figure = (title: string, of: (values: number[]) => number): Column<Listed> => ({
    title,
    number: true,
    cell: ({ series }) => inUnit(series, of),
  });
  return [
    {
      title: "counter",
      head: true,
      sort: ({ series }) => series.label,
      cell: ({ series }) => <Name text={series.words} length={60} />,
    },
    ...(rows.some((row) => row.agent !== "")
      ? [{ title: "host", sort: (row: Listed) => row.agent, cell: (row: Listed) => <Name text={row.agent} length={32} /> }]
      : []),
    {
      title: "source",
      sort: ({ series }) => whatOf(series),
      cell: ({ series }) => <Name text={whatOf(series)} length={32} />,
    },
    { title: "over time", cell: ({ series }) => <Spark series={series} /> },
    figure("smallest", (values) => Math.min(...values)),
    figure("mean", (values) => values.reduce((one, two) => one + two, 0) / values.length),
    figure("largest", (values) => Math.max(...values)),
    {
      title: "chart",
      cell: ({ id, series }) => (
        <button type="button" class="small" aria-pressed={drawn.includes(id)} aria-label={`Draw ${series.words}`} onClick={() => toggle(id)}>
          {drawn.includes(id) ? "hide" : "draw"}
        </button>
      ),
    },
  ];
}

/** The device of the counter; the name of its layer if it has none. */
function whatOf({ device, layer }: CounterSeries): string {
  return device === "" ? (LAYERS[layer] ?? "") : device;
}

function inUnit({ unit, value }: CounterSeries, of: (values: number[]) => number): string {
  const { scale, name } = UNITS[unit] ?? { scale: 1, name: unit };
  const values = value.filter((one) => one !== null);
  return values.length === 0 ? "–" : `${number(of(values) / scale)} ${name}`.trim();
}

/** Series of one device with the same unit share a chart. Series without a device get a chart each. */
export function groupsOf(series: CounterSeries[], id: string): Group[] {
  const groups: Group[] = [];
  for (const one of series) {
    const title = `${one.device}, ${titleOf(one.unit)}`;
    const group = groups.find(
      (known) => one.device !== "" && known.title === title && known.unit === one.unit && known.series.length < MOST_LINES,
    );
    if (group === undefined)
      groups.push({ id: `${id}-${groups.length}`, title, unit: one.unit, series: [one] });
    else group.series.push(one);
  }
  // Two charts never have the same name: if several belong to one device, each is named after its first line.
  const isAlone = (group: Group) => groups.filter((other) => other.title === group.title).length === 1;
  return groups.map((group) => {
    const first = group.series[0];
    if (first === undefined || (group.series.length > 1 && isAlone(group))) return group;
    return { ...group, title: first.label };
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
    return `${one.label}: ${values.length === 0 ? "no samples" : `peak ${number(most / unit.scale)} ${unit.name}`}`;
  });
  return (
    <Chart
      id={group.id}
      title={chartText(group.title, 60)}
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
      // A value covers the time since the previous point.
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
  const values = group.series.flatMap((one) => one.value.filter((value) => value !== null));
  return {
    xAxis: timeAxis(look),
    yAxis: {
      ...valueAxis(look, unit.name, { room: true, min: 0, ...(group.unit === "percent" && topOf(group.unit, values) === 100 ? { max: 100 } : {}), format: tick }),
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
