// The result figures of EBU Tech 3362: which values of the tables are drawn, and what they are called.

import { expect, test } from "vitest";
import type { RunPage } from "../src/data/page";
import type { LoadPoint, PaperCell, Summary } from "../src/data/summary";
import { blockLines, blockName, blocksOf, cellOfAll, clientLines, hostLines, paperFigures, paperValues, usualBlock } from "../src/run/paper-lines";
import { sweptGrid, sweptName } from "../src/run/swept";
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
  expect([paperFigures("rate", "workers", "block"), paperFigures("mean", "workers", "client")]).toEqual(["Figure 21", "Figure 55"]);
  expect(paperFigures("rate", "length x blocks", "block")).toBe("Figure 19");
  expect([blockName(MIB), blockName(null)]).toEqual(["1 MiB blocks", "all block sizes"]);
});

test("lines by block size and by client have their cells, and the client that stands out is named", () => {
  const rate = (cell: PaperCell) => cell.transfer_rate_while_transferring_mb_per_s;
  const points = [point([4096, MIB], { [`seq_rd ${MIB}`]: 12.5, "seq_rd 4096": 3 }), point([MIB], { [`seq_rd ${MIB}`]: 8 })];
  expect(blockLines(points, "seq_rd", rate)).toEqual([
    { name: "4 KiB", values: [3, null] },
    { name: "1 MiB", values: [12.5, 8] },
  ]);
  const worker = (number: number, value: number) => ({ worker: number, ...point([MIB], { [`seq_rd ${MIB}`]: value }) });
  const of = (rates: number[]) => ({ ...point([MIB]), per_worker: rates.map((value, at) => worker(at, value)) }) as unknown as LoadPoint;
  const clients = clientLines([of([10, 10, 11]), of([10, 4, 10, 10])], "seq_rd", MIB, rate);
  expect(clients.lines.map(({ name, values }) => [name, ...values])).toEqual([
    ["client 1", 10, 10],
    ["client 2", 10, 4],
    ["client 3", 11, 10],
    ["client 4", null, 10],
  ]);
  expect(clients.outstanding).toEqual({ name: "client 2", times: 0.4, point: 1 });
  expect(clientLines([of([10, 10, 11])], "seq_rd", MIB, rate).outstanding).toBe(null);
  const many = clientLines([of(Array.from({ length: 40 }, (_, at) => (at === 17 ? 90 : 10)))], "seq_rd", MIB, rate);
  expect([many.lines.length, many.left_out, many.outstanding?.name]).toEqual([12, 28, "client 18"]);
  expect(many.lines.some(({ name }) => name === "client 18")).toBe(true);
});

test("a host of a fleet has a line over all its clients, by time and by transfers", () => {
  const rate = (one: PaperCell) => one.transfer_rate_while_transferring_mb_per_s;
  const cell = (bytes: number, rate: number | null, transfers: number, mean: number | null, max: number | null) =>
    ({ mode: "seq_rd", block_bytes: MIB, data_ops: 1, bytes, transfers, transfer_rate_while_transferring_mb_per_s: rate, average_latency_ms: mean, maximum_latency_s: max }) as PaperCell;
  const cells = [cell(30e6, 10, 3, 2, 0.5), cell(10e6, 5, 1, 10, 0.25), cell(0, null, 0, null, null)];
  const worker = (number: number) => ({ worker: number, paper: { per_transfer: true, block_bytes: [MIB], cells: [cells[number]] } });
  const points = [{ per_worker: [0, 1, 2].map(worker) }] as unknown as LoadPoint[];
  const hosts = [
    { agent: "a", first_worker: 0, workers: 2 },
    { agent: "b", first_worker: 2, workers: 1 },
    { agent: "idle", first_worker: 3, workers: 0 },
  ];
  const lines = (of: (cell: PaperCell) => number | null) => hostLines(points, hosts, "seq_rd", MIB, of).lines;
  // 40 MB in 3 + 2 seconds; b measured nothing, and has no line.
  expect(lines(rate)).toEqual([{ name: "a", values: [8] }]);
  expect(lines((one) => one.average_latency_ms)).toEqual([{ name: "a", values: [4] }]);
  expect(lines((one) => one.maximum_latency_s)).toEqual([{ name: "a", values: [0.5] }]);
  expect(cellOfAll([])).toBe(null);
  expect(paperFigures("mean", "workers", "host")).toBe("Figure 55");
});

test("two sweeps are a line for each block size over the lengths, whichever was written first", () => {
  const summary = (sweep: string, values: string[]) =>
    ({ plan: { sweep }, load_points: values.map((sweep_value) => ({ sweep_value, label: sweep_value })) }) as unknown as Summary;
  const first = sweptGrid(summary("length=1MiB,2MiB x blocks=4KiB,1MiB", ["1MiB x 4KiB", "1MiB x 1MiB", "2MiB x 4KiB", "2MiB x 1MiB"]));
  expect(first?.axis).toEqual({ title: "length of a transfer", name: "length of a transfer", values: ["1MiB", "2MiB"] });
  const shown = (grid: typeof first) => grid?.lines.map(({ name, points }) => [name, ...points.map((one) => one?.label ?? null)]);
  expect(shown(first)).toEqual([
    ["block size 4KiB", "1MiB x 4KiB", "2MiB x 4KiB"],
    ["block size 1MiB", "1MiB x 1MiB", "2MiB x 1MiB"],
  ]);
  const turned = sweptGrid(summary("blocks=4KiB,1MiB x length=1MiB,2MiB", ["4KiB x 1MiB", "4KiB x 2MiB", "1MiB x 1MiB"]));
  expect(turned?.axis.values).toEqual(["1MiB", "2MiB"]);
  expect(shown(turned)).toEqual([
    ["block size 4KiB", "4KiB x 1MiB", "4KiB x 2MiB"],
    ["block size 1MiB", "1MiB x 1MiB", null],
  ]);
  expect(sweptGrid(summary("random=0,100", ["0 %", "100 %"]))).toBe(null);
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
