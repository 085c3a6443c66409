// Saving a chart as a file.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";

/** The text of a chart's file. */
export async function fileOf(page: Page, chart: string, kind: "CSV" | "SVG"): Promise<string> {
  const box = page.locator(`#${chart}`);
  await box.scrollIntoViewIfNeeded();
  await box.getByRole("button", { name: /^Save: / }).click();
  const download = page.waitForEvent("download");
  await box.getByRole("button", { name: new RegExp(`^${kind} `) }).click();
  return readFileSync(await (await download).path(), "utf8");
}

/** The numbers of a chart, row by row, after a row of titles. No cell may have a comma without a space. */
export async function rowsOf(page: Page, chart: string): Promise<string[][]> {
  const lines = (await fileOf(page, chart, "CSV")).trim().split("\r\n");
  return lines.map((line) => line.split(/,(?! )/).map((cell) => cell.replace(/^"|"$/g, "")));
}
