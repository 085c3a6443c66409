// The document to hand over, of real runs and a hostile site: opened, checked by axe, and printed.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { HOSTILE, made } from "./made";
import { BIN } from "./setup";
import { expectAccessible, expectAlone, expectNoOverflow, watch } from "./watch";

const text = (value: string): string => JSON.stringify(value.replace("\u0000", ""));

const SITE = `[document]
title = ${text(HOSTILE.markup)}
customer = ${text(HOSTILE.rtl)}
note = ${text(HOSTILE.lines)}

[[part]]
name = ${text(HOSTILE.folder)}
model = ${text("w".repeat(300))}

[disks]
count = 12
each_mb_per_s = 180

[system]
price = 745000
currency = "EUR"
`;

/** The document of these runs, in a file. */
function documentOf(name: string, ...runs: string[]): string {
  const [site, html] = [join(made().root, `${name}.toml`), join(made().root, `${name}.html`)];
  writeFileSync(site, SITE);
  execFileSync(BIN, ["report", ...runs, "--document", site, "--html", html]);
  return html;
}

test("a document of several runs is read, printed and harmless", async ({ page }) => {
  const { players, before, vda, whole, hostile } = made();
  const html = documentOf("document", players, before, vda, whole, hostile);
  const seen = watch(page);
  await page.goto(`file://${html}`);
  await expect(page.locator("h1")).toContainText("<img src=x");
  await expect(page.getByRole("heading", { level: 2 })).toContainText(["Configuration as stated", "Configuration as measured", "Path", "Missing facts"]);
  await expect(page.getByText("2 streams of own format")).not.toHaveCount(0);
  await expect(page.locator("ol.path").first()).toContainText("at most 2,160 MB/s");
  await expect(page.locator("ul.missing")).toContainText("link_mbit_per_s in [server]");
  expect(await page.evaluate(() => (window as unknown as { broken?: number }).broken)).toBeUndefined();
  expect(await page.evaluate(() => document.documentElement.outerHTML.match(/[\u202a-\u202e\u2066-\u2069]/))).toBeNull();
  await expectAccessible(page);
  await expectNoOverflow(page);
  expectAlone(seen);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  // The product makes the same document with the installed browser, without the browser of the tests.
  expect(existsSync(html.replace(/html$/, "pdf"))).toBe(true);
  if (process.env["REELGAUGE_KEEP"]) copyFileSync(html, process.env["REELGAUGE_KEEP"]);
});

test("a document on paper has nothing wider than its page", async ({ page }) => {
  const html = documentOf("paper", made().ramp, made().sweep);
  await page.emulateMedia({ media: "print" });
  // A4 without its margins.
  await page.setViewportSize({ width: 688, height: 1000 });
  await page.goto(`file://${html}`);
  await expectNoOverflow(page);
});
