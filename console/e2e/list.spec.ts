// The list of runs: one time zone, suites with their runs, storage and tags to be found by.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { made } from "./made";
import { type Server, letIn, serve } from "./server";
import { BIN } from "./setup";
import { expectAccessible, expectButtonsWhole, expectNoOverflow } from "./watch";

let server: Server;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  const { root } = made();
  const [runs, target] = [join(root, "list-runs"), join(root, "list-target")];
  for (const folder of [runs, target]) mkdirSync(folder, { recursive: true });
  execFileSync(BIN, ["run", "naspt", "--target", target, "--batch", "1", "--quiet", "--out", runs], { stdio: "ignore" });
  const times = ["--duration", "1s", "--warmup", "0s", "--file-size", "4MiB"];
  const said = ["--storage", "make=Acme,firmware=7.2,raid=Z2", "--tag", "before"];
  execFileSync(BIN, ["mix", target, ...times, ...said, "--quiet", "--out", runs], { stdio: "ignore" });
  server = await serve(runs, root);
});

test.afterAll(async () => {
  await server.stop();
});

test("a suite stands in the list with its runs, and has a page of its own", async ({ page }) => {
  await letIn(page, server);
  await page.getByRole("link", { name: "suite naspt", exact: false }).first().click();
  await expect(page.getByRole("heading", { name: "Suite naspt" })).toBeVisible();
  await expect(page.getByText(/geometric mean of 12 workloads/)).toBeVisible();
  const workloads = page.getByRole("table", { name: "Workloads" });
  await expect(workloads.locator("tbody tr")).toHaveCount(12);
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

test("runs are found by storage and tag, and begun in one time zone", async ({ page }) => {
  await letIn(page, server);
  const table = page.getByRole("table", { name: "Runs" });
  await expect(table.getByRole("columnheader", { name: /begun, UTC/ })).toBeVisible();
  const search = page.getByRole("searchbox");
  await search.fill("acme raid z2 before");
  await expect(table.locator("tbody tr")).toHaveCount(1);
  await expect(table.locator("tbody tr")).toContainText("Acme 7.2 raid Z2");
  await expect(table.locator("tbody tr").locator(".tag")).toHaveText("before");
  const begun = (await table.locator("tbody tr td").filter({ hasText: /^\d{4}-\d\d-\d\d \d\d:\d\d$/ }).textContent()) ?? "";
  await table.getByRole("link", { name: /^mix/ }).click();
  // The run's page says the same hour, with the zone's name.
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
