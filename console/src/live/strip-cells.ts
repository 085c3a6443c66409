// Streams of a run that runs as rows of cells, one a tick: how much of its buffer each had left. Pure.

import type { LivePoint } from "./live-state";

export type CellKind = "late" | "close" | "some" | "free";

export interface StripRow {
  /** Whose it is, in a run of many machines; empty on one. */
  host: string;
  stream: number;
}

export interface StripCell extends StripRow {
  from_s: number;
  to_s: number;
  kind: CellKind;
  margin_ms: number | null;
  /** How many frames became late in this time. */
  late_frames: number;
}

/** How far back the first tick of a load point reaches. */
const FIRST_S = 1;

export function stripCells(ticks: readonly LivePoint[]): StripCell[] {
  const cells: StripCell[] = [];
  let known = new Map<string, number>();
  let before_s: number | null = null;
  for (const tick of ticks) {
    if (tick.isFirst || before_s === null) {
      // Of what was late before the first tick that is kept nothing is known.
      known = new Map();
      before_s = tick.at_s - FIRST_S;
    }
    const { stream, late_frames, margin_ms, buffer_ms } = tick.streams;
    stream.forEach((number, index) => {
      const row = { host: tick.streams.host?.[index] ?? "", stream: number };
      const late = late_frames[index] ?? 0;
      const more = late - (known.get(rowName(row)) ?? (tick.isFirst ? 0 : late));
      known.set(rowName(row), late);
      const margin = margin_ms[index] ?? null;
      const kind = kindOf(more, margin, buffer_ms[index] ?? 0);
      if (kind !== null) cells.push({ ...row, from_s: before_s ?? 0, to_s: tick.at_s, kind, margin_ms: margin, late_frames: more });
    });
    before_s = tick.at_s;
  }
  return cells;
}

/** The same steps as in the report; null where nothing was due. */
function kindOf(more: number, margin_ms: number | null, buffer_ms: number): CellKind | null {
  if (more > 0 || (margin_ms !== null && margin_ms < 0)) return "late";
  if (margin_ms === null) return null;
  const left = margin_ms / Math.max(buffer_ms, 1);
  if (left < 0.1) return "close";
  return left < 0.5 ? "some" : "free";
}

/** The streams that have a cell, by host and number. */
export function rowsOf(cells: readonly StripCell[]): StripRow[] {
  const rows = new Map(cells.map(({ host, stream }) => [rowName({ host, stream }), { host, stream }]));
  return [...rows.values()].sort((one, two) => one.host.localeCompare(two.host, "en") || one.stream - two.stream);
}

/** "7"; of a run on many machines "edit-2: 7". No two rows have the same. */
export function rowName({ host, stream }: StripRow): string {
  return host === "" ? String(stream) : `${host}: ${stream}`;
}
