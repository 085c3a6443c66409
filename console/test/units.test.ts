// The port of the terminal's number formats, held to the file to which the Rust functions are held
// (crates/report/tests/units_json.rs).

import { describe, expect, it } from "vitest";
import { columnText } from "../src/figures/column";
import * as units from "../src/figures/units";
import cases from "./units.json";

type Argument = number | string | number[];

const FUNCTIONS: Record<string, (...given: never[]) => string | number> = {
  number: units.number,
  fixed: units.fixed,
  duration: units.duration,
  moment: units.moment,
  mb_per_s: units.mbPerS,
  ms: units.ms,
  percent: units.percent,
  count: units.count,
  counted: units.counted,
  block_size: units.blockSize,
  amount: units.amount,
  column_decimals: units.columnDecimals,
};

/** JSON has no word for what is no finite number. */
function decoded(argument: Argument): Argument {
  if (argument === "inf") return Infinity;
  if (argument === "-inf") return -Infinity;
  return argument === "NaN" ? NaN : argument;
}

interface Case {
  function: string;
  arguments: Argument[];
  text: string | number;
}

function grouped(all: Case[]): Map<string, Case[]> {
  const groups = new Map<string, Case[]>();
  for (const one of all) groups.set(one.function, [...(groups.get(one.function) ?? []), one]);
  return groups;
}

describe("number formats", () => {
  const byFunction = grouped(cases as Case[]);

  it("are all told of", () => {
    expect([...byFunction.keys()].sort()).toEqual(Object.keys(FUNCTIONS).sort());
  });

  for (const [name, group] of byFunction) {
    it(`${name} is as in the terminal (${group.length} cases)`, () => {
      const port = FUNCTIONS[name] as (...given: Argument[]) => string | number;
      for (const one of group) {
        expect(port(...one.arguments.map(decoded)), `${name}(${one.arguments.join(", ")})`).toBe(one.text);
      }
    });
  }
});

describe("fixed", () => {
  it("agrees with toFixed wherever there is no tie", () => {
    let state = 12345;
    const next = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
    for (let n = 0; n < 3000; n += 1) {
      const value = next() * 10 ** Math.floor(next() * 12 - 3);
      const decimals = Math.floor(next() * 5);
      const isTie = Number.isInteger(value * 10 ** decimals * 2);
      if (isTie) continue;
      expect(units.fixed(value, decimals).replace(/,/g, "")).toBe(value.toFixed(decimals));
    }
  });

  it("rounds ties to even, as Rust does and toFixed doesn't", () => {
    expect([0.5, 1.5, 2.5, -0.5].map((value) => units.fixed(value, 0))).toEqual(["0", "2", "2", "-0"]);
    expect(units.fixed(0.125, 2)).toBe("0.12");
  });
});

describe("a column", () => {
  it("has its points below one another", () => {
    const text = columnText([1_326_000_000, null, 830_000], 1e6);
    expect([text(1_326_000_000), text(830_000)]).toEqual(["1,326.00", "0.83"]);
    expect(columnText([])(5)).toBe("5");
  });
});
