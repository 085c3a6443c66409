// The machines of a run that several made: a row for each, for groups and targets, for all, and for all without those
// that stand out. Machines of which something is to be said come first.

import type { ComponentChildren } from "preact";
import type { Detail } from "../data/page";
import type { HostFigures, HostsSection, LoadPoint, PartFigures, PointHosts, RunHost } from "../data/summary";
import { columnText } from "../figures/column";
import { carried } from "../figures/percentile";
import { count, duration, mbPerS, moment, percent } from "../figures/units";
import { Figure } from "../parts/figure";
import { Name } from "../parts/name";
import { Percentile } from "../parts/percentile";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";
import type { Extent } from "../period";
import { HostBars } from "./host-bars";
import { HostLines } from "./host-lines";
import { Nics } from "./nics";
import { PointPick, usePoint } from "./point-pick";

interface Props {
  section: HostsSection;
  points: LoadPoint[];
  detail: Detail | null;
  extent: Extent | null;
}

export function MachinesSection({ section, points, detail, extent }: Props) {
  const there = points.map((point, at) => ({ point, at }));
  const failed = points.findIndex((point) => point.verdict?.passed === false);
  const chosen = usePoint(there, failed < 0 ? points.length - 1 : failed);
  const n = section.points.findIndex((hosts) => hosts.point === chosen);
  const hosts = section.points[n];
  if (hosts === undefined) return null;
  const rows = rowsOf(section, hosts, `hosts.points.${n}`);
  return (
    <Section id="hosts" title="Hosts" about={<About section={section} hosts={hosts} />}>
      {detail !== null && extent !== null && <HostLines section={section} detail={detail} extent={extent} />}
      <PointPick points={there} chosen={chosen} />
      <HostBars key={`bars ${chosen}`} section={section} hosts={hosts} />
      <Table
        key={chosen}
        caption="Hosts"
        quiet
        rows={rows}
        columns={columnsOf(rows)}
        most={40}
        rowClass={(row) => (row.bad ? "bad" : row.host === null ? "chosen" : "")}
      />
      {hosts.hosts.map((figures, at) => (
        <StandsOut host={section.hosts[at]} figures={figures} />
      ))}
      <Nics key={`nics ${chosen}`} nics={hosts.nics ?? []} path={`hosts.points.${n}.nics`} />
    </Section>
  );
}

function About({ section, hosts }: { section: HostsSection; hosts: PointHosts }) {
  const off = section.clock_uncertainty_us ?? null;
  const skew = hosts.start_skew_us ?? null;
  return (
    <>
      {skew !== null && `They began within ${duration(skew)} of each other. `}
      {off === null
        ? "Their clocks were not compared, so which was first is not known."
        : `Times of different hosts may be off against each other by ${duration(off)}.`}
    </>
  );
}

interface Row {
  name: string;
  /** A host by itself; null for several together. */
  host: RunHost | null;
  there: HostFigures | null;
  figures: PartFigures;
  /** Where the figures stand in summary.json. */
  path: string;
  note: string;
  bad: boolean;
}

function rowsOf(section: HostsSection, hosts: PointHosts, path: string): Row[] {
  const own = section.hosts.flatMap((host, at): Row[] => {
    const there = hosts.hosts[at];
    if (there === undefined) return [];
    const note = noteOf(host, there);
    const bad = (there.presence !== "whole" && there.presence !== "idle") || there.stands_out?.is_worse === true;
    return [{ name: host.agent, host, there, figures: there.figures, path: `${path}.hosts.${at}.figures`, note, bad }];
  });
  const several = (what: string, figures: PartFigures, where: string, note = ""): Row => ({
    name: what + figures.name,
    host: null,
    there: null,
    figures,
    path: `${path}.${where}`,
    note,
    bad: false,
  });
  return [
    ...own.filter((row) => row.note !== ""),
    ...own.filter((row) => row.note === ""),
    ...hosts.groups.map((figures, at) => several("group ", figures, `groups.${at}`)),
    ...hosts.targets.map((figures, at) => several("target ", figures, `targets.${at}`)),
    ...hosts.interfaces.map((figures, at) => several("by ", figures, `interfaces.${at}`)),
    several("all", hosts.total, "total"),
    ...(hosts.without == null ? [] : [several("others", hosts.without, "without", "without what stands out")]),
  ];
}

function noteOf(host: RunHost, there: HostFigures): string {
  if (there.presence === "missing") {
    return host.missing_from_s == null ? "missing" : `missing from ${moment(host.missing_from_s)}`;
  }
  if (there.presence === "part") return "not to the end";
  if (there.presence === "idle") return "idle";
  if (there.stands_out == null) return "";
  return there.stands_out.is_worse ? "stands out" : "better than the rest";
}

type Of = (figures: PartFigures) => number | null | undefined;

function columnsOf(rows: Row[]): Column<Row>[] {
  const figures = (title: string, field: string, of: Of, text: (value: number) => string): Column<Row> => ({
    title,
    number: true,
    sort: (row) => of(row.figures) ?? null,
    cell: (row) => <Figure path={`${row.path}.${field}`} value={of(row.figures)} text={text} />,
  });
  const scaled = (title: string, field: string, of: Of, scale: number): Column<Row> =>
    figures(title, field, of, columnText(rows.map((row) => of(row.figures)), scale));
  const inStreams = rows.some((row) => row.figures.streams != null);
  const named = (title: string, of: (host: RunHost) => string | null | undefined): Column<Row>[] =>
    rows.some((row) => row.host !== null && of(row.host) != null)
      ? [{ title, cell: (row) => <Name text={(row.host && of(row.host)) ?? ""} length={32} empty="" /> }]
      : [];
  return [
    { title: "host", head: true, sort: (row) => row.name, cell: (row) => <Name text={row.name} length={40} /> },
    ...named("group", (host) => host.group),
    ...named("target", (host) => host.target),
    ...(inStreams
      ? [
          figures("streams", "streams", (part) => part.streams, count),
          figures("late frames", "late_frames", (part) => part.late_frames, count),
        ]
      : [figures("workers", "workers", (part) => part.workers, count)]),
    scaled("read, MB/s", "read_bytes_per_s", (part) => part.read_bytes_per_s, 1e6),
    scaled("write, MB/s", "written_bytes_per_s", (part) => part.written_bytes_per_s, 1e6),
    p99Column(rows),
    {
      title: "errors",
      number: true,
      cell: (row) => <Figure path={`${row.path}.failed_ops`} value={row.figures.failed_ops} text={count} />,
    },
    { title: "notes", cell: (row): ComponentChildren => row.note },
  ];
}

/** Times that most operations kept, as far as their count carries that. */
function p99Column(rows: Row[]): Column<Row> {
  const p99: Of = (part) => carried(99, part.response?.count ?? 0, part.response?.p99_us);
  const text = columnText(rows.map((row) => p99(row.figures)), 1e3);
  return {
    title: "op p99, ms",
    number: true,
    sort: (row) => p99(row.figures) ?? null,
    cell: (row) => (
      <Percentile
        path={`${row.path}.response.p99_us`}
        value={row.figures.response?.p99_us}
        text={text}
        percentile={99}
        operations={row.figures.response?.count ?? 0}
      />
    ),
  };
}

function StandsOut({ host, figures }: { host: RunHost | undefined; figures: HostFigures }) {
  const out = figures.stands_out ?? null;
  if (host === undefined || out === null) return null;
  const isRate = out.figure === "throughput";
  const text = (value: number) => (isRate ? `${mbPerS(value)} MB/s` : duration(value));
  return (
    <p>
      <Name text={host.agent} length={40} /> {out.is_worse ? "stands out" : "is better than the rest"}:{" "}
      {isRate ? "it moved" : "its operations took"} {text(out.value)}
      {isRate ? "" : " on average"}, the middle of its siblings is {text(out.siblings)}, and by chance they differ by{" "}
      {percent(out.noise_percent / 100)} at most.
    </p>
  );
}
