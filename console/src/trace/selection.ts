// The files that the offset map shows, each with the number of its colour. The map and the table of files of a page
// share one selection. There are eight colours; with more files they repeat.

import { type Signal, signal } from "@preact/signals";
import type { Detail } from "../data/page";

/** From the number of the file to the number of its colour, 0 to 7. */
export type Selection = ReadonlyMap<number, number>;

export const COLOURS = 8;

const selections = new WeakMap<Detail, Signal<Selection>>();

/** The selection of a page; initially every file that has a map. */
export function selectionOf(detail: Detail): Signal<Selection> {
  const known = selections.get(detail);
  if (known !== undefined) return known;
  const made = signal<Selection>(everyFile(detail));
  selections.set(detail, made);
  return made;
}

/** Every file that has a map. */
export function everyFile(detail: Pick<Detail, "maps">): Selection {
  return new Map(detail.maps.map((map, at) => [map.file, at % COLOURS] as const));
}

/** Adds or removes the file. A new one gets the least used colour. */
export function toggled(selection: Selection, file: number): Selection {
  const next = new Map(selection);
  if (next.delete(file)) return next;
  const taken = Array.from({ length: COLOURS }, () => 0);
  for (const colour of selection.values()) taken[colour] = (taken[colour] ?? 0) + 1;
  return next.set(file, taken.indexOf(Math.min(...taken)));
}

/** Selects only this file. It keeps its colour. */
export function only(selection: Selection, file: number): Selection {
  return new Map([[file, selection.get(file) ?? 0]]);
}
