// report.html opened from a file, as sent by mail: complete, without requests, accessible, with the figures of
// summary.json. terminal.spec.ts compares it with the terminal.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { made } from "./made";
import { runOf } from "./run-page";
import { expectAccessible, expectAlone, expectNoOverflow, watch } from "./watch";

const NO_MOUNT = "needs root, to freeze a file system under a run";

type PageName = "ramp" | "frozen" | "beside" | "hostile" | "trace" | "comparison" | "hostileTrace" | "whole";
const PAGES: PageName[] = ["ramp", "frozen", "beside", "hostile", "trace", "comparison", "hostileTrace", "whole"];

/** The file of a page; `null` if it could not be made here. */
function fileOf(name: PageName): string | null {
  if (name === "comparison") return made().compared.page;
  const path = made()[name];
  if (path === null) return null;
  return path.endsWith(".html") ? path : join(path, "report.html");
}

for (const name of PAGES) {
  test(`${name}: complete, quiet, and for everybody, in light and dark`, async ({ page }) => {
    const file = fileOf(name);
    test.skip(file === null, NO_MOUNT);
    if (file === null) return;
    const seen = watch(page);
    for (const colorScheme of ["light", "dark"] as const) {
      seen.requests.length = 0;
      await page.emulateMedia({ colorScheme });
      await page.goto(pathToFileURL(file).href);
      await expect(page.locator("main")).toBeVisible();
      await expectAccessible(page);
      await expectNoOverflow(page);
      expectAlone(seen);
    }
    expect(await page.evaluate("window.broken")).toBeUndefined();
  });

  test(`${name}: right on a phone and on a wall`, async ({ page }) => {
    const file = fileOf(name);
    test.skip(file === null, NO_MOUNT);
    if (file === null) return;
    for (const [width, height] of [[360, 740], [2560, 1440]] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(pathToFileURL(file).href);
      await expect(page.locator("main")).toBeVisible();
      await expectNoOverflow(page);
    }
  });
}

const TOLD = ["ramp", "frozen", "before", "players", "search", "vda", "sweep", "replay", "whole", "beside", "check"] as const;

for (const name of TOLD) {
  test(`${name}: every figure is the one in summary.json`, async ({ page }) => {
    const run = await runOf(name);
    test.skip(run === null, NO_MOUNT);
    if (run === null) return;
    const summary: unknown = JSON.parse(readFileSync(join(run, "summary.json"), "utf8"));
    await page.goto(pathToFileURL(join(run, "report.html")).href);
    const figures = await page.locator("[data-figure]").evaluateAll((nodes) =>
      nodes.map((node) => ({
        path: node.getAttribute("data-figure") ?? "",
        value: node.getAttribute("data-value") ?? "",
        text: node.textContent ?? "",
      })),
    );
    expect(figures.length).toBeGreaterThan(20);
    const data = JSON.parse((await page.locator("#reelgauge-data").textContent()) ?? "null") as unknown;
    const shown = lookUp(data, "runs.0.summary");
    for (const { path, value, text } of figures) {
      expect(value, path).toBe(String(lookUp(summary, ofSameStream(path, shown, summary)) ?? null));
      expect(text.trim(), path).not.toBe("");
    }
  });
}

/** A long summary is shortened for its page, so a stream has another index there but the same number. */
function ofSameStream(path: string, shown: unknown, summary: unknown): string {
  const [, list, at, field] = /^(load_points\.\d+\.streams\.streams)\.(\d+)\.(.*)$/.exec(path) ?? [];
  if (list === undefined) return path;
  const stream = lookUp(shown, `${list}.${at}.stream`);
  const all = lookUp(summary, list) as { stream: number }[];
  return `${list}.${all.findIndex((one) => one.stream === stream)}.${field}`;
}

/** The value at `load_points.0.total.ops`. */
function lookUp(root: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], root);
}

test("a frozen second is seen as late frames in every stream's strip", async ({ page }) => {
  const run = made().frozen;
  test.skip(run === null, NO_MOUNT);
  if (run === null) return;
  await page.goto(pathToFileURL(join(run, "report.html")).href);
  await expect(page.getByText(/NOT MET/).first()).toBeVisible();
  const data = JSON.parse((await page.locator("#reelgauge-data").textContent()) ?? "null") as {
    runs: { summary: { load_points: { streams: { total: { late_frames: number } } }[] };
      detail: { streams: { streams: { late_frames: number[] }[] }[] } }[];
  };
  const shown = data.runs[0]?.detail.streams[0]?.streams ?? [];
  const late = shown.map((strip) => strip.late_frames.reduce((sum, count) => sum + count, 0));
  expect(late.length).toBe(3);
  expect(Math.min(...late)).toBeGreaterThan(0);
  expect(late.reduce((sum, count) => sum + count, 0)).toBe(
    data.runs[0]?.summary.load_points[0]?.streams.total.late_frames,
  );
});

test("a report prints, in light colours and with everything on it", async ({ page }) => {
  await page.goto(pathToFileURL(join(made().ramp, "report.html")).href);
  await expect(page.locator("main")).toBeVisible();
  const pdf = await page.pdf({ format: "A4" });
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  expect(pdf.length).toBeGreaterThan(20_000);
});

test("a report is small and opens at once", async ({ page }) => {
  const file = join(made().ramp, "report.html");
  expect(statSync(file).size).toBeLessThan(8_000_000);
  await page.goto(pathToFileURL(file).href);
  await expect(page.locator("main h1")).toBeVisible();
});

test("licences of what is built in are on the page", async ({ page }) => {
  await page.goto(pathToFileURL(join(made().ramp, "report.html")).href);
  const licences = page.locator("details.licences");
  await licences.locator("summary").first().click();
  for (const name of ["echarts", "preact", "zrender", "tslib"]) {
    await expect(licences.getByText(name, { exact: false }).first()).toBeVisible();
  }
  await licences.getByText(/^echarts/).click();
  await expect(licences.getByText("Apache License").first()).toBeVisible();
});
