// A run's page for a reader who has a minute: number, verdict and cause first, the rest folded; incidents, cursor, link,
// explained terms; on a phone and on a wall display. Exports: taken-away.spec.ts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { fileOf, rowsOf } from "./chart-file";
import { firstLook, made } from "./made";
import { open, RUNS } from "./run-page";
import { expectAccessible, expectNoOverflow, watch } from "./watch";

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const WALL = { width: 2560, height: 1440 };

/** The height of the page in CSS pixels. */
async function heightOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollHeight);
}

/** The number of tab stops. */
async function tabStops(page: Page): Promise<number> {
  return page.evaluate(() => {
    const stops = document.querySelectorAll<HTMLElement>('a[href],button,input,select,summary,[tabindex="0"]');
    return [...stops].filter((stop) => stop.checkVisibility({ visibilityProperty: true })).length;
  });
}

for (const name of RUNS) {
  test(`${name}: number, verdict and cause at once, and a page that ends`, async ({ page }) => {
    await page.setViewportSize(DESK);
    if (!(await open(page, name))) return;
    const said = ["#answer .hero-count", "#answer .hero-number .verdict", "#hero-cause", "#hero-confidence", "#hero-storage"];
    for (const part of said) {
      const element = page.locator(part);
      expect(((await element.textContent()) ?? "").trim(), part).not.toBe("");
      const box = await element.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? Infinity), part).toBeLessThanOrEqual(600);
    }
    expect(await heightOf(page)).toBeLessThanOrEqual(5_000);
    expect(await tabStops(page)).toBeLessThanOrEqual(90);
  });

  test(`${name}: on a phone nothing is cut or overlaps, on a wall charts are wider`, async ({ page }) => {
    await page.setViewportSize(DESK);
    if (!(await open(page, name))) return;
    const [desk, chart] = [await heightOf(page), await widest(page)];
    await page.setViewportSize(WALL);
    await expectNoOverflow(page);
    expect(await heightOf(page)).toBeLessThanOrEqual(desk);
    expect(await widest(page)).toBeGreaterThan(chart * 1.4);
    await page.setViewportSize(PHONE);
    await expectNoOverflow(page);
    expect(await cutButtons(page)).toEqual([]);
    expect(await overlaps(page)).toEqual([]);
  });
}

/** The width of the widest chart. */
async function widest(page: Page): Promise<number> {
  return page.evaluate(() => {
    const charts = [...document.querySelectorAll("figure.chart")].filter((chart) => chart.checkVisibility());
    return Math.max(0, ...charts.map((chart) => chart.getBoundingClientRect().width));
  });
}

/** Buttons with truncated text. */
async function cutButtons(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button")]
      .filter((button) => button.checkVisibility() && button.scrollWidth > button.clientWidth + 1)
      .map((button) => button.textContent ?? ""),
  );
}

/** Controls, headings and plots that overlap. */
async function overlaps(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>("main button, main select, main h2, main h3, main .chart-canvas")];
    const shown = all.filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest(".strip") === null);
    const boxes = shown.map((one) => ({ one, box: one.getBoundingClientRect() }));
    const over = (a: DOMRect, b: DOMRect) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    return boxes.flatMap((a, at) =>
      boxes
        .slice(at + 1)
        .filter((b) => !a.one.contains(b.one) && !b.one.contains(a.one) && over(a.box, b.box))
        .map((b) => `${a.one.textContent ?? ""} over ${b.one.textContent ?? ""}`),
    );
  });
}

test("what is folded is closed, opens for a link to it, and is on paper", async ({ page }) => {
  await page.setViewportSize(DESK);
  await open(page, "players");
  const folds = page.locator(".folded > details");
  expect(await folds.count()).toBeGreaterThan(8);
  expect(await page.locator(".folded > details[open]").count()).toBe(0);
  expect(await page.locator("canvas").count()).toBeLessThan(8);
  const inside = page.locator("#latency canvas");
  expect(await inside.count()).toBe(0);
  await page.getByRole("link", { name: "Response times", exact: true }).click();
  await expect(page.locator("#latency > details")).toHaveAttribute("open", "");
  await expect(inside.first()).toBeVisible();
  expect(page.url()).toMatch(/#latency$/);
  await open(page, "players", "#configuration");
  await page.reload();
  await expect(page.locator("#configuration > details")).toHaveAttribute("open", "");
  await expect(page.getByRole("heading", { name: "Run it again" })).toBeInViewport();
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  expect(await page.locator("main .folded > details:not([open])").count()).toBe(0);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  expect(await page.locator("main .folded > details[open]").count()).toBe(1);
});

for (const name of ["frozen", "check", "search"] as const) {
  test(`${name}: with everything open it is for everybody, in light and dark`, async ({ page }) => {
    const seen = watch(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(DESK);
      if (!(await open(page, name))) return;
      await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => ((one as HTMLDetailsElement).open = true)));
      await page.getByRole("button", { name: /^Save: / }).first().click();
      await expectAccessible(page);
      await expectNoOverflow(page);
    }
    expect(seen.errors).toEqual([]);
  });
}

test("an incident is marked in every chart with time, and shown by a click in all of them", async ({ page }) => {
  await page.setViewportSize(DESK);
  if (!(await open(page, "frozen"))) return;
  for (const chart of ["stream-strips", "throughput", "margin"])
    expect(await fileOf(page, chart, "SVG"), chart).toMatch(/fill-opacity="0.16"/);
  const whole = await page.locator(".strip-words output").textContent();
  expect(whole).toMatch(/^All: /);
  await page.getByRole("button", { name: /late frames? on/ }).first().click();
  const period = /^([\d.]+) s to ([\d.]+) s/.exec((await page.locator(".strip-words output").textContent()) ?? "");
  expect(period).not.toBeNull();
  const summary = JSON.parse(readFileSync(join(made().frozen ?? "", "summary.json"), "utf8")) as {
    load_points: { streams: { incidents: { began_s: number; ended_s: number; late_frames: number }[] } }[];
  };
  const incidents = summary.load_points[0]?.streams.incidents ?? [];
  const worst = incidents.reduce((most, one) => (one.late_frames > most.late_frames ? one : most));
  expect(Number(period?.[1])).toBeLessThan(worst.began_s);
  expect(Number(period?.[2])).toBeGreaterThan(worst.ended_s);
  expect(page.url()).toMatch(/[?&]t=/);
  // On paper it is plain text instead of a button.
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("[data-incident]").first()).toBeVisible();
  await expect(page.locator("#incidents .term > .word")).toBeVisible();
});

test("one cursor stands in all charts with time", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 2400 });
  if (!(await open(page, "frozen"))) return;
  const throughput = page.locator("#throughput .chart-canvas");
  await throughput.scrollIntoViewIfNeeded();
  await expect(page.locator("#margin canvas")).toBeVisible();
  const box = await throughput.boundingBox();
  if (box === null) throw new Error("the chart has no place");
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
  const lines = page.locator(".chart-cursor");
  await expect.poll(() => lines.count()).toBeGreaterThan(2);
  const lefts = await lines.evaluateAll((all) => all.map((line) => line.getBoundingClientRect().left));
  expect(Math.max(...lefts) - Math.min(...lefts)).toBeLessThan(1.5);
  expect(Math.abs((lefts[0] ?? 0) - (box.x + box.width * 0.6))).toBeLessThan(2);
  await page.mouse.move(5, 5);
  await expect(lines).toHaveCount(0);
});

test("response times first, and EBU latency by the paper's definition behind them, over what was swept", async ({ page }) => {
  await page.setViewportSize(DESK);
  await open(page, "sweep");
  const first = await page.locator("#ebu h3:visible").allTextContents();
  // The paper's main figure comes last in the first group.
  const times = ["Throughput", "Mean response time", "Longest response time"];
  expect(first.map((title) => title.split(" by ")[0])).toEqual([...times, "Transfer rate of one worker with 1 MiB blocks"]);
  await expect(page.locator("#ebu-transfer-rate figcaption")).toHaveText("Corresponds to EBU Tech 3362, Figure 20.");
  await page.locator("#ebu details > summary").first().click();
  const summary = JSON.parse(readFileSync(join(made().sweep, "summary.json"), "utf8")) as Papers;
  // 1 MiB as in the paper, then every other choice: each point of each chart is that of the tables.
  const pick = page.getByLabel(/^Block size/);
  await expect(pick).toHaveValue("1048576");
  for (const block of [1048576, 4096, null]) {
    await pick.selectOption(String(block));
    await expectPaper(page, summary, "ebu-transfer-rate", "transfer_rate_while_transferring_mb_per_s", block);
    await expectPaper(page, summary, "ebu-mean", "average_latency_ms", block);
  }
  // Charts of response times have distinct names, and no two charts share one.
  const titles = await page.locator("#ebu h3").allTextContents();
  expect(titles.filter((title) => /response time/i.test(title)).length).toBe(2);
  expect(new Set(titles).size).toBe(titles.length);
});

test("strips: streams in time have no gaps, and the probes of a look have rows of their own", async ({ page }) => {
  await page.setViewportSize(DESK);
  await open(page, "players");
  const rows = await stripRows(page);
  expect(rows.length).toBeGreaterThan(10);
  for (let at = 1; at < rows.length; at += 1) {
    const [before, now] = [rows[at - 1], rows[at]];
    if (before?.stream === now?.stream) expect(now?.from).toBeCloseTo(before?.to ?? 0, 6);
  }
  await open(page, "check", "#strips");
  const formats = new Map<string, Set<string>>();
  for (const { point, name } of await stripRows(page)) formats.set(point, (formats.get(point) ?? new Set()).add(name));
  // Each load point of a quick check has one format, and each row names it.
  expect(new Set([...formats.values()].flatMap((names) => [...names])).size).toBeGreaterThan(2);
  for (const names of formats.values()) expect(names.size).toBe(1);
});

const ACCESS: Record<string, string> = {
  seq_rd: "sequential read",
  rand_rd: "random read",
  seq_wr: "sequential write",
  rand_wr: "random write",
};

type PaperField = "transfer_rate_while_transferring_mb_per_s" | "average_latency_ms";

interface Papers {
  load_points: { sweep_value: string; paper: { cells: ({ mode: string; block_bytes: number | null } & Record<PaperField, number | null>)[] } }[];
}

/** A chart of the paper has a line for each type of access that was measured, with the values of the tables. */
async function expectPaper(page: Page, summary: Papers, chart: string, field: PaperField, block: number | null): Promise<void> {
  const [head, ...rows] = await rowsOf(page, chart);
  const valuesOf = (mode: string) =>
    summary.load_points.map((point) => {
      const value = point.paper.cells.find((one) => one.mode === mode && one.block_bytes === block)?.[field] ?? null;
      return value === null ? "" : String(value);
    });
  const there = Object.keys(ACCESS).filter((mode) => valuesOf(mode).some((value) => Number(value) > 0));
  expect(there.length, chart).toBeGreaterThan(0);
  expect(head?.[0]).toBe("random transfers, %");
  expect(head?.slice(1).map((title) => title.split(",")[0]), chart).toEqual(there.map((mode) => ACCESS[mode]));
  there.forEach((mode, at) => expect(rows.map((row) => row[at + 1]), `${chart}, ${mode}, ${block}`).toEqual(valuesOf(mode)));
  expect(rows.map((row) => row[0])).toEqual(summary.load_points.map((point) => point.sweep_value));
}

interface StripRow {
  point: string;
  stream: string;
  name: string;
  from: number;
  to: number;
}

async function stripRows(page: Page): Promise<StripRow[]> {
  const lines = (await fileOf(page, "stream-strips", "CSV")).trim().split("\r\n").slice(1);
  return lines.map((line) => {
    const [, point = "", stream = "", name = "", from = "", to = ""] =
      /^(\d+),(\d+),("[^"]*"|[^,]*),([\d.]+),([\d.]+)/.exec(line) ?? [];
    return { point, stream, name, from: Number(from), to: Number(to) };
  });
}

test("percentiles are shown as far as their count carries them, with the reason", async ({ page }) => {
  await page.setViewportSize(DESK);
  await open(page, "players", "#latency");
  const table = page.getByRole("table", { name: "Times of single operations, by kind" });
  const titles = await table.locator("thead th").allTextContents();
  for (const [name, needed] of [["p50", 2], ["p95", 20], ["p99", 100], ["p99.9", 1000]] as const) {
    const column = titles.findIndex((title) => title.startsWith(`${name}, ms`));
    for (const row of await table.locator("tbody tr").all()) {
      const counted = Number(((await row.locator("td").first().textContent()) ?? "").replace(/,/g, ""));
      // A percentile without enough operations in any kind has no column.
      if (column < 0) expect(counted).toBeLessThan(needed);
      else await expect(row.locator("td").nth(column - 1).locator(".not-carried")).toHaveCount(counted < needed ? 1 : 0);
    }
  }
});

test("words are explained by hover, by focus and by touch", async ({ browser }) => {
  const context = await browser.newContext({ hasTouch: true, viewport: DESK });
  const page = await context.newPage();
  if (await open(page, "frozen")) {
    const word = page.getByRole("button", { name: "incident", exact: true });
    const told = page.getByRole("tooltip").filter({ hasText: "One disturbance" });
    await expect(told).toHaveCount(0);
    await word.hover();
    await expect(told).toBeVisible();
    await page.mouse.move(5, 5);
    await expect(told).toHaveCount(0);
    await word.focus();
    await expect(told).toBeVisible();
    await expect(word).toHaveAccessibleDescription(/One disturbance/);
    await page.keyboard.press("Escape");
    await expect(told).toHaveCount(0);
    await word.blur();
    await word.tap();
    await expect(told).toBeVisible();
    await page.locator("#hero-cause").tap();
    await expect(told).toHaveCount(0);
  }
  await context.close();
});

test("every word of the trade is explained somewhere", async ({ page }) => {
  const explained = new Set<string>();
  for (const name of ["frozen", "vda", "sweep"] as const) {
    if (made()[name] === null) continue;
    await open(page, name);
    for (const word of await page.locator(".term > button").allTextContents()) explained.add(word.toLowerCase());
    await expect(page.locator("#latency .about")).toContainText(/response time.*service time/i);
    if (name === "sweep") await expect(page.locator("#ebu .about")).toContainText("EBU latency");
  }
  const expected = ["knee", "scheduling delay of reelgauge, p99"];
  if (made().frozen !== null) expected.push("margin", "headroom", "incident");
  for (const word of expected) expect([...explained]).toContain(word);
});

test("a count stands beside links and needs, each with what it assumes", async ({ page }) => {
  await page.setViewportSize(DESK);
  await open(page, "check");
  const scale = page.locator("#good");
  for (const name of ["1 GbE", "10 GbE", "25 GbE", "100 GbE", "a facility with four edit seats", "a newsroom of twenty"])
    await expect(scale.getByRole("row", { name: new RegExp(`^${name} `) })).toContainText(/MB\/s|streams/);
  await expect(scale.getByText("this run")).toBeVisible();
});

/** The start of the visible period, in seconds. */
function periodIn(words: string | null): number {
  return Number(/^[\d.]+/.exec(words ?? "")?.[0] ?? NaN);
}

test("period, load point and stream are in the link", async ({ page }) => {
  await page.setViewportSize(DESK);
  await open(page, "search");
  await page.locator(".strip-choice select").selectOption("1");
  await page.getByRole("button", { name: "Shorter period" }).click();
  await page.getByRole("link", { name: "Stream table" }).click();
  await page.locator("#streams").getByLabel("Load point").selectOption({ index: 0 });
  const [link, words] = [page.url(), await page.locator(".strip-words output").textContent()];
  expect(link).toMatch(/#streams\?t=[\d.]+-[\d.]+&point=0&stream=1$/);
  const other = await page.context().newPage();
  await other.goto(link);
  await expect(other.locator(".strip-words output")).toHaveText(/ s to /);
  expect(periodIn(await other.locator(".strip-words output").textContent())).toBeCloseTo(periodIn(words), 1);
  await expect(other.locator(".strip-choice select")).toHaveValue("1");
  await expect(other.locator("#streams").getByLabel("Load point")).toHaveValue("0");
  await expect(other.locator("#streams > details")).toHaveAttribute("open", "");
  expect(other.url()).toBe(link);
  await other.close();
});

test("check opens with a table: formats down, play and record across, and one next step", async ({ page }) => {
  await page.setViewportSize(DESK);
  await open(page, "check");
  const table = page.getByRole("table", { name: "Formats" });
  const box = await table.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(DESK.height);
  const heads = await table.locator("thead th").allTextContents();
  expect(heads.slice(1, 3).map((head) => head.replace(/[↕↓↑]/, ""))).toEqual(["play", "record"]);
  const facts = (JSON.parse(readFileSync(join(await firstLook(), "summary.json"), "utf8")) as { check: { formats: Count[] } }).check;
  const rows = table.locator("tbody tr");
  await expect(rows).toHaveCount(facts.formats.length);
  for (const [at, format] of facts.formats.entries())
    for (const [column, work] of (["play", "record"] as const).entries()) {
      const cell = rows.nth(at).locator("td").nth(column);
      const found = format[work];
      if (found === null || (found.at_least && found.streams === 0)) {
        await expect(cell).toHaveText(/not (measured|known)/);
        continue;
      }
      // A result of a short trial alone, as on a busy host, has no tick and is no bound.
      const isShort = found.basis === "short_trial";
      const sign = found.streams === 0 ? /^✗ / : isShort ? /^\d/ : /^✓ /;
      await expect(cell).toHaveText(sign);
      expect(((await cell.textContent()) ?? "").includes("at least")).toBe(found.at_least && !isShort);
    }
  await expect(page.locator(".check")).toContainText("Rates");
  await expect(page.locator("[data-next-step]")).toHaveCount(1);
});

interface Count {
  play: { streams: number; at_least: boolean; basis: string } | null;
  record: { streams: number; at_least: boolean; basis: string } | null;
}
