// Opens the page of a run from the setup.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { firstLook, made } from "./made";

const NO_MOUNT = "needs root, to freeze a file system under a run";

/** One run of every kind. The quick check is last, because it takes longest. */
export const RUNS = ["players", "frozen", "search", "vda", "before", "ramp", "sweep", "replay", "beside", "check"] as const;
export type Name = (typeof RUNS)[number];

/** The directory of a run; null if it could not be made here. */
export async function runOf(name: Name | "whole"): Promise<string | null> {
  if (name !== "check") return made()[name];
  test.setTimeout(240_000);
  return firstLook();
}

/** Opens the page of a run; false if it could not be made here. */
export async function open(page: Page, name: Name, hash = ""): Promise<boolean> {
  const run = await runOf(name);
  test.skip(run === null, NO_MOUNT);
  if (run === null) return false;
  await page.goto(pathToFileURL(join(run, "report.html")).href + hash);
  await expect(page.locator("#answer")).toBeVisible();
  return true;
}
