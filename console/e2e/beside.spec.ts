// The path to the disks with the ceiling of each hop, and the marks on the time axis of a run.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { made } from "./made";
import { open } from "./run-page";
import { expectAccessible, expectNoOverflow, watch } from "./watch";

interface Told {
  path: { hops: { kind: string; ceiling_bytes_per_s: number | null; measured_bytes_per_s: number | null }[]; lowest: number | null };
  marks: { kind: string; began_s: number; ended_s: number }[];
  load_points: { total: { read_bytes_per_s: number } }[];
}

function summary(): Told {
  return JSON.parse(readFileSync(join(made().beside ?? "", "summary.json"), "utf8")) as Told;
}

/** Compares MB/s in words with a rate, to the three digits that are shown. */
function near(words: string, bytes_per_s: number): void {
  const shown = Number(words.replaceAll(",", ""));
  expect(Math.abs(shown / (bytes_per_s / 1e6) - 1), `${words} for ${bytes_per_s}`).toBeLessThan(0.006);
}

test("the path has every hop, with its ceiling and measured rate, the lowest marked and the unknown unknown", async ({ page }) => {
  if (!(await open(page, "beside"))) return;
  const { path, load_points } = summary();
  const hops = page.locator("[data-hop]");
  await expect(hops).toHaveCount(path.hops.length);
  const texts = await hops.allInnerTexts();
  expect(path.hops.map((hop) => hop.kind)).toEqual(["client_link", "switch", "server_link", "server_memory", "backplane", "disks"]);
  for (const [at, hop] of path.hops.entries()) {
    const text = texts[at] ?? "";
    const [, ceiling] = /at most ([\d.,]+) MB\/s/.exec(text) ?? [];
    const [, measured] = /([\d.,]+) MB\/s measured/.exec(text) ?? [];
    expect(ceiling === undefined, text).toBe(hop.ceiling_bytes_per_s === null);
    expect(measured === undefined, text).toBe(hop.measured_bytes_per_s === null);
    if (ceiling !== undefined) near(ceiling, hop.ceiling_bytes_per_s ?? 0);
    if (measured !== undefined) near(measured, hop.measured_bytes_per_s ?? 0);
    expect(await hops.nth(at).locator(".hop-mark").count(), text).toBe(at === path.lowest ? 1 : 0);
  }
  // 1 Gbit/s of Ethernet is slower than three of the four disks; the site does not describe the backplane.
  expect(path.lowest).toBe(2);
  expect(texts[2]).toMatch(/1\sGbit\/s/);
  near(/at most ([\d.,]+) MB/.exec(texts[5] ?? "")?.[1] ?? "", 3 * 150e6);
  expect(texts[4]).toMatch(/^backplane\s+unknown$/);
  near(/([\d.,]+) MB\/s measured/.exec(texts[0] ?? "")?.[1] ?? "", load_points[0]?.total.read_bytes_per_s ?? 0);
  expect(texts[0] ?? "").not.toMatch(/(^|[^\d.,])0 MB\/s/);
});

/** How many areas of the colour of marks a chart's picture has. */
async function areas(page: Page, chart: string): Promise<number> {
  const box = page.locator(`#${chart}`);
  await box.scrollIntoViewIfNeeded();
  await box.getByRole("button", { name: /^Save: / }).click();
  const download = page.waitForEvent("download");
  await box.getByRole("button", { name: /^SVG / }).click();
  const svg = readFileSync(await (await download).path(), "utf8");
  return svg.match(/fill-opacity="0\.2"/g)?.length ?? 0;
}

test("marks are drawn on the run's time axis, told with their times, and shown by a click", async ({ page }) => {
  if (!(await open(page, "beside"))) return;
  const { marks } = summary();
  expect(marks.map((mark) => mark.kind)).toContain("remount");
  const told = page.locator("#beside [data-mark]");
  await expect(told).toHaveCount(marks.length);
  for (const [at] of marks.entries()) await expect(told.nth(at)).toContainText(/\s(at|between|from)\s[\d.]+\ss/);
  for (const chart of ["stream-strips", "throughput"]) expect(await areas(page, chart), chart).toBe(marks.length);
  // The margins show their warm-up in the same way.
  expect(await areas(page, "margin")).toBeGreaterThanOrEqual(marks.length);
  const remount = marks.findIndex((mark) => mark.kind === "remount");
  await told.nth(remount).getByRole("button").click();
  const period = /^([\d.]+) s to ([\d.]+) s/.exec((await page.locator(".strip-words output").textContent()) ?? "");
  expect(Number(period?.[1])).toBeLessThanOrEqual(marks[remount]?.began_s ?? 0);
  expect(Number(period?.[2])).toBeGreaterThanOrEqual(marks[remount]?.ended_s ?? Infinity);
});

test("what to do next is on the first screen", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  if (!(await open(page, "beside"))) return;
  const next = page.locator("[data-next-step]");
  await expect(next).toHaveCount(1);
  const box = await next.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(600);
  await expect(next).toContainText("--find-max");
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`path and marks are for everybody and nothing overlaps, ${colorScheme}`, async ({ page }) => {
    const seen = watch(page);
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      if (!(await open(page, "beside"))) return;
      await page.locator("#beside").scrollIntoViewIfNeeded();
      await expectNoOverflow(page);
      expect(await crossed(page)).toEqual([]);
      await expectAccessible(page);
    }
    expect(seen.errors).toEqual([]);
  });
}

/** Words of the section of which one lies over another. */
async function crossed(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>("#beside .hop > *, #beside [data-mark], #beside h3, #beside p")];
    const boxes = all.map((one) => ({ one, box: one.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
    const over = (a: DOMRect, b: DOMRect) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    return boxes.flatMap((a, at) =>
      boxes.slice(at + 1).filter((b) => over(a.box, b.box)).map((b) => `${a.one.textContent ?? ""} over ${b.one.textContent ?? ""}`),
    );
  });
}
