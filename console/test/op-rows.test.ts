// Lists of operations: filters, order, the rows that are in the page, patterns for names.

import { describe, expect, it } from "vitest";
import type { OpColumns } from "../src/data/page";
import { errnoName } from "../src/trace/errno";
import { asGlob, matcher } from "../src/trace/glob";
import { EVERYTHING, opsQuery, rowsOf } from "../src/trace/op-rows";
import { rowWindow } from "../src/trace/window";

const ops: OpColumns = {
  kind: ["open", "read", "read", "write", "close"],
  worker: [0, 0, 1, 0, 0],
  stream: [-1, 0, 1, 0, -1],
  file: [7, 7, 9, 9, -1],
  offset_bytes: [0, 4096, 0, 100, 0],
  len_bytes: [0, 10, 20, 30, 0],
  done_bytes: [0, 10, 20, 5, 0],
  due_s: [0, 1, 2, 3, 4],
  issued_s: [0, 1, 2, 3, 4],
  response_us: [5, 50, 50, 20, 1],
  service_us: [5, 40, 45, 20, 1],
  errno: [0, 0, 0, 28, 0],
  point: [0, 0, 0, 0, 0],
  warmup: [false, false, false, false, false],
};
const names = { "7": "reel10/clip.mov", "9": "reel2/other.mxf" };
const inTurn = { by: "issued", down: false } as const;

describe("rows", () => {
  it("are filtered by kind, file, period and error, all at once", () => {
    expect(rowsOf(ops, names, EVERYTHING, inTurn)).toEqual([0, 1, 2, 3, 4]);
    expect(rowsOf(ops, names, { ...EVERYTHING, kind: "read" }, inTurn)).toEqual([1, 2]);
    expect(rowsOf(ops, names, { ...EVERYTHING, file: "*.mov" }, inTurn)).toEqual([0, 1]);
    expect(rowsOf(ops, names, { ...EVERYTHING, errors: true }, inTurn)).toEqual([3]);
    // The end of a period is not in it.
    expect(rowsOf(ops, names, { ...EVERYTHING, period: { from_s: 1, to_s: 3 } }, inTurn)).toEqual([1, 2]);
    expect(rowsOf(ops, names, { ...EVERYTHING, kind: "read", file: "other" }, inTurn)).toEqual([2]);
  });

  it("stay in order of issue where they are equal", () => {
    expect(rowsOf(ops, names, EVERYTHING, { by: "response", down: true })).toEqual([1, 2, 3, 0, 4]);
    expect(rowsOf(ops, names, EVERYTHING, { by: "offset", down: false })).toEqual([0, 2, 4, 3, 1]);
    expect(rowsOf(ops, names, EVERYTHING, { by: "length", down: true })).toEqual([2, 1, 3, 0, 4]);
  });

  it("sort numbers in names as numbers", () => {
    expect(rowsOf(ops, names, EVERYTHING, { by: "file", down: false })).toEqual([4, 2, 3, 0, 1]);
  });
});

it("asks a server for the same", () => {
  const filter = { kind: "write", file: "clip", period: { from_s: 1.5, to_s: 2 }, errors: true };
  const query = opsQuery(filter, { by: "service", down: true }, asGlob(filter.file), 100);
  expect(Object.fromEntries(query)).toEqual({
    sort: "service", top: "100", from_s: "1.5", to_s: "2", file: "*clip*", kind: "write", errors: "true",
  });
  expect(opsQuery(EVERYTHING, { by: "service", down: false }, "", 5).toString()).toBe("sort=issued&top=5");
});

describe("patterns", () => {
  const cases: [string, string, boolean][] = [
    ["*.mov", "reel7/a.MOV", true],
    ["*.mov", "a.mov.bak", false],
    ["reel?/*", "reel7/deep/down", true],
    ["clip", "my clip 3.mov", true],
    ["reel[1-3]/*", "reel2/a", true],
    ["reel[!1-3]/*", "reel2/a", false],
    ["a.c*", "abc", false],
    ["(x)+*", "(x)+y", true],
    ["*a*b*c", "xxaxxbxxc", true],
    ["", "anything", true],
    ["[", "a[b", false],
    ["*🎬*", "take 🎬 1", true],
    ["?", "🎬", true],
  ];
  it.each(cases)("%s against %s: %s", (pattern, name, expected) => {
    expect(matcher(pattern)(name)).toBe(expected);
  });

  it("never take long", () => {
    const began = performance.now();
    expect(matcher(`${"*a".repeat(60)}b`)("a".repeat(4000))).toBe(false);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe("the rows in the page", () => {
  it("are those in view and some around them", () => {
    expect(rowWindow(20_000, 32, 0, 420)).toEqual({ first: 0, end: 34 });
    const middle = rowWindow(20_000, 32, 320_000, 420);
    expect(middle.first).toBeLessThanOrEqual(10_000 - 12);
    expect(middle.end).toBeGreaterThanOrEqual(10_014);
    expect(middle.end - middle.first).toBeLessThan(60);
  });

  it("never leave the table", () => {
    expect(rowWindow(3, 32, 99_999, 420)).toEqual({ first: 2, end: 3 });
    expect(rowWindow(0, 32, 0, 420)).toEqual({ first: 0, end: 0 });
  });
});

it("names errors as the terminal does", () => {
  expect([0, 2, 11, 28, 35, 95, 110, 132].map(errnoName)).toEqual([
    "", "ENOENT", "EAGAIN", "ENOSPC", "EDEADLK", "EOPNOTSUPP", "ETIMEDOUT", "ERFKILL",
  ]);
  expect([41, -1, 9999].map(errnoName)).toEqual(["41", "-1", "9999"]);
});
