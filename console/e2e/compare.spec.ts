// Runs compared in the console: one line, the systems, overlaid charts, and the figures folded.

import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "@playwright/test";
import { rowsOf } from "./chart-file";
import { made } from "./made";
import { type Server, letIn, serve } from "./server";
import { expectAccessible, expectButtonsWhole, expectNoOverflow, watch } from "./watch";

let server: Server;
let ids: string[];

test.beforeAll(async () => {
  const { root, before, after, ramp, sweep, players, search, vda } = made();
  const runs = join(root, "compare-runs");
  mkdirSync(runs, { recursive: true });
  const those = [before, after, ramp, sweep, players, search];
  for (const run of [...those, vda]) cpSync(run, join(runs, basename(run)), { recursive: true });
  ids = those.map((run) => basename(run));
  server = await serve(runs, root);
});

test.afterAll(async () => {
  await server.stop();
});

const address = (chosen: string[]) => `${server.url}#/compare?${chosen.map((id) => `run=${encodeURIComponent(id)}`).join("&")}`;

test("two runs: one line on top, then the systems, then what lies over one another", async ({ page }) => {
  const seen = watch(page);
  await letIn(page, server);
  await page.goto(address(ids.slice(0, 2)));
  await expect(page.locator("#answer .headline")).toHaveText(/^Run 2 ran a different workload from run 1: /);
  const systems = page.getByRole("table", { name: "Systems" });
  await expect(systems.locator("tbody tr")).toHaveCount(2);
  // No storage details and no frames: such columns would be empty.
  expect(await systems.locator("thead th").allTextContents()).toEqual(["run", "protocol", "client", "most, MB/s"]);
  const tops = await Promise.all(
    ["answer", "systems", "over-time", "differences"].map((id) => page.locator(`#${id}`).evaluate((one) => one.getBoundingClientRect().top)),
  );
  expect(tops).toEqual([...tops].sort((one, two) => one - two));
  await expect(page.locator("#differences > details")).not.toHaveAttribute("open", /.*/);
  await expectAccessible(page);
  expect(seen.errors).toEqual([]);
});

for (const many of [2, 6]) {
  test(`${many} runs: the answer and the systems stand on the first screen, on a phone and a wall too`, async ({ page }) => {
    await letIn(page, server);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(address(ids.slice(0, many)));
    for (const part of ["#answer .headline", "#systems h2"]) {
      const box = await page.locator(part).first().boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? Infinity), part).toBeLessThanOrEqual(600);
    }
    for (const width of [390, 2560]) {
      await page.setViewportSize({ width, height: 1440 });
      await expectNoOverflow(page);
      await expectButtonsWhole(page);
    }
  });
}

test("streams of two runs lie over one another", async ({ page }) => {
  const { stalled } = made();
  test.skip(stalled === null, "needs root to freeze a file system");
  await page.goto(`file://${stalled?.page}`);
  await expect(page.locator("#answer .headline")).toHaveText(/has \d+ late frames, .* \d+\./);
  await expect(page.getByRole("img", { name: /: \d+ late frames?; .*: \d+ late frames/ })).toBeVisible();
  await expect(page.locator("#compare-margins")).toBeVisible();
});

test("six runs fit, in light and dark, on a phone too", async ({ page }) => {
  await letIn(page, server);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(address(ids));
    // Six pages with their logs are made first.
    await expect(page.getByRole("table", { name: "Systems" }).locator("tbody tr")).toHaveCount(6, { timeout: 30_000 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoOverflow(page);
    await expectButtonsWhole(page);
  }
});

test("the paper's latency has its own chart and name, and curves of streams lie over streams", async ({ page }) => {
  const { ramp, vda } = made();
  await letIn(page, server);
  await page.goto(address([ids[2] ?? "", ids[0] ?? ""]));
  await expect(page.locator("#compare-mean h3")).toHaveText("Mean response time");
  await expect(page.locator("#compare-ebu-latency h3")).toHaveText("Average EBU latency");
  const rows = await rowsOf(page, "compare-ebu-latency");
  const points = loadPoints(ramp).map(({ workers, paper }) => ({
    workers,
    ms: paper.cells.find((cell) => cell.mode === "all" && cell.block_bytes === null)?.average_latency_ms,
  }));
  for (const { workers, ms } of points) expect(rows.find((row) => row[0] === String(workers))?.[1]).toBe(String(ms));

  await page.goto(address([basename(vda), ids[2] ?? ""]));
  await expect(page.locator("#compare-rate")).toBeVisible();
  const mixed = await rowsOf(page, "compare-rate");
  expect(mixed[0]?.[0]).toBe("workers (clients)");
  await page.goto(address([basename(vda), ids[4] ?? ""]));
  const curve = await rowsOf(page, "compare-rate");
  expect(curve[0]?.[0]).toBe("streams");
  expect(curve.slice(1).map((row) => row[0])).toEqual(["1", "2", "3"]);
  await expect(page.locator("#compare-ebu-latency")).toHaveCount(0);
  // The chart has the same mean as the table: that of transfers.
  await expect(page.locator("#compare-mean h3")).toHaveText("Mean response time of transfers");
  const means = await rowsOf(page, "compare-mean");
  for (const { stream_count, rates_mean_response_ms } of loadPoints(vda))
    expect(means.find((row) => row[0] === String(stream_count))?.[1]).toBe(String(rates_mean_response_ms));
});

interface Point {
  workers: number;
  stream_count?: number;
  rates_mean_response_ms?: number;
  paper: { cells: { mode: string; block_bytes: number | null; average_latency_ms: number | null }[] };
}

function loadPoints(run: string): Point[] {
  return (JSON.parse(readFileSync(join(run, "summary.json"), "utf8")) as { load_points: Point[] }).load_points;
}
