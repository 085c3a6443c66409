// The list of runs: one time zone, suites with their runs, and a search by storage and tags.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { made } from "./made";
import { type Server, letIn, serve } from "./server";
import { BIN } from "./setup";
import { expectAccessible, expectButtonsWhole, expectNoOverflow } from "./watch";

let server: Server;
let runsFolder: string;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  const { root } = made();
  const [runs, target] = [join(root, "list-runs"), join(root, "list-target")];
  runsFolder = runs;
  // Runs again after a failed test.
  rmSync(runs, { recursive: true, force: true });
  for (const folder of [runs, target]) mkdirSync(folder, { recursive: true });
  execFileSync(BIN, ["run", "naspt", "--target", target, "--batch", "1", "--quiet", "--out", runs], { stdio: "ignore" });
  // Another suite, with the same figures.
  const [first = ""] = readdirSync(runs);
  cpSync(join(runs, first), join(runs, first.replace(/^\d{4}/, "2001")), { recursive: true });
  const times = ["--duration", "1s", "--warmup", "0s", "--file-size", "4MiB"];
  const said = ["--storage", "make=Acme,firmware=7.2,raid=Z2", "--tag", "before"];
  execFileSync(BIN, ["mix", target, ...times, ...said, "--quiet", "--out", runs], { stdio: "ignore" });
  cpSync(made().whole, join(runs, "whole"), { recursive: true });
  server = await serve(runs, root);
});

test.afterAll(async () => {
  await server.stop();
});

interface SuiteRow {
  workload: string;
  median_bytes_per_s: number;
}

/** The rows in the suites' own files. Both have the same figures. */
function figuresOfSuite(): SuiteRow[] {
  const [suite = ""] = readdirSync(runsFolder).filter((name) => existsSync(join(runsFolder, name, "suite.json")));
  const file = JSON.parse(readFileSync(join(runsFolder, suite, "suite.json"), "utf8")) as { table: { rows: SuiteRow[] } };
  return file.table.rows;
}

/** Compares MB/s in words with a rate, to the three digits that are shown. */
function near(words: string | null, bytes_per_s: number): void {
  const shown = Number((words ?? "").replaceAll(",", ""));
  expect(Math.abs(shown / (bytes_per_s / 1e6) - 1), `${words} for ${bytes_per_s}`).toBeLessThan(0.006);
}

test("a suite stands in the list with its runs, and has a page of its own", async ({ page }) => {
  await letIn(page, server);
  await page.getByRole("link", { name: "suite naspt", exact: false }).first().click();
  await expect(page.getByRole("heading", { name: "Suite naspt" })).toBeVisible();
  await expect(page.getByText(/geometric mean of 12 workloads/)).toBeVisible();
  const workloads = page.getByRole("table", { name: "Workloads" });
  await expect(workloads.locator("tbody tr")).toHaveCount(12);
  const rows = figuresOfSuite();
  for (const [at, { workload, median_bytes_per_s }] of rows.entries()) {
    const row = workloads.locator("tbody tr").nth(at);
    await expect(row.locator("th")).toHaveText(workload);
    near(await row.locator("td").first().textContent(), median_bytes_per_s);
    // Every workload reports that the client's cache was used.
    await expect(row).toContainText(/client cache|cache answered|memory/);
  }
  const logs = rows.map((row) => Math.log(row.median_bytes_per_s));
  const mean = Math.exp(logs.reduce((sum, one) => sum + one, 0) / logs.length);
  near(/([\d.,]+) MB\/s in the geometric mean/.exec((await page.locator(".headline").textContent()) ?? "")?.[1] ?? null, mean);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  const answer = await page.getByText(/geometric mean of 12 workloads/).boundingBox();
  expect((answer?.y ?? 0) + (answer?.height ?? Infinity)).toBeLessThanOrEqual(600);
  for (const width of [390, 2560]) {
    await page.setViewportSize({ width, height: 1440 });
    await expectNoOverflow(page);
    await expectButtonsWhole(page);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await workloads.getByRole("link", { name: "FileCopyToNAS-synth" }).click();
  await expect(page.locator("#answer")).toContainText("FileCopyToNAS-synth");
});

test("the runs of a suite are folded under it until somebody wants them or a search finds them", async ({ page }) => {
  await letIn(page, server);
  const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
  await expect(rows).toHaveCount(4);
  await expect(page.locator(".list-filter .count")).toHaveText("26 runs in 4 rows");
  await rows.filter({ hasText: "suite naspt" }).first().getByRole("button", { name: "12 runs" }).click();
  await expect(rows).toHaveCount(16);
  await expect(rows.filter({ hasText: "part of the suite" })).toHaveCount(12);
  await expectAccessible(page);
  await page.getByRole("searchbox").fill("PhotoAlbum");
  await expect(rows).toHaveCount(4);
  await expect(page.getByRole("button", { name: "1 of 12 runs" }).first()).toBeVisible();
});

test("a screen holds a dozen runs, which are sorted by their figures", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await letIn(page, server);
  const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
  await rows.filter({ hasText: "suite naspt" }).first().getByRole("button", { name: "12 runs" }).click();
  await expect(rows).toHaveCount(16);
  const bottoms = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().bottom));
  expect(bottoms.filter((bottom) => bottom <= 900).length).toBeGreaterThanOrEqual(10);
  const heading = page.getByRole("columnheader", { name: /^MB\/s/ });
  await page.getByRole("searchbox").fill("");
  await heading.getByRole("button").click();
  // Runs of a suite keep the order of the suite.
  const tops = rows.and(page.locator(":not(.member)"));
  await expect(tops).toHaveCount(4);
  const rates = await tops.evaluateAll((all) => all.map((row) => row.children[7]?.textContent ?? ""));
  const known = rates.map((text) => Number(text.replaceAll(",", ""))).filter((rate) => rate > 0);
  expect(known.length).toBeGreaterThan(1);
  expect(known).toEqual([...known].sort((one, two) => two - one));
});

test("a run of several hosts is not begun again from here, and licences are no place to go", async ({ page }) => {
  await letIn(page, server);
  const row = page.getByRole("table", { name: "Runs" }).locator("tbody tr").filter({ hasText: "whole" });
  await expect(row.getByRole("button", { name: /^Delete/ })).toBeVisible();
  await expect(row.getByRole("link", { name: /^Run again/ })).toHaveCount(0);
  await expect(page.getByRole("link", { name: /^Run again/ }).first()).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Console" }).getByRole("link")).toHaveText(["Runs", "Start a run", "Traces"]);
  await page.getByRole("link", { name: "Licences", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Licences" })).toBeVisible();
});

test("search and choice are there on the way back", async ({ page }) => {
  await letIn(page, server);
  await page.getByRole("searchbox").fill("acme");
  await page.getByRole("checkbox", { name: /^Compare .*production-edit/ }).check();
  await page.getByRole("table", { name: "Runs" }).getByRole("link", { name: /^mix/ }).click();
  await expect(page.locator("#answer")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("searchbox")).toHaveValue("acme");
  await expect(page.getByRole("checkbox", { name: /^Compare .*production-edit/ })).toBeChecked();
});

test("two suites are compared, and a suite with a run is refused in words", async ({ page }) => {
  await letIn(page, server);
  const boxes = page.getByRole("checkbox", { name: /^Compare .*naspt/ });
  await boxes.nth(0).check();
  await page.getByRole("checkbox", { name: /^Compare .*production-edit/ }).check();
  await expect(page.locator(".choice > span")).not.toBeEmpty();
  await expect(page.locator(".choice > a")).toHaveCount(0);
  await page.getByRole("checkbox", { name: /^Compare .*production-edit/ }).uncheck();
  await boxes.nth(1).check();
  await page.getByRole("link", { name: "Compare 2 suites" }).click();
  await expect(page.locator(".headline")).toContainText("1.00 times as fast as 2001-");
  await expect(page.locator(".headline")).toContainText("in the geometric mean of the 12 workloads that both have");
  await expect(page.getByRole("table", { name: "Workloads", exact: true }).locator("tbody tr")).toHaveCount(12);
  await expectAccessible(page);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page);
  }
});

test("runs are found by storage and tag, and begun in one time zone", async ({ page }) => {
  await letIn(page, server);
  const table = page.getByRole("table", { name: "Runs" });
  await expect(table.getByRole("columnheader", { name: /started, UTC/ })).toBeVisible();
  const search = page.getByRole("searchbox");
  await search.fill("acme raid z2 before");
  await expect(table.locator("tbody tr")).toHaveCount(1);
  await expect(table.locator("tbody tr")).toContainText("Acme 7.2 raid Z2");
  await expect(table.locator("tbody tr").locator(".tag")).toHaveText("before");
  const begun = (await table.locator("tbody tr td").filter({ hasText: /^\d{4}-\d\d-\d\d \d\d:\d\d$/ }).textContent()) ?? "";
  await table.getByRole("link", { name: /^mix/ }).click();
  // The run's page shows the same hour, with the zone's name.
  await expect(page.locator("#answer")).toContainText(new RegExp(`, ${begun.slice(11, 16)}:\\d\\d UTC`));
});

test("on a phone buttons keep their words", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await letIn(page, server);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.getByRole("link", { name: /^Run again/ }).first()).toBeVisible();
    await expectNoOverflow(page);
    await expectButtonsWhole(page);
    await expectAccessible(page);
  }
});
