// A first look: how many streams of everyday formats, and what one client reads and writes.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { CheckCount, CheckFacts, CheckFormat } from "../data/summary";
import { columnText } from "../figures/column";
import { count, moment, number } from "../figures/units";
import { Figure, Tile, Tiles } from "../parts/figure";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import { chartText } from "../parts/text";

export function CheckSection({ facts }: { facts: CheckFacts }) {
  const rows = facts.formats.map((format, at) => ({ format, at }));
  const needs = columnText(facts.formats.map((format) => format.needed_mb_per_s_each));
  const option = useMemo(() => (look: Look) => bars(facts.formats, look), [facts]);
  const described = facts.formats
    .map((format) => `${format.name}: ${counted(format.play)} play, ${counted(format.record)} record`)
    .join("; ");
  return (
    <Section
      id="check"
      title="Streams without a late frame"
      about={
        <>
          A look of <Figure path="check.looked_s" value={facts.looked_s} text={moment} /> only; caches that
          fill up and other users show later. <Name text={facts.mount} />
          {facts.link != null && (
            <>
              , over <Name text={facts.link} />
            </>
          )}
          .
        </>
      }
    >
      {facts.unsteady != null && (
        <p class="bad">
          <Name text={facts.unsteady} />
        </p>
      )}
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
        <Table
          caption="Formats"
          rows={rows}
          columns={[
            { title: "format", head: true, cell: ({ format }) => <Name text={format.name} /> },
            ...(["play", "record"] as const).map((work) => ({
              title: work,
              number: true,
              sort: ({ format }: Row) => format[work]?.streams ?? null,
              cell: ({ format, at }: Row) => <Count path={`check.formats.${at}.${work}`} found={format[work]} />,
            })),
            {
              title: "each needs, MB/s",
              number: true,
              sort: ({ format }) => format.needed_mb_per_s_each,
              cell: ({ format, at }) => (
                <Figure
                  path={`check.formats.${at}.needed_mb_per_s_each`}
                  value={format.needed_mb_per_s_each}
                  text={needs}
                />
              ),
            },
            { title: "limited by", cell: ({ format }) => <Name text={limitedBy(format)} /> },
          ]}
        />
      </div>
      <Client facts={facts} />
    </Section>
  );
}

interface Row {
  format: CheckFormat;
  at: number;
}

/** A count with its error, as the terminal says it. */
function counted(found: CheckCount | null): string {
  if (found == null) return "not measured";
  if (isNotKnown(found)) return "not known";
  if (found.at_least) return `at least ${count(found.streams)}`;
  return count(found.streams) + (found.error_streams > 0 ? ` ± ${count(found.error_streams)}` : "");
}

/** At least none: that is always so. */
function isNotKnown(found: CheckCount): boolean {
  return found.at_least && found.streams === 0;
}

function Count({ path, found }: { path: string; found: CheckCount | null }) {
  if (found == null) return <>not measured</>;
  if (isNotKnown(found)) return <>not known</>;
  return (
    <>
      {found.at_least ? "at least " : ""}
      <Figure path={`${path}.streams`} value={found.streams} text={count} />
      {!found.at_least && found.error_streams > 0 ? ` ± ${count(found.error_streams)}` : ""}
    </>
  );
}

function limitedBy(format: CheckFormat): string {
  return (format.play ?? format.record)?.limited_by ?? "";
}

function Client({ facts }: { facts: CheckFacts }) {
  const tiles: [string, keyof CheckFacts & string, number | null | undefined, string][] = [
    ["Reads in sequence", "sequential_read_mb_per_s", facts.sequential_read_mb_per_s, "MB/s"],
    ["Reads at random, 64 KiB", "random_read_mb_per_s", facts.random_read_mb_per_s, "MB/s"],
    ["99 of 100 of these within", "random_read_ms_p99", facts.random_read_ms_p99, "ms"],
    ["Writes in sequence", "sequential_write_mb_per_s", facts.sequential_write_mb_per_s, "MB/s"],
    ["The link carries about", "line_rate_mb_per_s", facts.line_rate_mb_per_s, "MB/s"],
  ];
  return (
    <>
      <h3>One client</h3>
      <Tiles>
        {tiles.map(([name, field, value, unit]) => (
          <Tile name={name}>
            <Figure path={`check.${field}`} value={value} text={number} unit={unit} />
          </Tile>
        ))}
      </Tiles>
    </>
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
      return {
        value: found?.streams ?? "-",
        itemStyle: {
          color: found?.at_least ? look.faint : colours[work],
          decal: found?.at_least
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
