// The start form and the common questions; no id has to be typed.

import { cpSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "@playwright/test";
import { made } from "./made";
import { type Server, formatsOf, letIn, openMore, serve } from "./server";
import { expectAccessible, expectButtonsWhole, expectNoOverflow } from "./watch";

let server: Server;

test.beforeAll(async () => {
  const { root, before } = made();
  const [runs, target] = [join(root, "form-runs"), join(root, "target")];
  mkdirSync(runs, { recursive: true });
  cpSync(before, join(runs, basename(before)), { recursive: true });
  server = await serve(runs, target);
});

test.afterAll(async () => {
  await server.stop();
});

test("a directory that is not there, and a value that is none, are refused at their fields before the start", async ({ page }) => {
  await letIn(page, server);
  await page.goto(`${server.url}#/start/streams`);
  await page.getByLabel("Subfolder").fill("nope/nothing");
  const faulty = page.locator(".form-field.faulty");
  await expect(faulty).toContainText("the directory does not exist");
  await expect(faulty).toContainText("Storage");
  await page.getByLabel("Subfolder").fill("");
  await page.getByLabel("How many streams").fill("three");
  await expect(faulty).toContainText("How many streams");
  await expect(faulty.locator(".field-error")).not.toContainText(/--|invalid value/);
});

test("no form has words of a command line", async ({ page }) => {
  await letIn(page, server);
  for (const verb of ["check", "streams", "run", "mix", "vda", "replay"]) {
    await page.goto(`${server.url}#/start/${verb}`);
    await expect(page.locator("form.start")).toBeVisible();
    if (verb !== "check") await openMore(page);
    const words = await page.locator("form.start").evaluate((form) => {
      form.querySelectorAll(".ahead").forEach((box) => box.remove());
      const typed = [...form.querySelectorAll("input")].map((input) => input.placeholder);
      return [form.textContent ?? "", ...typed].join("\n");
    });
    expect(words, verb).not.toMatch(/--|\[default|'reelgauge /);
  }
  await page.goto(`${server.url}#/start/mix`);
  // Waits for the form, because the previous address showed another verb.
  const profile = page.getByLabel("Profile");
  await expect(profile.locator("option")).toHaveText(["production-edit", "seq-read", "seq-write"]);
  await page.goto(`${server.url}#/start/streams`);
  await expect(page.getByLabel("Pass criteria")).toBeVisible();
});

test("plain numbers are seconds, and what can't be combined is told by the titles of fields", async ({ page }) => {
  await letIn(page, server);
  await page.goto(`${server.url}#/start/mix`);
  await page.getByLabel("Measured time").fill("30");
  await openMore(page);
  await page.getByLabel("Warm-up").fill("5");
  const ahead = page.getByRole("region", { name: "Before the start" });
  await expect(ahead).toContainText("--duration 30s");
  await expect(ahead).toContainText("Takes 35 s");
  await page.goto(`${server.url}#/start/streams?find-max=true`);
  await page.getByRole("combobox", { name: "Format" }).fill("xdcam hd422 50 1080i 25");
  await formatsOf(page).first().click();
  await page.getByLabel("How many streams").fill("2");
  const faulty = page.locator(".form-field.faulty .field-error");
  await expect(faulty).toContainText("cannot be combined with '");
  await expect(faulty).not.toContainText(/--|</);
  // Starting the run shows the same error at the field.
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(faulty).toContainText("cannot be combined with '");
});

test("formats are found by every usual name of their codec, and what finds none says why", async ({ page }) => {
  await letIn(page, server);
  await page.goto(`${server.url}#/start/streams`);
  const format = page.getByRole("combobox", { name: "Format" });
  for (const [words, name] of [["h264", /XAVC|AVC/], ["H.264 uhd", /XAVC/], ["avcintra 100", /AVC-Intra 100/], ["hevc", /XAVC HS/]] as const) {
    await format.fill(words);
    await expect(formatsOf(page).filter({ hasText: name }).first()).toBeVisible();
  }
  await format.fill("prores xyzzy");
  await expect(page.locator(".format-said")).toContainText("'xyzzy'");
  await format.fill("prores 8k h264");
  await expect(page.locator(".format-said")).toContainText("No format");
});

test("the maximum is found for a format that is found by words", async ({ page }) => {
  test.setTimeout(150_000);
  await letIn(page, server);
  await page.getByRole("link", { name: "Start a run" }).click();
  await page.getByRole("link", { name: /^How many\?/ }).click();
  const format = page.getByRole("combobox", { name: "Format" });
  await format.fill("prores uhd 25");
  await expect(formatsOf(page).first()).toContainText(/Apple ProRes .*UHD.* MB\/s each/);
  await expect(formatsOf(page).filter({ hasText: "Apple ProRes 422 HQ UHD, 25 fps" })).toContainText("92.1 MB/s each");
  await format.fill("prores proxy hd 25");
  await formatsOf(page).filter({ hasText: "Apple ProRes 422 Proxy HD, 25 fps" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Apple ProRes 422 Proxy HD, 25 fps" })).toContainText("MB/s each");
  await page.getByLabel("Measured time").fill("1s");
  await openMore(page);
  await page.getByLabel("Warm-up").fill("500ms");
  await page.getByLabel("Clip", { exact: true }).fill("1s");
  await page.getByLabel("Search no longer than").fill("6s");
  await page.getByLabel("Run name").fill("Monday's look");
  await page.getByLabel("Make").fill("Acme");
  await page.getByLabel(/^Tags/).fill("10GbE, before");
  const ahead = page.getByRole("region", { name: "Before the start" });
  await expect(ahead).toContainText(/Takes at least .* of test files/);
  await expect(ahead).toContainText(/reelgauge streams \S+target .*--find-max.*--storage make=Acme --tag 10GbE --tag before/);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.locator("#answer")).toBeVisible({ timeout: 120_000 });
  await expect(page.locator("#answer")).toContainText("Acme");
  const answer = (await page.locator("#answer .headline").textContent()) ?? "";
  // The downloaded file shows the same without a console.
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const mailed = join(made().root, "mailed.html");
  await (await download).saveAs(mailed);
  const alone = await page.context().newPage();
  await alone.goto(`file://${mailed}`);
  await expect(alone.locator("#answer .headline")).toHaveText(answer);
  await expect(alone.locator("#hero-storage")).toContainText("Acme");
  await alone.close();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByRole("searchbox").fill("monday acme 10gbe");
  await expect(page.getByRole("link", { name: /Monday's look/ })).toBeVisible();
});

test("an earlier run is done again, and then both stand side by side", async ({ page }) => {
  test.setTimeout(120_000);
  const { before } = made();
  await letIn(page, server);
  await page.goto(`${server.url}#/start`);
  await page.getByRole("link", { name: /^Same as last month/ }).click();
  await page.getByRole("link", { name: `Run again: ${basename(before)}` }).click();
  const ahead = page.getByRole("region", { name: "Before the start" });
  await expect(ahead).toContainText(/reelgauge run \S+run\.toml --target \S+target/);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Systems" })).toBeVisible({ timeout: 90_000 });
  await expect(page.getByRole("table", { name: "Systems" }).locator("tbody tr")).toHaveCount(2);
});

test("what is wrong stands at its field before anything is started", async ({ page }) => {
  await letIn(page, server);
  await page.goto(`${server.url}#/start/mix`);
  await page.getByLabel("Measured time").fill("soon");
  const field = page.locator(".form-field").filter({ has: page.locator("#field-duration") });
  await expect(field.getByRole("alert")).toContainText("soon");
  await expect(field).not.toContainText("Usage");
  await page.getByLabel("Measured time").fill("5s");
  await expect(field.getByRole("alert")).toHaveCount(0);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`questions and forms are for everybody, ${colorScheme}, on a phone too`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await letIn(page, server);
    for (const address of ["start", "start/streams?find-max=true", "start/run", "start/replay", "start/again", ""]) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${server.url}#/${address}`);
      await expect(page.locator("h1")).toBeVisible();
      await expect(page.getByText("Loading …")).toHaveCount(0);
      await expectAccessible(page);
      await page.setViewportSize({ width: 390, height: 800 });
      await expectNoOverflow(page);
      await expectButtonsWhole(page);
      await expectAccessible(page);
    }
  });
}
