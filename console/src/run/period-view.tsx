// Statistics for the period in view. They are computed from bins, and state the size of the bins.

import type { ComponentChildren } from "preact";
import { tickTime } from "../charts/axes";
import type { Detail, LatencySide } from "../data/page";
import { amount, count, duration, mbPerS } from "../figures/units";
import { period } from "../period";
import { Section } from "../parts/section";
import { Tile, Tiles } from "../parts/figure";
import type { Flow } from "./over-time";
import { flowStats, latencyStats } from "./period-stats";
import type { LatencyStats, Within } from "./period-stats";

export function PeriodStats({ flow, detail }: { flow: Flow; detail: Detail | null }) {
  const chosen = period.value;
  const stats = flowStats(flow, chosen);
  const at = (seconds: number) => tickTime(Number(seconds.toFixed(3)));
  return (
    <Section
      id="period"
      title="Period in view"
      about={`${at(stats.span.from_s)} to ${at(stats.span.to_s)}, in whole bins of ${at(flow.time.bin_s)}. Operations and bytes include warm-up; latencies do not.`}
    >
      <Tiles>
        <Tile name="Operations">
          {count(stats.ops)}
          <small>
            {count(stats.failed_ops)} failed, {count(stats.warmup_ops)} warm-up
          </small>
        </Tile>
        <Tile name="Read">
          {rate(stats.read_bytes_per_s)}
          <small>{amount(stats.read_bytes)}</small>
        </Tile>
        <Tile name="Written">
          {rate(stats.written_bytes_per_s)}
          <small>{amount(stats.written_bytes)}</small>
        </Tile>
        <Tile name="Longest gap without data">
          {stats.longest_pause_s > 0 ? duration(stats.longest_pause_s * 1e6) : "none"}
        </Tile>
      </Tiles>
      {detail !== null && <Latencies detail={detail} />}
    </Section>
  );
}

function rate(bytesPerS: number | null): ComponentChildren {
  if (bytesPerS === null) return "–";
  return (
    <>
      {mbPerS(bytesPerS)} <span class="unit">MB/s</span>
    </>
  );
}

function Latencies({ detail }: { detail: Detail }) {
  const of = (side: LatencySide) => latencyStats(side, detail.time, period.value);
  const rows = [
    { name: "reads", stats: of(detail.latency.reads) },
    { name: "writes", stats: of(detail.latency.writes) },
  ].filter(({ stats }) => stats.count > 0);
  const what = detail.measure === "response" ? "Response times" : "Service times";
  if (rows.length === 0) return <p class="missing">No reads or writes in this period.</p>;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`${what} in the period, table`}>
      <table>
        <caption>{what} in the period; percentiles are accurate to one bin (19 %)</caption>
        <thead>
          <tr>
            <th scope="col">kind</th>
            {["count", "mean", "p50", "p99", "longest"].map((title) => (
              <th scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, stats }) => (
            <LatencyRow name={name} stats={stats} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function LatencyRow({ name, stats }: { name: string; stats: LatencyStats }) {
  const within = (found: Within | null) =>
    found === null ? "–" : `${duration(found.from_us)} to ${duration(found.to_us)}`;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{count(stats.count)}</td>
      <td class="number">{stats.mean_us === null ? "–" : duration(stats.mean_us)}</td>
      <td class="number">{within(stats.p50)}</td>
      <td class="number">{within(stats.p99)}</td>
      <td class="number">{stats.max_us === null ? "–" : duration(stats.max_us)}</td>
    </tr>
  );
}
