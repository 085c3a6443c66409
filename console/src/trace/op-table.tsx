// A table of operations. Only the rows in view are in the page, so that twenty thousand rows scroll smoothly.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Detail, OpColumns } from "../data/page";
import { count, fixed } from "../figures/units";
import { cut } from "../parts/text";
import { showMoment } from "../period";
import { errnoName } from "./errno";
import { fileName } from "./file-names";
import { extentOf } from "./map-choice";
import type { OpOrder, OpSort } from "./op-rows";
import { rowWindow } from "./window";

interface Props {
  detail: Detail;
  ops: OpColumns;
  names: Record<string, string>;
  /** Indices of the operations, sorted. */
  rows: readonly number[];
  order: OpOrder;
  setOrder: (order: OpOrder) => void;
}

interface OpColumn {
  title: string;
  sort: OpSort;
  number: boolean;
  cell: (ops: OpColumns, op: number) => string;
}

/** Kinds with a meaningful offset and length. */
const AT_A_PLACE = new Set(["read", "write", "allocate"]);

const bytes = (ops: OpColumns, op: number, value: number | undefined) =>
  AT_A_PLACE.has(ops.kind[op] ?? "") ? count(value ?? 0) : "";

/** If the source has no durations, an operation ends when it begins. */
const ms = (ops: OpColumns, op: number, us: number | undefined) =>
  us === undefined || (ops.service_us[op] ?? 0) <= 0 ? "–" : fixed(us / 1e3, 3);

function columnsOf(names: Record<string, string>): OpColumn[] {
  return [
    { title: "issued, s", sort: "issued", number: true, cell: (ops, op) => fixed(ops.issued_s[op] ?? 0, 6) },
    { title: "operation", sort: "kind", number: false, cell: (ops, op) => ops.kind[op] ?? "" },
    { title: "file", sort: "file", number: false, cell: (ops, op) => fileName(names, ops.file[op] ?? -1) },
    { title: "offset, bytes", sort: "offset", number: true, cell: (ops, op) => bytes(ops, op, ops.offset_bytes[op]) },
    { title: "moved, bytes", sort: "length", number: true, cell: (ops, op) => moved(ops, op) },
    { title: "service, ms", sort: "service", number: true, cell: (ops, op) => ms(ops, op, ops.service_us[op]) },
    { title: "response, ms", sort: "response", number: true, cell: (ops, op) => ms(ops, op, ops.response_us[op]) },
    { title: "stream", sort: "stream", number: true, cell: (ops, op) => whole(ops.stream[op]) },
    { title: "worker", sort: "worker", number: true, cell: (ops, op) => whole(ops.worker[op]) },
    { title: "error", sort: "error", number: false, cell: (ops, op) => errnoName(ops.errno[op] ?? 0) },
  ];
}

/** -1 means none. */
function whole(value: number | undefined): string {
  return value === undefined || value < 0 ? "" : String(value);
}

/** `done of requested` if fewer bytes were transferred than requested. */
function moved(ops: OpColumns, op: number): string {
  const done = bytes(ops, op, ops.done_bytes[op]);
  const asked = ops.len_bytes[op] ?? 0;
  return done !== "" && (ops.done_bytes[op] ?? 0) !== asked ? `${done} of ${count(asked)}` : done;
}

export function OpTable({ detail, ops, names, rows, order, setOrder }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(-1);
  const { first, end, rowPx } = useWindow(box, rows);
  const columns = columnsOf(names);
  const extent = extentOf(detail.time);
  const show = (op: number) => {
    setChosen(op);
    const issued_s = ops.issued_s[op] ?? 0;
    showMoment(extent, issued_s, issued_s + (ops.service_us[op] ?? 0) / 1e6);
  };
  if (rows.length === 0) return <p class="missing">No operation matches.</p>;
  return (
    <div class="ops-scroll" ref={box} tabIndex={0} role="region" aria-label="List of operations">
      <table aria-rowcount={rows.length + 1}>
        <caption class="sr-only">Operations. The first button of a row shows its time in all charts.</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading column={column} order={order} setOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap rows={first} rowPx={rowPx} columns={columns.length} />
          {rows.slice(first, end).map((op, at) => (
            <tr key={op} aria-rowindex={first + at + 2} aria-current={op === chosen ? "true" : undefined}>
              {columns.map((column, index) => (
                <Cell column={column} ops={ops} op={op} show={index === 0 ? () => show(op) : null} />
              ))}
            </tr>
          ))}
          <Gap rows={rows.length - end} rowPx={rowPx} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Space for the rows that are not in the page. */
function Gap({ rows, rowPx, columns }: { rows: number; rowPx: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * rowPx}px` }} />
    </tr>
  );
}

function Cell({ column, ops, op, show }: { column: OpColumn; ops: OpColumns; op: number; show: (() => void) | null }) {
  const text = column.cell(ops, op);
  if (show !== null) {
    return (
      <td class="number">
        <button type="button" class="link" title="Show this time in all charts" onClick={show}>
          {text}
        </button>
      </td>
    );
  }
  if (column.sort === "file") {
    return (
      <td>
        <bdi title={text}>{cut(text, 44)}</bdi>
      </td>
    );
  }
  return <td class={column.number ? "number" : column.sort === "error" ? "errno" : ""}>{text}</td>;
}

function Heading({ column, order, setOrder }: { column: OpColumn; order: OpOrder; setOrder: (order: OpOrder) => void }) {
  const mine = order.by === column.sort;
  const down = mine ? !order.down : column.number && column.sort !== "issued" && column.sort !== "offset";
  return (
    <th scope="col" class={column.number ? "number" : ""} aria-sort={mine ? (order.down ? "descending" : "ascending") : "none"}>
      <button type="button" class="sort" onClick={() => setOrder({ by: column.sort, down })}>
        {column.title}
        <span class="sort-mark" aria-hidden="true">
          {mine ? (order.down ? "↓" : "↑") : "↕"}
        </span>
      </button>
    </th>
  );
}

/** Tracks the scroll position, and measures the height of a row. */
function useWindow(box: { current: HTMLDivElement | null }, rows: readonly number[]) {
  const [place, setPlace] = useState({ top: 0, height: 420 });
  const [rowPx, setRowPx] = useState(32);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () => setPlace({ top: element.scrollTop, height: element.clientHeight });
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => element.removeEventListener("scroll", look);
  }, [rows.length === 0]);
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = 0;
    const row = box.current?.querySelector<HTMLElement>("tbody tr:not(.gap)");
    if (row != null && row.offsetHeight > 0) setRowPx(row.offsetHeight);
  }, [rows]);
  return { ...rowWindow(rows.length, rowPx, place.top, place.height), rowPx };
}
