// Opening the page of a run that the setup made.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { type Made, made } from "./made";

const NO_MOUNT = "needs root, to freeze a file system under a run";

/** One of every kind. */
export const RUNS = ["players", "frozen", "search", "check", "vda", "before", "ramp", "sweep", "replay", "beside"] as const;
export type Name = (typeof RUNS)[number];

/** Opens the page of a run; false where it could not be made here. */
export async function open(page: Page, name: Name, hash = ""): Promise<boolean> {
  const run: Made[Name] = made()[name];
  test.skip(run === null, NO_MOUNT);
  if (run === null) return false;
  await page.goto(pathToFileURL(join(run, "report.html")).href + hash);
  await expect(page.locator("#answer")).toBeVisible();
  return true;
}
