// The figures of a trace: reads and writes beside each other, kinds of operations, errors. As the terminal shows them.

import type { ComponentChildren } from "preact";
import type { KindFigures, ServiceFigures, SizeFigures, TraceFigures } from "../data/trace";
import { columnDecimals, count, fixed, mbPerS } from "../figures/units";
import { whyNot } from "../figures/percentile";
import { Figure } from "../parts/figure";
import { Section } from "../parts/section";
import { type Column, Table } from "../parts/table";

interface Direction {
  name: "reads" | "writes";
  count: number;
  bytes_per_s: number | null;
  rate: string;
  sizes: SizeFigures | null;
  service: ServiceFigures | null;
}

export function TraceFiguresSection({ figures }: { figures: TraceFigures }) {
  return (
    <Section id="figures" title="Figures">
      <ReadsAndWrites figures={figures} />
      <Notes figures={figures} />
      <h3>By kind of operation</h3>
      <Kinds kinds={figures.by_kind} />
      {figures.errors.length > 0 && (
        <p class="bad">
          Failed: {figures.errors.map((error) => `${count(error.count)} × ${error.name} at ${error.kind}`).join(", ")}.
        </p>
      )}
    </Section>
  );
}

function directions(figures: TraceFigures): Direction[] {
  const both: Direction[] = [
    {
      name: "reads",
      count: figures.reads,
      bytes_per_s: figures.read_bytes_per_s,
      rate: "read_bytes_per_s",
      sizes: figures.read_sizes,
      service: figures.read_service,
    },
    {
      name: "writes",
      count: figures.writes,
      bytes_per_s: figures.written_bytes_per_s,
      rate: "written_bytes_per_s",
      sizes: figures.write_sizes,
      service: figures.write_service,
    },
  ];
  return both.filter((direction) => direction.count > 0);
}

function ReadsAndWrites({ figures }: { figures: TraceFigures }) {
  const shown = directions(figures);
  const side = (row: Direction) => (row.name === "reads" ? "read" : "write");
  const size = (title: string, field: "median_bytes" | "mean_bytes" | "deviation_bytes"): Column<Direction> =>
    numbers(shown, title, (row) => {
      if (row.sizes === null) return null;
      return [`figures.${side(row)}_sizes.${field}`, row.sizes[field], Math.round(row.sizes[field])];
    });
  const ms = (title: string, field: "median_us" | "mean_us" | "deviation_us" | "p99_us" | "max_us"): Column<Direction> =>
    numbers(shown, title, (row) => {
      if (row.service === null || (field === "p99_us" && whyNot(99, row.service.count) !== null)) return null;
      return [`figures.${side(row)}_service.${field}`, row.service[field], row.service[field] / 1e3];
    });
  return (
    <Table
      caption="Reads and writes"
      quiet
      columns={[
        { title: "access", head: true, cell: (row) => row.name },
        { title: "count", number: true, cell: (row) => <Figure path={`figures.${row.name}`} value={row.count} text={count} /> },
        { title: "MB/s", number: true, cell: (row) => <Figure path={`figures.${row.rate}`} value={row.bytes_per_s} text={mbPerS} /> },
        size("median, bytes", "median_bytes"),
        size("mean, bytes", "mean_bytes"),
        size("deviation, bytes", "deviation_bytes"),
        ms("median, ms", "median_us"),
        ms("mean, ms", "mean_us"),
        ms("deviation, ms", "deviation_us"),
        ms("p99, ms", "p99_us"),
        ms("max, ms", "max_us"),
      ]}
      rows={shown}
      empty="Nothing was read or written."
    />
  );
}

/** A column whose decimals suit all of its values: path, value as in the report, value as shown. */
function numbers<Row>(rows: readonly Row[], title: string, of: (row: Row) => [string, number, number] | null): Column<Row> {
  const decimals = columnDecimals(rows.flatMap((row) => of(row)?.[2] ?? []));
  const cell = (row: Row): ComponentChildren => {
    const found = of(row);
    if (found === null) return "–";
    return <Figure path={found[0]} value={found[1]} text={() => fixed(found[2], decimals)} />;
  };
  return { title, number: true, cell };
}

function Notes({ figures }: { figures: TraceFigures }) {
  const notes: [number, string][] = [
    [figures.reads_at_the_end, "read nothing, at the end of the file"],
    [figures.short_ops, "moved less data than was asked for"],
    [figures.copied_ops, "are copies by the system"],
    [figures.mapped_ops, "went through memory maps"],
    [figures.warmup_ops, "of a warm-up are not counted"],
  ];
  const words = notes.filter(([many]) => many > 0).map(([many, what]) => `${count(many)} ${what}`);
  return words.length === 0 ? null : <p>Of these, {words.join(", ")}.</p>;
}

function Kinds({ kinds }: { kinds: readonly KindFigures[] }) {
  const at = new Map(kinds.map((kind, index) => [kind, index]));
  const path = (kind: KindFigures, field: string) => `figures.by_kind.${at.get(kind) ?? 0}.${field}`;
  const counts = (title: string, field: "ops" | "failed_ops"): Column<KindFigures> => ({
    title,
    number: true,
    cell: (kind) => <Figure path={path(kind, field)} value={kind[field]} text={count} />,
    sort: (kind) => kind[field],
  });
  const ms = (title: string, field: "mean_service_us" | "max_service_us") => ({
    ...numbers(kinds, title, (kind) => {
      const us = kind[field];
      return us === null ? null : [path(kind, field), us, us / 1e3];
    }),
    sort: (kind: KindFigures) => kind[field],
  });
  return (
    <Table
      caption="Kinds of operations"
      quiet
      columns={[
        { title: "operation", head: true, cell: (kind) => kind.kind, sort: (kind) => kind.kind },
        counts("count", "ops"),
        counts("failed", "failed_ops"),
        {
          ...numbers(kinds, "in all, s", (kind) =>
            kind.service_s === null ? null : [path(kind, "service_s"), kind.service_s, kind.service_s],
          ),
          sort: (kind: KindFigures) => kind.service_s,
        },
        ms("mean, ms", "mean_service_us"),
        ms("max, ms", "max_service_us"),
      ]}
      rows={kinds}
      empty="Nothing was done."
    />
  );
}
