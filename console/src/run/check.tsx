// The chart of a quick check: the number of streams of common formats.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { RunPage } from "../data/page";
import type { CheckCount, CheckFacts, CheckFormat } from "../data/summary";
import { chartTable, tableOf } from "../parts/blocks";
import { chartText } from "../parts/text";

export function CheckChart({ run, facts }: { run: RunPage; facts: CheckFacts }) {
  const [, play, record] = tableOf(run, "formats")?.columns ?? [];
  const said = { play: play?.cells ?? [], record: record?.cells ?? [] };
  const option = useMemo(() => (look: Look) => bars(facts.formats, said, look), [facts]);
  const described = facts.formats
    .map((format, at) => `${format.name}: ${said.play[at]} play, ${said.record[at]} record`)
    .join("; ");
  return (
    <div class="grid wide">
      <Chart
        id="check-formats"
        title="Streams by format"
        describe={described || "No format was measured."}
        option={option}
        height={60 + 44 * Math.max(facts.formats.length, 1)}
        table={() => chartTable(run, "formats")}
      />
    </div>
  );
}

/** Whether this many streams are sustained, and did not only pass a short trial. */
function isSustained(found: CheckCount): boolean {
  return found.basis === "held" || found.basis === "sustained_rate";
}

function bars(formats: CheckFormat[], said: { play: string[]; record: string[] }, look: Look): ChartOption {
  const names = formats.map((format) => chartText(format.name, look.width < 500 ? 22 : 44));
  const colours = { play: look.read, record: look.write };
  const series = (["play", "record"] as const).map((work) => ({
    type: "bar" as const,
    name: work,
    barMaxWidth: 18,
    data: formats.map((format) => {
      const found = format[work];
      const open = found != null && (found.at_least || !isSustained(found));
      return {
        value: found?.streams ?? "-",
        itemStyle: {
          color: open ? look.faint : colours[work],
          decal: open
            ? { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -0.8, color: look.ground }
            : undefined,
        },
      };
    }),
    label: {
      show: true,
      position: "right" as const,
      color: look.ink,
      formatter: (bar: { dataIndex: number }) => said[work][bar.dataIndex] ?? "",
    },
  }));
  return {
    legend: { show: true },
    grid: { top: 40, right: 90 },
    xAxis: valueAxis(look, ""),
    yAxis: { ...categoryAxis(look, "", names), inverse: true },
    tooltip: { show: false },
    series,
  };
}
