// Every stream of a load point, one row each, in the terminal's order: the worst first.

import { useMemo } from "preact/hooks";
import type { PointStreams } from "../data/page";
import type { LateFigures, StreamFigures } from "../data/summary";
import { columnText } from "../figures/column";
import { count, moment } from "../figures/units";
import type { Extent } from "../period";
import { showMoment } from "../period";
import { Figure } from "../parts/figure";
import { Percentile } from "../parts/percentile";
import { Name } from "../parts/name";
import { reveal } from "../parts/unfold";
import { Table } from "../parts/table";
import { chosenStream } from "../view";
import type { Column } from "../parts/table";

interface Row {
  stream: StreamFigures;
  /** Its index in the load point's list. */
  n: number;
}

interface TableProps {
  figures: LateFigures;
  at: number;
  extent: Extent | null;
  detail: PointStreams | null;
}

export function StreamTable({ figures, at, extent, detail }: TableProps) {
  const rows = useMemo(() => orderedRows(figures.streams), [figures]);
  const late = rows.some(({ stream }) => stream.late_frames > 0);
  const leads = extent !== null && detail !== null;
  return (
    <Table
      caption={
        late
          ? "Streams, most late frames first"
          : "Streams, smallest margin first"
      }
      rows={rows}
      columns={columnsOf(rows, at, leads ? extent : null)}
      most={20}
      rowClass={({ stream }) => rowClass(stream)}
    />
  );
}

function rowClass(stream: StreamFigures): string {
  const chosen = stream.stream === chosenStream.value ? " chosen" : "";
  return (stream.late_frames > 0 ? "bad" : "") + chosen;
}

/** In the terminal's order: most late frames, then smallest margin, then number. */
function orderedRows(streams: StreamFigures[]): Row[] {
  const margin = (one: Row) => one.stream.worst_margin?.margin_us ?? Infinity;
  const rows = streams.map((stream, n) => ({ stream, n }));
  return rows.sort(
    (one, two) =>
      two.stream.late_frames - one.stream.late_frames ||
      (margin(one) === margin(two) ? 0 : margin(one) - margin(two)) ||
      one.stream.stream - two.stream.stream,
  );
}

/** A column with the host of each stream, in a run of several hosts. */
function byHost(rows: Row[]): Column<Row>[] {
  if (rows.every((row) => row.stream.agent == null)) return [];
  const agent = (row: Row) => row.stream.agent ?? "";
  return [{ title: "host", sort: agent, cell: (row) => <Name text={agent(row)} length={32} empty="" /> }];
}

type Of = (stream: StreamFigures) => number | null | undefined;

function columnsOf(rows: Row[], at: number, extent: Extent | null): Column<Row>[] {
  const path = (row: Row, field: string) => `load_points.${at}.streams.streams.${row.n}.${field}`;
  const counts = (title: string, field: string, of: Of): Column<Row> => ({
    title,
    number: true,
    sort: (row) => of(row.stream) ?? null,
    cell: (row) => <Figure path={path(row, field)} value={of(row.stream)} text={count} />,
  });
  const times = (title: string, field: string, of: Of, scale: number): Column<Row> => {
    const text = columnText(
      rows.map((row) => of(row.stream)),
      scale,
    );
    return {
      title,
      number: true,
      sort: (row) => of(row.stream) ?? null,
      cell: (row) => <Figure path={path(row, field)} value={of(row.stream)} text={text} />,
    };
  };
  const longest = columnText(rows.map(({ stream }) => longestOf(stream)?.length_s));
  const columns: Column<Row>[] = [
    {
      title: "stream",
      head: true,
      sort: (row) => row.stream.stream,
      cell: (row) => (
        <>
          {row.stream.stream} <Name text={row.stream.name} length={48} empty="" />
        </>
      ),
    },
    ...byHost(rows),
    counts("frames", "frames_judged", (stream) => stream.frames_judged),
    counts("late", "late_frames", (stream) => stream.late_frames),
    counts("dropped", "dropped_frames", (stream) => stream.dropped_frames),
    counts("late bursts", "late_runs", (stream) => stream.late_runs),
    {
      title: "longest, s",
      number: true,
      sort: ({ stream }) => longestOf(stream)?.length_s ?? null,
      cell: (row) => <Longest row={row} path={path} text={longest} />,
    },
    { title: "first late", cell: ({ stream }) => <FirstLate stream={stream} extent={extent} /> },
    times("worst margin, ms", "worst_margin.margin_us", (stream) => stream.worst_margin?.margin_us, 1e3),
    p99Column(rows, path, times("frame p99, ms", "response.p99_us", (stream) => stream.response?.p99_us, 1e3)),
    times("MB/s", "bytes_per_s", (stream) => stream.bytes_per_s, 1e6),
    times(
      "lowest over the buffer, MB/s",
      "throughput.min_bytes_per_s",
      (stream) => stream.throughput?.min_bytes_per_s,
      1e6,
    ),
  ];
  const none = (of: Of) => rows.every((row) => (of(row.stream) ?? 0) === 0);
  const idle = new Set<string>();
  if (none((stream) => stream.dropped_frames)) idle.add("dropped");
  if (none((stream) => stream.late_frames))
    ["late bursts", "longest, s", "first late"].forEach((title) => idle.add(title));
  return columns.filter((column) => !idle.has(column.title));
}

function p99Column(rows: Row[], path: (row: Row, field: string) => string, column: Column<Row>): Column<Row> {
  const text = columnText(
    rows.map(({ stream }) => stream.response?.p99_us),
    1e3,
  );
  const cell = (row: Row) => (
    <Percentile
      path={path(row, "response.p99_us")}
      value={row.stream.response?.p99_us}
      text={text}
      percentile={99}
      operations={row.stream.response?.count ?? 0}
    />
  );
  return { ...column, cell };
}

function longestOf(stream: StreamFigures): { length_s: number; n: number } | null {
  let longest: { length_s: number; n: number } | null = null;
  stream.worst_late_runs.forEach((late_run, n) => {
    if (longest === null || late_run.length_s > longest.length_s)
      longest = { length_s: late_run.length_s, n };
  });
  return longest;
}

interface LongestProps {
  row: Row;
  path: (row: Row, field: string) => string;
  text: (value: number) => string;
}

function Longest({ row, path, text }: LongestProps) {
  const longest = longestOf(row.stream);
  if (longest === null) return <>–</>;
  return (
    <Figure path={path(row, `worst_late_runs.${longest.n}.length_s`)} value={longest.length_s} text={text} />
  );
}

function FirstLate({ stream, extent }: { stream: StreamFigures; extent: Extent | null }) {
  const first = stream.first_late;
  if (first === null) return <>–</>;
  const words = `frame ${count(first.frame)}, ${moment(first.deadline_s)}`;
  if (extent === null) return <>{words}</>;
  const show = () => {
    showMoment(extent, first.deadline_s, first.deadline_s, Math.max(1, stream.buffer_s));
    chosenStream.value = stream.stream;
    reveal("stream-strips");
  };
  return (
    <button
      type="button"
      class="link"
      onClick={show}
      aria-label={`${words}: show this moment of stream ${stream.stream}`}
    >
      {words}
    </button>
  );
}
