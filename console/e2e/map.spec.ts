// The trace's page: zoom in the map with keys and pointer, and filters of the lists.

import { pathToFileURL } from "node:url";
import { type Locator, type Page, expect, test } from "@playwright/test";
import { made } from "./made";
import { expectAlone, watch } from "./watch";

/** The map's own buttons. The time strip has some of the same names. */
function zoom(page: Page): Locator {
  return page.getByRole("group", { name: "Zoom and move" });
}

test.beforeEach(async ({ page }) => {
  await page.goto(pathToFileURL(made().trace).href);
});

test("the map zooms and moves by keys, and everything follows", async ({ page }) => {
  const seen = watch(page);
  const map = page.getByRole("application", { name: "File offset over time" });
  await map.scrollIntoViewIfNeeded();
  const whole = await map.screenshot();
  await map.focus();
  for (let times = 0; times < 3; times += 1) await page.keyboard.press("+");
  await expect(zoom(page).getByRole("button", { name: "Earlier" })).toBeEnabled();
  expect(Buffer.compare(whole, await map.screenshot())).not.toBe(0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("0");
  await expect(zoom(page).getByRole("button", { name: "Earlier" })).toBeDisabled();
  expect(seen.errors).toEqual([]);
  expect(seen.requests).toEqual([]);
});

test("a key that comes as the page follows the one before it is not lost", async ({ page }) => {
  const map = page.getByRole("application", { name: "File offset over time" });
  await map.scrollIntoViewIfNeeded();
  await map.focus();
  const earlier = zoom(page).getByRole("button", { name: "Earlier" });
  // At the moment when the page has drawn the closer view.
  await earlier.evaluate((button) => {
    const observer = new MutationObserver(() => {
      observer.disconnect();
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true, cancelable: true }));
      button.setAttribute("data-was", "enabled");
    });
    observer.observe(button, { attributes: true, attributeFilter: ["disabled"] });
  });
  await page.keyboard.press("+");
  await expect(earlier).toHaveAttribute("data-was", "enabled");
  await expect(earlier).toBeDisabled();
});

test("a drag across the map zooms into it", async ({ page }) => {
  const map = page.getByRole("application", { name: "File offset over time" });
  await map.scrollIntoViewIfNeeded();
  const box = await map.boundingBox();
  expect(box).not.toBeNull();
  if (box === null) return;
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.7, { steps: 5 });
  await page.mouse.up();
  await expect(zoom(page).getByRole("button", { name: "Earlier" })).toBeEnabled();
  await expect(zoom(page).getByRole("button", { name: "Zoom out in the file" })).toBeEnabled();
});

test("files and operations are filtered and sorted", async ({ page }) => {
  const files = page.locator(".files-table");
  const rows = files.locator("tbody tr");
  const all = await rows.count();
  expect(all).toBeGreaterThan(3);
  await files.getByRole("searchbox").fill("*.txt");
  await expect(rows).not.toHaveCount(all);
  for (const name of await rows.locator("th").allTextContents()) expect(name).toContain(".txt");
  await files.getByRole("searchbox").fill("nothing-is-called-this");
  await expect(files.locator(".missing")).toBeVisible();

  const operations = page.getByRole("region", { name: "Operations", exact: true });
  await page.locator(".list-filter select").first().selectOption("write");
  await expect(operations.locator("tbody tr").first()).toBeVisible();
  const kinds = await operations.locator("tbody tr:not([aria-hidden])").allTextContents();
  expect(kinds.filter((text) => text.trim() !== "" && !text.includes("write"))).toEqual([]);
});

test("charts are taken away as PNG, SVG and CSV", async ({ page }) => {
  const seen = watch(page);
  await page.locator("#offset-map").scrollIntoViewIfNeeded();
  for (const kind of ["PNG", "SVG", "CSV"]) {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: `${kind} of the map` }).click();
    expect((await download).suggestedFilename()).toBe(`offset-map.${kind.toLowerCase()}`);
  }
  expectAlone({ ...seen, requests: ["file:", ...seen.requests.filter((url) => !url.startsWith("file:"))] });
});
