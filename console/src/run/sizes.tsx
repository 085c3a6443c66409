// The sizes of requests, and their frequency.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { BarSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { Detail, SizeCounts } from "../data/page";
import { blockSize, counted } from "../figures/units";
import { Section } from "../parts/section";

export function SizesSection({ detail }: { detail: Detail }) {
  const { sizes } = detail;
  const option = useMemo(() => (look: Look) => draw(look, sizes), [sizes]);
  const said = sizes.map((one) => {
    const most = one.count.indexOf(one.count.reduce((a, b) => Math.max(a, b), 0));
    return `${one.kind}s: ${counted(one.bytes.length, "size")}, most often ${blockSize(one.bytes[most] ?? 0)}`;
  });
  const rounded = sizes.some((one) => one.rounded);
  return (
    <Section id="sizes" title="Transfer sizes">
      <Chart
        id="transfer-sizes"
        title="Reads and writes by size"
        describe={`${said.join("; ")}.`}
        option={option}
        note={
          rounded
            ? "Many sizes: each is rounded up to a power of two."
            : "Requested sizes."
        }
        table={() => ({
          columns: ["kind", "size, bytes", "operations"],
          rows: sizes.flatMap((one) => one.bytes.map((bytes, at) => [one.kind, bytes, one.count[at] ?? 0])),
        })}
      />
    </Section>
  );
}

function draw(look: Look, sizes: SizeCounts[]): ChartOption {
  const all = [...new Set(sizes.flatMap((one) => one.bytes))].sort((one, two) => one - two);
  const series: BarSeriesOption[] = sizes.map((one) => {
    const byBytes = new Map(one.bytes.map((bytes, at) => [bytes, one.count[at] ?? 0]));
    const write = one.kind === "write";
    return {
      type: "bar",
      name: `${one.kind}s`,
      barMaxWidth: 40,
      itemStyle: {
        color: write ? look.write : look.read,
        ...(write
          ? {
              decal: {
                symbol: "rect",
                dashArrayX: [1, 0],
                dashArrayY: [2, 4],
                rotation: 0.8,
                color: look.ground,
              },
            }
          : {}),
      },
      data: all.map((bytes) => byBytes.get(bytes) ?? 0),
    };
  });
  return {
    xAxis: categoryAxis(
      look,
      "",
      all.map((bytes) => blockSize(bytes)),
    ),
    yAxis: { ...valueAxis(look, "operations"), min: 0 },
    grid: { top: 48 },
    tooltip: {
      axisPointer: { type: "shadow" },
      valueFormatter: (value: unknown) => counted(Number(value), "operation"),
    },
    series,
  };
}
