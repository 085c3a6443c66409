// The load points, one row each, as the terminal's table has them: in streams where the run is told in
// streams.

import type { LoadPoint, Summary } from "../data/summary";
import { columnText } from "../figures/column";
import { count, counted } from "../figures/units";
import { GLOSSARY } from "../parts/glossary";
import { Figure } from "../parts/figure";
import { Percentile } from "../parts/percentile";
import { Name, Said } from "../parts/name";
import { Missing, Section } from "../parts/section";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";
import { criteria, criteriaWord } from "./verdict-word";

interface Row {
  point: LoadPoint;
  /** Its place in summary.load_points. */
  at: number;
}

export function PointsSection({ summary }: { summary: Summary }) {
  const rows = summary.load_points.map((point, at) => ({ point, at }));
  const ended = rows.filter(({ point }) => point.ended_early !== null);
  return (
    <Section id="points" title={rows.length > 1 ? "Load points" : "Load point"}>
      {rows.length === 0 ? (
        <Missing>No load point was finished, so there are no figures.</Missing>
      ) : (
        <Table
          caption="Load points"
          quiet
          most={12}
          rows={rows}
          columns={columnsOf(rows)}
          rowClass={({ point }) => (criteria(point.verdict, point.culprit) === "not_met" ? "bad" : "")}
        />
      )}
      {ended.map(({ point }) => (
        <p class="bad" dir="auto">
          <Name text={point.label} /> ended early: <Said text={point.ended_early ?? ""} />
        </p>
      ))}
    </Section>
  );
}

type Of = (point: LoadPoint) => number | null | undefined;

/** A column of a figure; its decimals are those of the whole column, as in the terminal. */
function figures(rows: Row[], title: string, path: string, of: Of, scale = 1, help?: string): Column<Row> {
  const text = columnText(
    rows.map(({ point }) => of(point)),
    scale,
  );
  return {
    title,
    number: true,
    sort: ({ point }) => of(point) ?? null,
    cell: ({ point, at }) => <Figure path={`load_points.${at}.${path}`} value={of(point)} text={text} />,
    ...(help === undefined ? {} : { help }),
  };
}

/** A column of times in ms, as far as the count of operations carries the percentile. */
function percentiles(rows: Row[], title: string, path: string, of: Of, percentile: number, operations: Of): Column<Row> {
  const text = columnText(
    rows.map(({ point }) => of(point)),
    1e3,
  );
  const cell = ({ point, at }: Row) => (
    <Percentile
      path={`load_points.${at}.${path}`}
      value={of(point)}
      text={text}
      percentile={percentile}
      operations={operations(point) ?? 0}
    />
  );
  return { ...figures(rows, title, path, of, 1e3), cell };
}

function counts(title: string, path: string, of: Of): Column<Row> {
  return {
    title,
    number: true,
    sort: ({ point }) => of(point) ?? null,
    cell: ({ point, at }) => <Figure path={`load_points.${at}.${path}`} value={of(point)} text={count} />,
  };
}

function columnsOf(rows: Row[]): Column<Row>[] {
  const points = rows.map(({ point }) => point);
  const inStreams = points.some((point) => point.stream_count != null);
  const hasFrames = points.some((point) => point.streams != null);
  const onlyWorkers = points.every(
    (point) => point.label === "" || point.label === counted(point.workers, "worker"),
  );
  const columns: Column<Row>[] = [];
  columns.push({ title: "#", number: true, head: true, cell: (_, index) => index + 1 });
  if (!onlyWorkers)
    columns.push({ title: "load point", cell: ({ point }) => <Name text={point.label} length={36} /> });
  if (inStreams) columns.push(counts("streams", "stream_count", (point) => point.stream_count));
  else columns.push(counts("workers", "workers", (point) => point.workers));
  columns.push(figures(rows, "measured, s", "measured_s", (point) => point.measured_s));
  if (hasFrames) columns.push(...frameColumns(rows));
  columns.push(...rateColumns(rows, hasFrames));
  columns.push(counts("errors", "total.failed_ops", (point) => point.total.failed_ops));
  if (points.some((point) => point.verdict != null)) {
    columns.push({ title: "criteria", cell: ({ point }) => criteriaWord(point.verdict, point.culprit) });
  }
  return columns;
}

function frameColumns(rows: Row[]): Column<Row>[] {
  const margin: Of = (point) => point.streams?.total.worst_margin?.margin_us;
  const p99: Of = (point) => point.streams?.total.response?.p99_us;
  const frames: Of = (point) => point.streams?.total.response?.count;
  return [
    counts("frames", "streams.total.frames_judged", (point) => point.streams?.total.frames_judged),
    counts("late frames", "streams.total.late_frames", (point) => point.streams?.total.late_frames),
    figures(
      rows,
      "worst margin, ms",
      "streams.total.worst_margin.margin_us",
      margin,
      1e3,
      "Time that the frame which came closest to its deadline had left; below 0 it was late",
    ),
    {
      ...percentiles(rows, "frame p99, ms", "streams.total.response.p99_us", p99, 99, frames),
      help: GLOSSARY["frame p99"],
    },
  ];
}

function rateColumns(rows: Row[], hasFrames: boolean): Column<Row>[] {
  const columns = [
    figures(rows, "read, MB/s", "total.read_bytes_per_s", (point) => point.total.read_bytes_per_s, 1e6),
    figures(
      rows,
      "write, MB/s",
      "total.written_bytes_per_s",
      (point) => point.total.written_bytes_per_s,
      1e6,
    ),
  ];
  if (hasFrames) return columns;
  const data =
    (of: "p50_us" | "p99_us" | "max_us" | "count"): Of =>
    (point) =>
      point.total.response.data?.[of];
  return [
    ...columns,
    figures(rows, "ops/s", "total.data_ops_per_s", (point) => point.total.data_ops_per_s),
    percentiles(rows, "op p50, ms", "total.response.data.p50_us", data("p50_us"), 50, data("count")),
    {
      ...percentiles(rows, "op p99, ms", "total.response.data.p99_us", data("p99_us"), 99, data("count")),
      help: GLOSSARY["op p99"],
    },
    figures(rows, "op max, ms", "total.response.data.max_us", data("max_us"), 1e3),
  ];
}
