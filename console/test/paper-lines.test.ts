// The result figures of EBU Tech 3362: which values of the tables are drawn, and what they are called.

import { expect, test } from "vitest";
import type { RunPage } from "../src/data/page";
import type { LoadPoint, PaperCell, Summary } from "../src/data/summary";
import { blockName, blocksOf, paperFigures, paperValues, usualBlock } from "../src/run/paper-lines";
import { sweptName } from "../src/run/swept";
import { isLocal } from "../src/run/timed";

const MIB = 1024 * 1024;

function point(block_bytes: number[], rates: Record<string, number> = {}): Pick<LoadPoint, "paper"> {
  const cells = Object.entries(rates).map(([key, rate]) => {
    const [mode, block] = key.split(" ");
    const block_bytes = block === "all" ? null : Number(block);
    return { mode, block_bytes, transfer_rate_while_transferring_mb_per_s: rate } as PaperCell;
  });
  return { paper: { per_transfer: true, block_bytes, cells } };
}

test("1 MiB is drawn where every measured load point has it, else all sizes", () => {
  expect(usualBlock([point([4096, MIB]), point([MIB])])).toBe(MIB);
  expect(usualBlock([point([4096, MIB]), point([])])).toBe(MIB);
  expect(usualBlock([point([65536]), point([MIB])])).toBe(null);
  expect(usualBlock([point([])])).toBe(null);
  expect(blocksOf([point([MIB, 4096]), point([65536])])).toEqual([4096, 65536, MIB]);
});

test("a line has the cells of its access and its block size, and nothing where none was measured", () => {
  const points = [point([MIB], { [`seq_rd ${MIB}`]: 12.5, "seq_rd all": 9 }), point([MIB], { "seq_wr all": 3 })];
  const rate = (cell: PaperCell) => cell.transfer_rate_while_transferring_mb_per_s;
  expect(paperValues(points, "seq_rd", MIB, rate)).toEqual([12.5, null]);
  expect(paperValues(points, "seq_rd", null, rate)).toEqual([9, null]);
  expect(paperValues(points, "seq_wr", null, rate)).toEqual([null, 3]);
});

test("charts name the paper's figure where it has one", () => {
  expect(paperFigures("rate", "workers")).toMatch(/^Figure 23 .*Figure 25/);
  expect([paperFigures("rate", "random"), paperFigures("rate", "length")]).toEqual(["Figure 20", "Figure 19"]);
  expect([paperFigures("mean", "length"), paperFigures("rate", "load point")]).toEqual([null, null]);
  expect([blockName(MIB), blockName(null)]).toEqual(["1 MiB blocks", "all block sizes"]);
});

test("the axis has the name of the setting in the plan", () => {
  const summary = (sweep: string, workers: number[]) =>
    ({ plan: sweep === "" ? {} : { sweep }, load_points: workers.map((count) => ({ workers: count })) }) as unknown as Summary;
  const names = [summary("random=0,100", [4, 4]), summary("length=1MiB x blocks=4KiB", [4]), summary("", [1, 2]), summary("", [2, 2])].map(sweptName);
  expect(names).toEqual(["random", "length x blocks", "workers", "load point"]);
});

test("network counters lose their rank only where the target is known to be on no network", () => {
  const run = (facts: object) => ({ summary: { ...facts, target: { is_shared: false } } }) as unknown as RunPage;
  expect(isLocal(run({ memory: { on_network: false } }))).toBe(true);
  expect(isLocal(run({ memory: { on_network: true } }))).toBe(false);
  expect(isLocal(run({ memory: { on_network: false }, link: {} }))).toBe(false);
  expect(isLocal(run({}))).toBe(false);
});
