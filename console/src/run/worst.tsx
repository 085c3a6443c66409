// The slowest operations. A click shows the time of an operation in all charts.

import { useMemo } from "preact/hooks";
import type { Detail, OpColumns } from "../data/page";
import { tickTime } from "../charts/axes";
import { blockSize, count, duration } from "../figures/units";
import type { Extent } from "../period";
import { showMoment } from "../period";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { reveal } from "../parts/unfold";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";

interface Op {
  rank: number;
  kind: string;
  worker: number;
  stream: number;
  file: number;
  offset_bytes: number;
  len_bytes: number;
  done_bytes: number;
  due_s: number;
  issued_s: number;
  response_us: number;
  service_us: number;
  errno: number;
  warmup: boolean;
}

export function WorstTable({ detail, extent }: { detail: Detail; extent: Extent }) {
  const ops = useMemo(() => opsOf(detail.worst), [detail]);
  const what = detail.measure === "response" ? "response" : "service";
  return (
    <Section
      id="worst"
      title="Slowest operations"
      about={`By ${what} time. Click a time to show it in the charts.`}
    >
      <Table
        caption="Slowest operations"
        quiet
        rows={ops}
        columns={columnsOf(detail, extent, ops)}
        most={15}
        rowClass={(op) => (op.errno !== 0 ? "bad" : "")}
      />
    </Section>
  );
}

function opsOf(columns: OpColumns): Op[] {
  return columns.kind.map((kind, at) => ({
    rank: at + 1,
    kind,
    worker: columns.worker[at] ?? 0,
    stream: columns.stream[at] ?? -1,
    file: columns.file[at] ?? -1,
    offset_bytes: columns.offset_bytes[at] ?? 0,
    len_bytes: columns.len_bytes[at] ?? 0,
    done_bytes: columns.done_bytes[at] ?? 0,
    due_s: columns.due_s[at] ?? 0,
    issued_s: columns.issued_s[at] ?? 0,
    response_us: columns.response_us[at] ?? 0,
    service_us: columns.service_us[at] ?? 0,
    errno: columns.errno[at] ?? 0,
    warmup: columns.warmup[at] ?? false,
  }));
}

function columnsOf(detail: Detail, extent: Extent, ops: Op[]): Column<Op>[] {
  const moves = (op: Op) => op.kind === "read" || op.kind === "write";
  const columns: Column<Op>[] = [
    { title: "#", number: true, head: true, sort: (op) => -op.rank, cell: (op) => op.rank },
    {
      title: "due at",
      number: true,
      sort: (op) => op.due_s,
      cell: (op) => <ShowButton op={op} extent={extent} />,
    },
    { title: "kind", sort: (op) => op.kind, cell: (op) => `${op.kind}${op.warmup ? " (warm-up)" : ""}` },
    { title: "response", number: true, sort: (op) => op.response_us, cell: (op) => duration(op.response_us) },
    { title: "service", number: true, sort: (op) => op.service_us, cell: (op) => duration(op.service_us) },
    { title: "worker", number: true, sort: (op) => op.worker, cell: (op) => count(op.worker) },
  ];
  if (ops.some((op) => op.stream >= 0)) {
    columns.push({
      title: "stream",
      number: true,
      sort: (op) => op.stream,
      cell: (op) => (op.stream < 0 ? "–" : count(op.stream)),
    });
  }
  columns.push(
    {
      title: "file",
      sort: (op) => op.file,
      cell: (op) => <Name text={fileName(detail, op.file)} length={40} />,
    },
    {
      title: "offset",
      number: true,
      sort: (op) => op.offset_bytes,
      cell: (op) => (moves(op) ? blockSize(op.offset_bytes) : "–"),
    },
    {
      title: "length",
      number: true,
      sort: (op) => op.len_bytes,
      cell: (op) => (moves(op) ? blockSize(op.len_bytes) : "–"),
    },
  );
  if (ops.some((op) => op.errno !== 0)) {
    columns.push({
      title: "error",
      number: true,
      sort: (op) => op.errno,
      cell: (op) => (op.errno === 0 ? "" : String(op.errno)),
    });
  }
  return columns;
}

function fileName(detail: Detail, file: number): string {
  if (file < 0) return "";
  return detail.file_names[file] ?? `file ${file}`;
}

function ShowButton({ op, extent }: { op: Op; extent: Extent }) {
  const show = () => {
    showMoment(extent, op.due_s, op.due_s + op.response_us / 1e6);
    const chart = document.getElementById("latency-map") ?? document.getElementById("throughput");
    if (chart !== null) reveal(chart.id);
    chart?.querySelector<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
  };
  const words = tickTime(Number(op.due_s.toFixed(3)));
  return (
    <button
      type="button"
      class="link"
      aria-label={`${words}: show operation ${op.rank} in the charts`}
      onClick={show}
    >
      {words}
    </button>
  );
}
