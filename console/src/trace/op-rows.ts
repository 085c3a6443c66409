// Selects and sorts the operations of a list. Pure. Operations stay columns; a list has their indices.

import type { OpColumns } from "../data/page";
import type { Period } from "../period";
import { matcher } from "./glob";

export interface OpFilter {
  /** Empty for every kind. */
  kind: string;
  /** A pattern; empty for every file. */
  file: string;
  /** The period of their issue; null for the whole time. */
  period: Period | null;
  /** Whether only failed operations are shown. */
  errors: boolean;
}

export const EVERYTHING: OpFilter = { kind: "", file: "", period: null, errors: false };

export type OpSort =
  | "issued"
  | "kind"
  | "file"
  | "offset"
  | "length"
  | "service"
  | "response"
  | "stream"
  | "worker"
  | "error";

export interface OpOrder {
  by: OpSort;
  /** Whether the order is descending. */
  down: boolean;
}

/** The indices of the matching operations, sorted. */
export function rowsOf(ops: OpColumns, names: Record<string, string>, filter: OpFilter, order: OpOrder): number[] {
  const wanted = filesWanted(ops, names, filter.file);
  const rows: number[] = [];
  for (let op = 0; op < ops.kind.length; op += 1) {
    if (filter.kind !== "" && ops.kind[op] !== filter.kind) continue;
    if (filter.errors && (ops.errno[op] ?? 0) === 0) continue;
    const issued_s = ops.issued_s[op] ?? 0;
    if (filter.period !== null && !(issued_s >= filter.period.from_s && issued_s < filter.period.to_s)) continue;
    if (wanted !== null && !wanted.has(ops.file[op] ?? -1)) continue;
    rows.push(op);
  }
  return sorted(rows, ops, names, order);
}

/** The numbers of the files whose names match; null for every file. */
function filesWanted(ops: OpColumns, names: Record<string, string>, pattern: string): Set<number> | null {
  if (pattern.trim() === "") return null;
  const matches = matcher(pattern);
  const wanted = new Set<number>();
  for (const file of new Set(ops.file)) {
    const name = names[String(file)];
    if (name !== undefined && matches(name)) wanted.add(file);
  }
  return wanted;
}

/** Equal operations stay in the order of their issue. */
function sorted(rows: number[], ops: OpColumns, names: Record<string, string>, order: OpOrder): number[] {
  const sign = order.down ? -1 : 1;
  if (order.by === "kind" || order.by === "file") {
    const text = textOf(ops, names, order.by);
    const { compare } = new Intl.Collator("en", { numeric: true });
    return rows.sort((one, two) => sign * compare(text(one), text(two)) || one - two);
  }
  const column = numbersOf(ops, order.by);
  return rows.sort((one, two) => sign * ((column[one] ?? 0) - (column[two] ?? 0)) || one - two);
}

function textOf(ops: OpColumns, names: Record<string, string>, by: "kind" | "file"): (op: number) => string {
  if (by === "kind") return (op) => ops.kind[op] ?? "";
  return (op) => names[String(ops.file[op])] ?? "";
}

function numbersOf(ops: OpColumns, by: Exclude<OpSort, "kind" | "file">): readonly number[] {
  switch (by) {
    case "issued":
      return ops.issued_s;
    case "offset":
      return ops.offset_bytes;
    case "length":
      return ops.done_bytes;
    case "service":
      return ops.service_us;
    case "response":
      return ops.response_us;
    case "stream":
      return ops.stream;
    case "worker":
      return ops.worker;
    case "error":
      return ops.errno;
  }
}

/** The query with which a server returns the same list. */
export function opsQuery(filter: OpFilter, order: OpOrder, glob: string, top: number): URLSearchParams {
  const query = new URLSearchParams({ sort: serverSort(order), top: String(top) });
  if (filter.period !== null) {
    query.set("from_s", String(filter.period.from_s));
    query.set("to_s", String(filter.period.to_s));
  }
  if (glob !== "") query.set("file", glob);
  if (filter.kind !== "") query.set("kind", filter.kind);
  if (filter.errors) query.set("errors", "true");
  return query;
}

/** The server has five orders, each in one direction. The list sorts its response in all other orders. */
function serverSort(order: OpOrder): string {
  if (order.by === "service" && order.down) return "service";
  if (order.by === "response" && order.down) return "response";
  if (order.by === "length" && order.down) return "size";
  if (order.by === "offset" && !order.down) return "offset";
  return "issued";
}
