// The load curve of a VDA-like run: op rate and response time against streams, knee, validity, and what of
// it may be said. That it is no published benchmark's result stands on everything that shows it.

import { useMemo } from "preact/hooks";
import { Chart } from "../charts/chart";
import type { ChartOption, Look } from "../charts/chart";
import type { LineSeriesOption } from "../charts/echarts";
import { categoryAxis, valueAxis } from "../charts/axes";
import type { LoadPoint, VdaFacts, VdaPoint } from "../data/summary";
import { columnText } from "../figures/column";
import { count, number } from "../figures/units";
import { Figure, Tile, Tiles } from "../parts/figure";
import { Term } from "../parts/glossary";
import { Name, Prose, Said } from "../parts/name";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";
import { cut } from "../parts/text";

export function VdaSection({ facts, points }: { facts: VdaFacts; points: LoadPoint[] }) {
  const rates = useMemo(() => (look: Look) => rateChart(facts, look), [facts]);
  const responses = useMemo(() => (look: Look) => responseChart(facts, points, look), [facts, points]);
  const knee = facts.knee_point === null ? undefined : facts.points[facts.knee_point];
  const valid = facts.points.filter((point) => point.valid).length;
  return (
    <Section
      id="vda"
      title={`Load curve (${cut(facts.label, 60)})`}
      about={<Said text={facts.data_set_note} />}
    >
      <Tiles>
        <Tile name="Overall response time">
          <Figure
            path="vda.overall_response_time_ms"
            value={facts.overall_response_time_ms}
            text={number}
            unit="ms"
          />
        </Tile>
        <Tile name={<Term word="knee">Knee</Term>}>
          {knee === undefined ? "none" : `${count(knee.streams)} streams`}
          {knee !== undefined && knee.mean_response_ms !== null && (
            <small>{number(knee.mean_response_ms)} ms there</small>
          )}
        </Tile>
        <Tile name="Valid load points" tone={valid === facts.points.length ? "good" : "bad"}>
          {count(valid)} <small>of {count(facts.points.length)}</small>
        </Tile>
      </Tiles>
      {facts.ort_note !== null && <Prose text={facts.ort_note} />}
      <div class="grid">
        <Chart
          id="vda-rate"
          title={`Operations asked for and achieved (${cut(facts.label, 60)})`}
          describe={facts.points
            .map(
              (point) =>
                `${count(point.streams)} streams: ${number(point.achieved_ops_per_s)} of ${number(point.requested_ops_per_s)} op/s`,
            )
            .join("; ")}
          option={rates}
          table={() => tableOf(facts, points)}
        />
        <Chart
          id="vda-response"
          title={`Mean response time (${cut(facts.label, 60)})`}
          describe={facts.points
            .map(
              (point) =>
                `${count(point.streams)} streams: ${point.mean_response_ms === null ? "nothing" : number(point.mean_response_ms)} ms`,
            )
            .join("; ")}
          option={responses}
          table={() => tableOf(facts, points)}
        />
      </div>
      <Table
        caption={`Load points (${cut(facts.label, 60)})`}
        rows={facts.points.map((point, at) => ({ point, at }))}
        columns={columnsOf(facts.points, points)}
        rowClass={({ point }) => (point.valid ? "" : "bad")}
      />
      {facts.uneven_steps.length > 0 && (
        <p>
          Uneven steps: <Said text={facts.uneven_steps.join("; ")} />.
        </p>
      )}
    </Section>
  );
}

interface Row {
  point: VdaPoint;
  at: number;
}

type Field =
  "requested_ops_per_s" | "achieved_ops_per_s" | "mean_response_ms" | "written_mib_per_s" | "read_mib_per_s";

/** Whether a load point ended before its time: it is neither valid nor not. */
function isCutOff(point: LoadPoint | undefined): boolean {
  return point !== undefined && point.ended_early !== null;
}

function validWord(point: VdaPoint, measured: LoadPoint | undefined): string {
  if (point.valid) return "yes";
  return isCutOff(measured) ? "not known" : "NO";
}

/** A load point that was stopped before anything was finished achieved nothing that is known. */
function achieved(point: VdaPoint, measured: LoadPoint | undefined): number | null {
  return isCutOff(measured) && measured?.total.ops === 0 ? null : point.achieved_ops_per_s;
}

function columnsOf(points: VdaPoint[], measured: LoadPoint[]): Column<Row>[] {
  const figure = (title: string, field: Field): Column<Row> => {
    const text = columnText(points.map((point) => point[field]));
    return {
      title,
      number: true,
      cell: ({ point, at }) => <Figure path={`vda.points.${at}.${field}`} value={point[field]} text={text} />,
    };
  };
  return [
    {
      title: "streams",
      number: true,
      head: true,
      cell: ({ point, at }) => (
        <Figure path={`vda.points.${at}.streams`} value={point.streams} text={count} />
      ),
    },
    figure("asked for, op/s", "requested_ops_per_s"),
    achievedColumn(points, measured),
    figure("mean response, ms", "mean_response_ms"),
    figure("written, MiB/s", "written_mib_per_s"),
    figure("read, MiB/s", "read_mib_per_s"),
    {
      title: "valid",
      cell: ({ point, at }) => {
        const word = validWord(point, measured[at]);
        const why = point.why_not ?? "no reason is known";
        return point.valid ? word : <Name text={`${word}: ${why}`} length={160} />;
      },
    },
  ];
}

function achievedColumn(points: VdaPoint[], measured: LoadPoint[]): Column<Row> {
  const text = columnText(points.map((point, at) => achieved(point, measured[at])));
  return {
    title: "achieved, op/s",
    number: true,
    cell: ({ point, at }) =>
      achieved(point, measured[at]) === null ? (
        <>–</>
      ) : (
        <Figure path={`vda.points.${at}.achieved_ops_per_s`} value={point.achieved_ops_per_s} text={text} />
      ),
  };
}

function tableOf(facts: VdaFacts, points: LoadPoint[]) {
  return {
    columns: [
      "streams",
      "asked for, op/s",
      "achieved, op/s",
      "mean response, ms",
      "written, MiB/s",
      "read, MiB/s",
      "valid",
    ],
    rows: facts.points.map((point, at) => [
      point.streams,
      point.requested_ops_per_s,
      achieved(point, points[at]),
      point.mean_response_ms,
      point.written_mib_per_s,
      point.read_mib_per_s,
      validWord(point, points[at]),
    ]),
  };
}

function rateChart(facts: VdaFacts, look: Look): ChartOption {
  const line = (
    name: string,
    values: number[],
    color: string,
    dash: "solid" | number[],
    symbol: string,
  ): LineSeriesOption => ({
    type: "line",
    name,
    data: values,
    symbol,
    symbolSize: 9,
    itemStyle: { color },
    lineStyle: { color, type: dash, width: 2 },
  });
  return {
    ...frame(facts, look, "op/s", (value) => `${number(value)} op/s`),
    series: [
      line(
        "asked for",
        facts.points.map((point) => point.requested_ops_per_s),
        look.faint,
        [6, 4],
        "emptyCircle",
      ),
      line(
        "achieved",
        facts.points.map((point) => point.achieved_ops_per_s),
        look.read,
        "solid",
        "circle",
      ),
    ],
  };
}

function responseChart(facts: VdaFacts, points: LoadPoint[], look: Look): ChartOption {
  const series: LineSeriesOption = {
    type: "line",
    name: "mean response",
    symbolSize: 9,
    itemStyle: { color: look.both },
    lineStyle: { color: look.both, width: 2 },
    data: facts.points.map((point, at) => ({
      value: point.mean_response_ms,
      symbol: point.valid ? "circle" : isCutOff(points[at]) ? "diamond" : "triangle",
      itemStyle: { color: point.valid ? look.both : isCutOff(points[at]) ? look.faint : look.bad },
      label:
        at === facts.knee_point
          ? { show: true, formatter: "knee", position: "top" as const, color: look.ink }
          : undefined,
    })),
  };
  if (facts.overall_response_time_ms !== null) {
    series.markLine = {
      symbol: "none",
      silent: true,
      lineStyle: { color: look.mark, type: "dashed" },
      label: {
        formatter: `overall ${number(facts.overall_response_time_ms)} ms`,
        position: "insideEndTop",
        color: look.mark,
      },
      data: [{ yAxis: facts.overall_response_time_ms }],
    };
  }
  return { ...frame(facts, look, "ms", (value) => `${number(value)} ms`), series: [series] };
}

function frame(facts: VdaFacts, look: Look, unit: string, say: (value: number) => string): ChartOption {
  return {
    xAxis: categoryAxis(
      look,
      "streams",
      facts.points.map((point) => count(point.streams)),
    ),
    yAxis: { ...valueAxis(look, unit), min: 0 },
    grid: { bottom: 24, top: 48 },
    tooltip: { valueFormatter: (value: unknown) => (typeof value === "number" ? say(value) : "–") },
  };
}
