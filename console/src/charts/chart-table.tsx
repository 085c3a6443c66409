// A chart's data as a table, shown on request, with a limit on its rows.

import type { Cell } from "../parts/download";
import { Name } from "../parts/name";

export interface ChartTable {
  /** With their units: `time, s`. */
  columns: string[];
  rows: Cell[][];
}

/** Further rows are only in the CSV file. */
const MOST_ROWS = 400;

export function tableOf(table: ChartTable | (() => ChartTable)): ChartTable {
  return typeof table === "function" ? table() : table;
}

export function ChartTableView({ title, table: given }: { title: string; table: ChartTable | (() => ChartTable) }) {
  const table = tableOf(given);
  const shown = table.rows.slice(0, MOST_ROWS);
  const more = table.rows.length - shown.length;
  return (
    <div class="table-scroll chart-table" tabIndex={0} role="region" aria-label={`${title}, table`}>
      <table>
        <caption class="sr-only">{title}</caption>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr>
              {row.map((cell) => (
                <td class={typeof cell === "number" ? "number" : ""}>
                  {typeof cell === "string" ? <Name text={cell} /> : cell === null ? "–" : shortNumber(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p class="more">{more} more rows are in the CSV file.</p>}
    </div>
  );
}

/** All significant digits, without the rounding noise of binary fractions. */
function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(9)));
}
