// Storage that stops responding during a run; and many tabs of one browser at once.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Page, expect, test } from "@playwright/test";
import { made } from "./made";
import { type Server, formatsOf, letIn, openMore, serve } from "./server";

/** How soon a silence must be shown in red. */
const RED_MS = 2_000;

/** A frame of 25 a second. */
const FRAME_MS = 40;

let server: Server;
let mount: string;
let runs: string;

test.beforeAll(async () => {
  const { root } = made();
  [mount, runs] = [join(root, "stall-disk"), join(root, "stall-runs")];
  for (const folder of [mount, runs]) mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0) {
    const image = join(root, "stall.img");
    execFileSync("truncate", ["-s", "1G", image]);
    execFileSync("mkfs.ext4", ["-q", "-F", image]);
    execFileSync("mount", ["-o", "loop", image, mount]);
  }
  server = await serve(runs, mount);
});

test.afterAll(async () => {
  await server.stop();
  if (process.getuid?.() === 0) execFileSync("umount", ["-l", mount]);
  rmSync(join(made().root, "stall.img"), { force: true });
});

/** Starts recorders of a light format with the form. */
async function record(page: Page, duration: string): Promise<void> {
  await page.goto(`${server.url}#/start/streams`);
  await page.getByRole("combobox", { name: "Format" }).fill("xdcam hd422 50 1080i 25");
  await formatsOf(page).first().click();
  await page.getByRole("radio", { name: /^recorder/ }).check();
  await page.getByLabel("How many streams").fill("2");
  await page.getByLabel("Buffer", { exact: true }).fill("3frames");
  await page.getByLabel("Measured time").fill(duration);
  await openMore(page);
  await page.getByLabel("Warm-up").fill("1s");
  await page.getByLabel("Clip", { exact: true }).fill("4s");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.locator(".late-now")).toContainText(/late frames?/, { timeout: 30_000 });
}

test("a stall is red within two seconds, and its late frames are those of the report", async ({ page }) => {
  test.skip(process.getuid?.() !== 0, "needs root to freeze a file system");
  test.setTimeout(120_000);
  await letIn(page, server);
  await record(page, "14s");
  // Keeps the last displayed count, because the page switches to the report at any time.
  await page.evaluate(() => {
    const note = () => {
      const shown = document.querySelector(".late-now:not(.no-answer) strong")?.textContent;
      if (shown) (window as unknown as { lastLate: string }).lastLate = shown;
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
    note();
  });
  await expect(page.locator(".progress")).toContainText(/[4-9](\.\d+)? s of/, { timeout: 30_000 });
  execFileSync("fsfreeze", ["-f", mount]);
  const begun = Date.now();
  try {
    await expect(page.locator(".no-answer.bad")).toContainText(/no answer for \d+\.\d s/, { timeout: RED_MS });
    expect(Date.now() - begun).toBeLessThan(RED_MS);
    await page.waitForTimeout(2_000);
    await expect(page.locator(".late-now.bad").last()).toContainText(/[1-9]\d* late frames/);
  } finally {
    execFileSync("fsfreeze", ["-u", mount]);
  }
  await expect(page.locator(".no-answer")).toHaveCount(0, { timeout: 10_000 });
  await expect(page).toHaveTitle(/^✕ \d+ late frames? – /);
  const live = await tableOf(page, "live-margin");
  await expect(page.getByRole("heading", { name: "Path to the storage" })).toBeVisible();
  await expect(page.locator("#answer")).toBeVisible({ timeout: 60_000 });
  const [id = ""] = readdirSync(runs);
  const summary = JSON.parse(readFileSync(join(runs, id, "summary.json"), "utf8")) as {
    load_points: { streams: { total: { late_frames: number } } }[];
  };
  const late = summary.load_points.reduce((sum, point) => sum + point.streams.total.late_frames, 0);
  expect(late).toBeGreaterThan(0);
  const shown = await page.evaluate(() => (window as unknown as { lastLate: string }).lastLate);
  expect(Number(shown.replace(/\D/g, ""))).toBe(late);
  assertSameMargins(await tableOf(page, "margin"), live);
});

/** The rows of a chart's table, as numbers. */
async function tableOf(page: Page, chart: string): Promise<number[][]> {
  const box = page.locator(`#${chart}`);
  await box.scrollIntoViewIfNeeded();
  await box.getByRole("button", { name: /^Save: / }).click();
  await box.getByRole("button", { name: "Show table" }).click();
  const rows = box.locator(".chart-table tbody tr");
  await expect(rows.first()).toBeVisible();
  const texts = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
  return texts.map((row) => row.map((text) => Number(text.replaceAll(",", ""))));
}

/**
 * Where the live view showed a margin, the report has the same, to one step of its bins and one frame. On a busy machine a
 * dip of one frame may lie between two samples: one in ten may be off by twice as much.
 */
function assertSameMargins(report: number[][], live: number[][]): void {
  const bins = report.map(([, from_s = NaN, to_s = NaN, margin_ms = NaN]) => ({ from_s, to_s, margin_ms }));
  const step_ms = Math.max(...bins.map(({ from_s, to_s }) => to_s - from_s)) * 1e3;
  let [compared, off, least] = [0, 0, Infinity];
  for (const [at_s = NaN, margin_ms = NaN] of live) {
    const near = bins.filter(({ from_s, to_s }) => from_s <= at_s + step_ms / 1e3 && to_s >= at_s - step_ms / 1e3);
    if (Number.isNaN(margin_ms) || near.length < 3) continue;
    const apart = Math.min(...near.map((bin) => Math.abs(bin.margin_ms - margin_ms)));
    expect(apart, `at ${at_s} s: live ${margin_ms} ms`).toBeLessThanOrEqual(2 * (step_ms + FRAME_MS));
    off += apart > step_ms + FRAME_MS ? 1 : 0;
    compared += 1;
    least = Math.min(least, margin_ms);
  }
  expect(compared).toBeGreaterThan(5);
  expect(off).toBeLessThanOrEqual(compared / 10);
  // The stall was in that period, and the report draws all of it.
  expect(least).toBeLessThan(-1_000);
  expect(Math.min(...bins.map(({ margin_ms }) => margin_ms))).toBeLessThanOrEqual(least + step_ms);
  const silent = bins.filter(({ margin_ms }) => margin_ms < 0);
  expect(silent.length * step_ms).toBeGreaterThan(1_000);
}

test("a seventh tab sees as much as the first", async ({ page, context }) => {
  test.setTimeout(120_000);
  test.skip(process.getuid?.() !== 0, "needs room of its own");
  await letIn(page, server);
  await record(page, "40s");
  const tabs = [page];
  while (tabs.length < 7) {
    const tab = await context.newPage();
    await tab.goto(page.url());
    await expect(tab.locator(".late-now")).toContainText(/late frames?/, { timeout: 10_000 });
    tabs.push(tab);
  }
  // All continue, not only the last one opened.
  for (const tab of tabs) {
    const time = tab.locator(".progress-time");
    const before = await time.textContent();
    await expect(time).not.toHaveText(before ?? "", { timeout: 10_000 });
  }
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByText(/interrupted/).first()).toBeVisible({ timeout: 30_000 });
});
