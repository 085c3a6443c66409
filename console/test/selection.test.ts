// Which files are on the map: colours stay, and repeat only where there are more files than colours.

import { expect, it } from "vitest";
import type { FileMap } from "../src/data/page";
import { COLOURS, everyFile, only, toggled } from "../src/trace/selection";

it("gives a file the first free colour and keeps those of the others", () => {
  const two = toggled(toggled(new Map(), 70), 80);
  expect([...two]).toEqual([[70, 0], [80, 1]]);
  const swapped = toggled(toggled(two, 70), 90);
  expect([...swapped]).toEqual([[80, 1], [90, 0]]);
});

it("shows every file of a trace, with colours that repeat after eight", () => {
  const maps = Array.from({ length: 169 }, (_, at): FileMap => ({ file: 500 + at, end_bytes: 1, levels: [], points: null }));
  const every = everyFile({ maps });
  expect(every.size).toBe(169);
  expect([every.get(500), every.get(507), every.get(508)]).toEqual([0, 7, 0]);
  let selection: ReadonlyMap<number, number> = new Map();
  for (let file = 0; file < 12; file += 1) selection = toggled(selection, file);
  expect(selection.size).toBe(12);
  expect(selection.get(8)).toBe(0);
  expect(Math.max(...selection.values())).toBe(COLOURS - 1);
  expect([...only(selection, 5)]).toEqual([[5, 5]]);
});
