// The first measurement from a console without runs. It takes a minute, so other files run in parallel.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { made } from "./made";
import { letIn, serve } from "./server";
import { expectAccessible, watch } from "./watch";

test("the first measurement is one button", async ({ page }) => {
  test.setTimeout(240_000);
  const { root } = made();
  const [runs, target] = [join(root, "no-runs"), join(root, "first-target")];
  for (const folder of [runs, target]) mkdirSync(folder, { recursive: true });
  const server = await serve(runs, target);
  const seen = watch(page);
  await letIn(page, server);
  await expect(page.getByText(/Takes \d+ s, plus the time to write at most/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Measure now" }).click();
  await expect(page.getByText("Closing this page does not stop the run")).toBeVisible({ timeout: 30_000 });
  await expect(page.locator("#answer")).toBeVisible({ timeout: 200_000 });
  expect(seen.errors).toEqual([]);
  await server.stop();
});
