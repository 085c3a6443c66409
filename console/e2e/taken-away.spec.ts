// Exports of a run's page: the page with its notes, a one-page sheet, a badge.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { firstLook, made } from "./made";
import { open } from "./run-page";
import { watch } from "./watch";

test("a download is the page itself, with its notes", async ({ page }) => {
  await page.goto(pathToFileURL(join(made().hostile, "report.html")).href);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const file = await (await download).path();
  const [before, after] = [join(made().hostile, "report.html"), file].map((path) => dataOf(readFileSync(path, "utf8")));
  expect(after).toEqual(before);
  const seen = watch(page);
  const named = `${file}.html`;
  await (await download).saveAs(named);
  await page.goto(pathToFileURL(named).href);
  await expect(page.locator("#hero-storage")).toContainText("<img src=x");
  await page.getByRole("link", { name: "Configuration" }).click();
  await expect(page.getByRole("heading", { name: "Notes" })).toBeVisible();
  expect(seen.errors).toEqual([]);
  expect(await page.evaluate("window.broken")).toBeUndefined();
});

function dataOf(html: string): unknown {
  return JSON.parse(/id="reelgauge-data">(.*?)<\/script>/s.exec(html)?.[1] ?? "null");
}

for (const name of ["frozen", "sweep", "search", "vda", "replay", "check"] as const) {
  test(`${name}: the vendor sheet is one page, A4 or Letter`, async ({ page }) => {
    // Two prints of a whole page. A quick check's page has thousands of figures.
    test.setTimeout(120_000);
    if (!(await open(page, name))) return;
    await page.evaluate(() => (window.print = () => undefined));
    await page.getByRole("button", { name: "Vendor sheet" }).click();
    const sheet = page.locator(".sheet");
    await expect(sheet).toHaveCount(1);
    for (const format of ["A4", "Letter"] as const) {
      const pdf = (await page.pdf({ format })).toString("latin1");
      expect(pdf.match(/\/Type\s*\/Page\b/g)?.length, format).toBe(1);
      if ((await sheet.count()) === 0) await page.getByRole("button", { name: "Vendor sheet" }).click();
    }
    await page.emulateMedia({ media: "print" });
    const text = (await sheet.innerText()).replace(/\s+/g, " ");
    const verdict = (await page.locator("#answer .hero-number .verdict").textContent()) ?? "";
    for (const part of ["Reelgauge 0.", verdict.trim(), "Storage", "Client", "Incidents", "Configuration"]) expect(text).toContain(part);
    // The incidents are drawn, and the caveats are printed.
    await expect(sheet.locator(".sheet-picture svg")).toHaveCount(name === "frozen" ? 2 : name === "search" ? 2 : 0);
    if (name === "frozen") {
      const letters = (await sheet.locator(".sheet-picture").textContent()) ?? "";
      expect(letters).toContain("recorder");
      expect(letters).toMatch(/less than half/);
      await expect(sheet.getByRole("list", { name: "Warnings" }).locator("li").first()).toContainText("were measured");
    }
    // Nothing of it is cut off.
    expect(await sheet.evaluate((node) => node.scrollHeight - node.clientHeight)).toBeLessThanOrEqual(1);
  });
}

test("a badge says the result in one line", async ({ page }) => {
  await open(page, "check");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Badge" }).click();
  const svg = readFileSync(await (await download).path(), "utf8");
  const stated = JSON.parse(readFileSync(join(await firstLook(), "summary.json"), "utf8")) as {
    statement: { number: { play: number | null; record: number | null } };
  };
  const streams = stated.statement.number.play ?? stated.statement.number.record;
  expect(svg).toMatch(new RegExp(`>(at least )?${streams} × [^<]* · no late frame · quick check · \\d+ \\w+ \\d{4} · [^<]+<`));
  expect(svg).toMatch(/^<svg xmlns/);
});
