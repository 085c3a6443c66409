// A report without JavaScript, and as one screenshot of the whole page.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Page, expect, test } from "@playwright/test";
import { HOSTILE, made } from "./made";
import { type Name, RUNS, open, runOf } from "./run-page";

/** The largest number of open charts on a page. */
const MOST_CHARTS = 12;

/** The data of the application. */
function dataOf(path: string): { runs: { answer: { text: string }[]; hero: { cause: string; confidence: string }; incidents: { text: string }[] }[] } {
  const html = readFileSync(path, "utf8");
  const json = /id="reelgauge-data">(.*?)<\/script>/s.exec(html)?.[1] ?? "null";
  return JSON.parse(json);
}

for (const name of ["players", "frozen", "search", "vda", "before", "replay"] as const) {
  test(`${name}: without JavaScript the page has answer, cause, confidence, incidents and a table`, async ({ browser }) => {
    const run = await runOf(name);
    test.skip(run === null, "needs root, to freeze a file system");
    const path = join(run ?? "", "report.html");
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 800 } });
    const page = await context.newPage();
    await page.goto(pathToFileURL(path).href);
    const shown = ((await page.locator("body").innerText()) ?? "").replace(/\s+/g, " ");
    const { answer, hero, incidents } = dataOf(path).runs[0] ?? { answer: [], hero: { cause: "?", confidence: "?" }, incidents: [] };
    expect(answer.length).toBeGreaterThan(0);
    for (const words of [...answer.map(({ text }) => text), hero.cause, hero.confidence, ...incidents.map(({ text }) => text)])
      expect(shown).toContain(words.replace(/\s+/g, " "));
    // Each kind of run has its own table; a replay of one pass has none.
    if (name !== "replay") await expect(page.locator(".fallback pre")).toContainText(/\S+(\s+[\d.,-]+){3}/);
    expect(await page.title()).toContain("Reelgauge");
    const [wide, there] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    expect(wide).toBeLessThanOrEqual(there ?? 0);
    await context.close();
  });
}

test("without JavaScript hostile names are text", async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  for (const path of [join(made().hostile, "report.html"), made().hostileTrace, made().compared.page]) {
    await page.goto(pathToFileURL(path).href);
    await expect(page.locator(".fallback h1")).toBeVisible();
    expect(await page.locator("img").count(), path).toBe(0);
    expect(await page.locator("body").innerText()).not.toContain("\u202E");
  }
  await page.goto(pathToFileURL(join(made().hostile, "report.html")).href);
  await expect(page.locator(".fallback")).toContainText(HOSTILE.folder.slice(0, 20));
  await context.close();
});

const PLAYED = ["stream-strips", "throughput", "margin"];
const EBU = ["ebu-rate", "ebu-response-mean", "ebu-response-max", "ebu-transfer-rate", "throughput"];

/** The charts that a page opens with. The counters that explain a run, and have charts, depend on the
 * host. */
const CHARTS: Record<Name | "whole", string[]> = {
  players: PLAYED,
  frozen: PLAYED,
  search: ["search-trials", "search-steps", ...PLAYED],
  vda: ["vda-rate", "vda-response", "throughput"],
  before: ["throughput"],
  ramp: EBU,
  sweep: EBU,
  replay: ["throughput"],
  beside: PLAYED,
  check: ["throughput", "margin"],
  whole: ["host-rates", "host-slowest", "host-bars", "throughput"],
};

/** The number of visible charts, those without counters, and those without a drawing. */
async function charts(page: Page): Promise<{ shown: number; own: string[]; empty: string[] }> {
  return page.evaluate(() => {
    const shown = [...document.querySelectorAll<HTMLElement>("figure.chart")].filter((chart) => chart.checkVisibility());
    const isEmpty = (chart: HTMLElement) => {
      const canvas = chart.querySelector("canvas");
      const context = canvas?.getContext("2d");
      if (canvas == null || context == null || canvas.width === 0) return true;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      return !data.some((value, at) => at % 4 === 3 && value > 0);
    };
    const own = shown.map((chart) => chart.id).filter((id) => !id.startsWith("counter-"));
    return { shown: shown.length, own, empty: shown.filter(isEmpty).map((chart) => chart.id) };
  });
}

for (const name of [...RUNS, "whole"] as const) {
  test(`${name}: a picture of the whole page has no empty box, and few charts are open`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    if (name === "whole") await page.goto(pathToFileURL(join((await runOf("whole")) ?? "", "report.html")).href);
    else await open(page, name);
    await expect.poll(async () => (await charts(page)).own, { timeout: 15_000 }).toEqual(CHARTS[name]);
    await expect.poll(async () => (await charts(page)).empty, { timeout: 15_000 }).toEqual([]);
    expect((await charts(page)).shown).toBeLessThanOrEqual(MOST_CHARTS);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });
}

test("with everything opened no box is empty either", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, "players");
  const before = (await charts(page)).shown;
  await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => ((one as HTMLDetailsElement).open = true)));
  await expect.poll(async () => (await charts(page)).empty, { timeout: 20_000 }).toEqual([]);
  expect((await charts(page)).shown).toBeGreaterThan(before);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

for (const name of [...RUNS, "whole"] as const) {
  test(`${name}: no two open charts have one name, and none is of the tool's own cost`, async ({ page }) => {
    if (name === "whole") await page.goto(pathToFileURL(join((await runOf("whole")) ?? "", "report.html")).href);
    else await open(page, name);
    const titles = await page.locator("main figure.chart:visible .chart-head > :first-child").allTextContents();
    expect(titles.length).toBeGreaterThan(0);
    expect(new Set(titles).size, titles.join("; ")).toBe(titles.length);
    expect(titles.filter((title) => /^(.*: )?(This machine|Reelgauge itself|sampling)/.test(title))).toEqual([]);
  });
}

test("on paper nothing runs out of its frame", async ({ page }) => {
  // The width of A4 without its margins.
  await page.setViewportSize({ width: 703, height: 1000 });
  for (const name of ["players", "ramp", "replay"] as const) {
    await open(page, name);
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    const wide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("main :is(table, svg, pre)")]
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
          .map((one) => `${one.tagName} ${one.querySelector("caption")?.textContent ?? one.closest("section")?.id}`),
      );
    await expect.poll(wide, name).toEqual([]);
    await page.emulateMedia({ media: "screen" });
  }
});

test("the cause does not repeat the first sentence", async ({ page }) => {
  if (!(await open(page, "frozen"))) return;
  const headline = (await page.locator("#answer .headline").textContent()) ?? "";
  expect(headline).toContain("no response for");
  await expect(page.locator("#hero-cause")).not.toContainText("no response", { ignoreCase: true });
  await expect(page.locator("#hero-cause")).toContainText("storage");
});

test("counters that explain nothing are one table, and a click draws one", async ({ page }) => {
  await open(page, "players");
  await page.locator("#counters > details > summary").click();
  await expect(page.locator("#counters figure.chart")).toHaveCount(0);
  const rows = page.getByRole("table", { name: "Counters" }).locator("tbody tr");
  expect(await rows.count()).toBeGreaterThan(8);
  await expect(rows.first().locator(".spark polyline")).toHaveAttribute("points", /\d/);
  await rows.first().getByRole("button", { name: /^Draw/ }).click();
  await expect(page.locator("#counters figure.chart canvas")).toBeVisible();
});
