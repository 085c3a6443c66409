// A procedure from its form to its page: the steps with their states, a link to each run, and the
// conclusions. A stopped procedure keeps its measurements.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { made } from "./made";
import { type Server, letIn, serve } from "./server";
import { expectAccessible, expectNoOverflow } from "./watch";

let server: Server;

test.beforeAll(async () => {
  const { root } = made();
  const [runs, target] = [join(root, "procedure-runs"), join(root, "procedure-target")];
  mkdirSync(runs, { recursive: true });
  mkdirSync(target, { recursive: true });
  server = await serve(runs, target);
});

test.afterAll(async () => {
  await server.stop();
});

/** Starts this procedure with these settings, through the form. */
async function start(page: Page, name: string, settings: string): Promise<void> {
  await letIn(page, server);
  await page.goto(`${server.url}#/start/procedure`);
  await page.getByLabel("Procedure", { exact: true }).selectOption(name);
  await page.getByLabel("Settings").fill(settings);
  await expect(page.getByRole("region", { name: "Before the start" })).toContainText(`reelgauge procedure ${name}`);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByRole("heading", { name: /^Procedure/ })).toBeVisible({ timeout: 30_000 });
}

const steps = (page: Page) => page.getByRole("table", { name: "Steps" }).locator("tbody tr");

test("a procedure goes through its steps, and each step leads to its run", async ({ page }) => {
  test.setTimeout(120_000);
  await start(page, "create-vs-overwrite", "duration=1s\nwarmup=0s\nfile-size=2MiB\nlength=2MiB\nworkers=1");
  await expect(steps(page)).toHaveCount(2, { timeout: 60_000 });
  await expect(steps(page).nth(1)).toContainText("done", { timeout: 60_000 });
  await expect(page.locator("pre.plan")).toContainText(/overwrit/);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectNoOverflow(page);
  await page.getByRole("link", { name: "overwrite" }).click();
  await expect(page.locator("#answer")).toBeVisible({ timeout: 30_000 });
});

test("a procedure that is stopped says so and keeps what was measured", async ({ page }) => {
  test.setTimeout(120_000);
  await start(page, "create-vs-overwrite", "duration=60s\nwarmup=0s\nfile-size=2MiB\nlength=2MiB\nworkers=1");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator(".dialog-text")).not.toBeEmpty();
  await dialog.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.locator("p.intro")).toContainText(/interrupted|stopped/, { timeout: 60_000 });
  await expect(steps(page).first()).not.toContainText("running");
});
