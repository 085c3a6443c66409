// Each worker of a load point: whether one of them got less than the others.

import type { LoadPoint, TimeFigures, WorkerFigures } from "../data/summary";
import { columnText } from "../figures/column";
import { count } from "../figures/units";
import { Figure } from "../parts/figure";
import { Percentile } from "../parts/percentile";
import { PointPick, usePoint } from "./point-pick";
import { Section } from "../parts/section";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";

export function WorkersSection({ points }: { points: LoadPoint[] }) {
  const there = points.map((point, at) => ({ point, at })).filter(({ point }) => point.per_worker.length > 1);
  const chosen = usePoint(there, there[there.length - 1]?.at ?? 0);
  const point = points[chosen];
  if (point === undefined) return null;
  const rows = point.per_worker.map((worker, n) => ({ worker, n }));
  return (
    <Section id="workers" title="Workers">
      <PointPick points={there} chosen={chosen} />
      <Table key={chosen} caption="Workers" quiet rows={rows} columns={columnsOf(rows, chosen)} most={20} />
    </Section>
  );
}

interface Row {
  worker: WorkerFigures;
  n: number;
}

type Of = (worker: WorkerFigures) => number | null | undefined;

function columnsOf(rows: Row[], at: number): Column<Row>[] {
  const path = (row: Row, field: string) => `load_points.${at}.per_worker.${row.n}.${field}`;
  const figures = (title: string, field: string, of: Of, scale: number): Column<Row> => {
    const text = columnText(
      rows.map((row) => of(row.worker)),
      scale,
    );
    return {
      title,
      number: true,
      sort: (row) => of(row.worker) ?? null,
      cell: (row) => <Figure path={path(row, field)} value={of(row.worker)} text={text} />,
    };
  };
  const counts = (title: string, field: "worker" | "ops" | "transfers" | "failed_ops"): Column<Row> => ({
    title,
    number: true,
    head: field === "worker",
    sort: (row) => row.worker[field],
    cell: (row) => <Figure path={path(row, field)} value={row.worker[field]} text={count} />,
  });
  const response = (title: string, field: keyof TimeFigures, percentile = 0): Column<Row> => {
    const column = figures(title, `response.data.${field}`, (worker) => worker.response.data?.[field], 1e3);
    const text = columnText(
      rows.map((row) => row.worker.response.data?.[field]),
      1e3,
    );
    const cell = (row: Row) => (
      <Percentile
        path={path(row, `response.data.${field}`)}
        value={row.worker.response.data?.[field]}
        text={text}
        percentile={percentile}
        operations={row.worker.response.data?.count ?? 0}
      />
    );
    return { ...column, cell };
  };
  return [
    counts("worker", "worker"),
    figures("read, MB/s", "read_bytes_per_s", (worker) => worker.read_bytes_per_s, 1e6),
    figures("write, MB/s", "written_bytes_per_s", (worker) => worker.written_bytes_per_s, 1e6),
    counts("operations", "ops"),
    counts("transfers", "transfers"),
    response("op p50, ms", "p50_us", 50),
    response("op p99, ms", "p99_us", 99),
    response("op max, ms", "max_us"),
    counts("errors", "failed_ops"),
  ];
}
