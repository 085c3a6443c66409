// Which files are on the map: colours stay, and there are never more than can be told apart.

import { expect, it } from "vitest";
import { MAX_SELECTED, only, toggled } from "../src/trace/selection";

it("gives a file the first free colour and keeps those of the others", () => {
  const two = toggled(toggled(new Map(), 70), 80);
  expect([...two]).toEqual([[70, 0], [80, 1]]);
  const swapped = toggled(toggled(two, 70), 90);
  expect([...swapped]).toEqual([[80, 1], [90, 0]]);
});

it("takes eight and no ninth", () => {
  let selection: ReadonlyMap<number, number> = new Map();
  for (let file = 0; file < 12; file += 1) selection = toggled(selection, file);
  expect(selection.size).toBe(MAX_SELECTED);
  expect(selection.has(8)).toBe(false);
  expect([...only(selection, 5)]).toEqual([[5, 5]]);
});
