// A table with caption and heading scopes. It is sorted by a click or a key, scrolls separately if the page is narrow,
// and shows a limited number of rows until the user requests more.

import { useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { count, counted } from "../figures/units";

export interface Column<Row> {
  /** The heading, with the unit: `p99, ms`. */
  title: string;
  cell: (row: Row, index: number) => ComponentChildren;
  /** Makes the column sortable. Nulls come last. */
  sort?: (row: Row) => number | string | null;
  /** Aligns numbers to the right. */
  number?: boolean;
  /** The cells are headings of their rows. */
  head?: boolean;
  /** An explanation of the heading. */
  help?: string;
}

interface Props<Row> {
  /** What the table shows. Always read by screen readers; visible unless `quiet`. */
  caption: string;
  quiet?: boolean;
  columns: Column<Row>[];
  rows: readonly Row[];
  /** Rows below this row (the runs of a suite), which stay below it however the table is sorted. */
  under?: (row: Row) => readonly Row[];
  /** The number of rows until "More rows". */
  most?: number;
  /** The class of a row: `bad`, `chosen`. */
  rowClass?: (row: Row) => string;
  /** Shown if there are no rows. */
  empty?: string;
}

/** Tables with at most this many rows are not sortable. */
const FEW_ROWS = 3;

interface Order {
  column: number;
  down: boolean;
}

export function Table<Row>(props: Props<Row>) {
  const { caption, quiet = false, columns, rows, under, most = 50, rowClass, empty = "No rows." } = props;
  const [order, setOrder] = useState<Order | null>(null);
  const [shown, setShown] = useState(most);
  const sorted = useMemo(() => inOrder(rows, columns, order), [rows, columns, order]);
  if (rows.length === 0) return <p class="missing">{empty}</p>;
  const part = sorted.slice(0, shown);
  const all = under === undefined ? part : part.flatMap((row) => [row, ...under(row)]);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`${caption}, table`}>
      <table>
        <caption class={quiet ? "sr-only" : ""}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <Heading
                column={column}
                sortable={rows.length > FEW_ROWS}
                state={order?.column === index ? order : null}
                sort={() => setOrder(next(order, index))}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {all.map((row, index) => (
            <tr class={rowClass?.(row)}>
              {columns.map((column) =>
                column.head === true ? (
                  <th scope="row" class={column.number === true ? "number" : ""}>
                    {column.cell(row, index)}
                  </th>
                ) : (
                  <td class={column.number === true ? "number" : ""}>{column.cell(row, index)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > part.length && (
        <p class="more">
          {count(part.length)} of {counted(sorted.length, "row")}.{" "}
          <button type="button" class="small" onClick={() => setShown(shown + Math.max(most, 100))}>
            More rows
          </button>
        </p>
      )}
    </div>
  );
}

function Heading<Row>({
  column,
  state,
  sort,
  sortable,
}: {
  column: Column<Row>;
  /** Whether the column can be sorted. Tables with few rows cannot. */
  sortable: boolean;
  state: Order | null;
  sort: () => void;
}) {
  const kind = column.number === true ? "number" : "";
  if (column.title === "") return <td />;
  if (column.sort === undefined || !sortable) {
    return (
      <th scope="col" class={kind} title={column.help}>
        {column.title}
      </th>
    );
  }
  const direction = state === null ? "none" : state.down ? "descending" : "ascending";
  return (
    <th scope="col" class={kind} aria-sort={direction} title={column.help}>
      <button type="button" class="sort" onClick={sort}>
        {column.title}
        <span class="sort-mark" aria-hidden="true">
          {state === null ? "↕" : state.down ? "↓" : "↑"}
        </span>
      </button>
    </th>
  );
}

/** The next order after a click: largest first, then smallest first, then the original order. */
function next(order: Order | null, column: number): Order | null {
  if (order?.column !== column) return { column, down: true };
  return order.down ? { column, down: false } : null;
}

function inOrder<Row>(rows: readonly Row[], columns: Column<Row>[], order: Order | null): readonly Row[] {
  const key = order === null ? undefined : columns[order.column]?.sort;
  if (order === null || key === undefined) return rows;
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  keyed.sort((one, two) => compared(one.key, two.key, order.down));
  return keyed.map(({ row }) => row);
}

function compared(one: number | string | null, two: number | string | null, down: boolean): number {
  if (one === null || two === null) return Number(one === null) - Number(two === null);
  const by =
    typeof one === "number" && typeof two === "number" ? one - two : String(one).localeCompare(String(two));
  return down ? -by : by;
}
