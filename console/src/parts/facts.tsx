// A list of names and values.

import type { ComponentChildren } from "preact";
import { Name } from "./name";
export function Facts({ name, rows }: { name: string; rows: [string, ComponentChildren][] }) {
  if (rows.length === 0) return <p class="faint">No facts known.</p>;
  return (
    <table class="facts-table">
      <caption class="sr-only">{name}</caption>
      <tbody>
        {rows.map(([title, value]) => (
          <tr>
            <th scope="row">
              <Name text={title} />
            </th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
