// Which files the offset map shows, each with the number of its colour. One selection for a page's map and its table
// of files. At most eight, because more colours can't be told apart.

import { type Signal, signal } from "@preact/signals";
import type { Detail } from "../data/page";

/** File number to number of its colour, 0 to 7. */
export type Selection = ReadonlyMap<number, number>;

export const MAX_SELECTED = 8;

const selections = new WeakMap<Detail, Signal<Selection>>();

/** The selection of a page: at first the files with the most accesses. */
export function selectionOf(detail: Detail): Signal<Selection> {
  const known = selections.get(detail);
  if (known !== undefined) return known;
  const first = detail.maps.slice(0, MAX_SELECTED).map((map, colour) => [map.file, colour] as const);
  const made = signal<Selection>(new Map(first));
  selections.set(detail, made);
  return made;
}

/** With or without the file. It gets a colour that is free; without one nothing changes. */
export function toggled(selection: Selection, file: number): Selection {
  const next = new Map(selection);
  if (next.delete(file)) return next;
  const taken = new Set(selection.values());
  for (let colour = 0; colour < MAX_SELECTED; colour += 1) {
    if (!taken.has(colour)) return next.set(file, colour);
  }
  return selection;
}

/** Only this file. It keeps its colour. */
export function only(selection: Selection, file: number): Selection {
  return new Map([[file, selection.get(file) ?? 0]]);
}
