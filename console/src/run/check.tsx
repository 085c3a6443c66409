// A first look, drawn: how many streams of everyday formats.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { CheckFacts, CheckFormat } from "../data/summary";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { chartText } from "../parts/text";
import { counted, isSustained, limitedBy } from "./check-table";

export function CheckSection({ facts }: { facts: CheckFacts }) {
  const option = useMemo(() => (look: Look) => bars(facts.formats, look), [facts]);
  const described = facts.formats
    .map((format) => `${format.name}: ${counted(format.play)} play, ${counted(format.record)} record`)
    .join("; ");
  return (
    <Section
      id="check"
      title="Chart by format"
      about={
        <>
          <Name text={facts.mount} />
          {facts.link != null && (
            <>
              , over <Name text={facts.link} />
            </>
          )}
          .
        </>
      }
    >
      <div class="grid wide">
        <Chart
          id="check-formats"
          title="Streams by format"
          describe={described || "No format was measured."}
          option={option}
          height={60 + 44 * Math.max(facts.formats.length, 1)}
          table={() => ({
            columns: ["format", "play", "record", "each needs, MB/s", "limited by"],
            rows: facts.formats.map((one) => [
              one.name,
              counted(one.play),
              counted(one.record),
              one.needed_mb_per_s_each,
              limitedBy(one),
            ]),
          })}
        />
      </div>
    </Section>
  );
}

function bars(formats: CheckFormat[], look: Look): ChartOption {
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
      formatter: (bar: { dataIndex: number }) => counted(formats[bar.dataIndex]?.[work] ?? null),
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
