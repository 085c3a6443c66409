// The live console, from the form to the finished run, with the real server and real runs.

import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Page, expect, test } from "@playwright/test";
import { HOSTILE, made } from "./made";
import { type Server, openMore, serve } from "./server";
import { expectAccessible, expectNoOverflow, watch } from "./watch";

let server: Server;
let runs: string;

test.beforeAll(async () => {
  const { root, before, after, hostile } = made();
  runs = join(root, "console-runs");
  for (const folder of [runs, join(root, "live-target")]) mkdirSync(folder, { recursive: true });
  for (const run of [before, after, hostile]) cpSync(run, join(runs, basename(run)), { recursive: true });
  server = await serve(runs, root);
});

test.afterAll(async () => {
  await server.stop();
});

test.beforeEach(async ({ page }, info) => {
  if (!info.title.startsWith("without the token")) await letIn(page);
});

/** Opens the printed link, which is every user's first step. */
async function letIn(page: Page): Promise<void> {
  await page.goto(server.link);
  await expect(page.getByRole("heading", { name: "Runs" })).toBeVisible();
}

/** Checks that every request went to the console. */
function expectOwn(seen: ReturnType<typeof watch>): void {
  const own = new URL(server.url).origin;
  expect(seen.requests.filter((url) => !url.startsWith(own) && !/^(data|blob):/.test(url))).toEqual([]);
  expect(seen.errors).toEqual([]);
}

/** The console's link contains the period. A download contains the current notes, and needs no console.
 * */
async function takesTheRunAlong(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Shorter period" }).click();
  expect(page.url()).toMatch(/#\/runs\/[^?]+\?t=[\d.]+-[\d.]+$/);
  const words = await page.locator(".strip-words output").textContent();
  await page.reload();
  await expect(page.locator(".strip-words output")).toHaveText(/^[\d.]+ s to .* of /);
  const begin = (said: string | null) => Number(/^[\d.]+/.exec(said ?? "")?.[0] ?? NaN);
  // Hundredths may be rounded differently.
  expect(begin(await page.locator(".strip-words output").textContent())).toBeCloseTo(begin(words), 1);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const file = join(made().root, "from-console.html");
  await (await download).saveAs(file);
  const alone = await page.context().newPage();
  await alone.goto(pathToFileURL(file).href);
  await expect(alone.locator("#hero-storage")).toContainText(HOSTILE.markup);
  await alone.close();
}

async function startMix(page: Page, duration: string, warmup = "0s"): Promise<void> {
  await page.goto(`${server.url}#/start/mix`);
  await page.getByLabel("Subfolder").fill("live-target");
  await openMore(page);
  await page.locator("#field-duration").fill(duration);
  await page.locator("#field-warmup").fill(warmup);
  await page.locator("#field-file-size").fill("16MiB");
  await page.getByRole("button", { name: "Start", exact: true }).click();
}

test("a warm-up shows what goes on, and says what it is", async ({ page }) => {
  await startMix(page, "30s", "30s");
  await expect(page.locator(".progress")).toContainText("Warming up");
  await expect(page.locator(".progress")).toContainText("30 s");
  const together = page.locator(".live-tiles .tile", { hasText: "Total" });
  await expect(together).toContainText(/[1-9][\d.,]* MB\/s/);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.locator("#answer")).toContainText("interrupted", { timeout: 30_000 });
});

test("without the token nothing is shown, and the link leaves it nowhere", async ({ page, context }) => {
  const seen = watch(page);
  await page.goto(`${server.url}#/start/mix`);
  await expect(page.locator("form.enter")).toBeVisible();
  await expectAccessible(page);
  const [field, enter] = [page.getByLabel("Token"), page.getByRole("button", { name: "Enter" })];
  await field.fill("0".repeat(32));
  await enter.click();
  await expect(page.getByRole("alert")).toContainText("wrong token");
  await expect(page.getByRole("table", { name: "Runs" })).toHaveCount(0);
  await field.fill(server.link.split("#token=")[1] ?? "");
  await enter.click();
  // The page that the user wanted before the login.
  await expect(page.locator("#field-path")).toBeVisible();
  // The browser's console logs a refusal, too.
  expect(seen.errors.every((text) => text.includes("401"))).toBe(true);

  await context.clearCookies();
  const asked: { url: string; referer: string | undefined }[] = [];
  page.on("request", (request) => asked.push({ url: request.url(), referer: request.headers()["referer"] }));
  await letIn(page);
  expect(page.url()).toBe(`${server.url}#/`);
  expect(await page.evaluate("document.cookie")).toBe("");
  const [cookie] = await context.cookies();
  expect({ ...cookie, value: "", name: "" }).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  const token = server.link.split("#token=")[1] ?? "";
  expect(cookie?.value).not.toContain(token);
  // Except for the address of the page itself, whose fragment only the browser sees.
  const told = asked.filter(({ url, referer }) => url.split("#")[0]?.includes(token) || referer?.includes(token));
  expect(told).toEqual([]);
  expect(asked.filter(({ referer }) => (referer ?? "") !== "")).toEqual([]);
  await page.goBack().catch(() => undefined);
  expect(page.url()).not.toContain(token);
});

test("the link lets in where the console is open already", async ({ page, context }) => {
  await context.clearCookies();
  await page.reload();
  await expect(page.getByLabel("Token")).toBeVisible();
  await page.evaluate((link) => window.location.assign(link), server.link);
  await expect(page.getByRole("table", { name: "Runs" })).toBeVisible();
  expect(page.url()).toBe(`${server.url}#/`);
});

test("the list is for everybody, in light and dark, on a phone too", async ({ page }) => {
  const seen = watch(page);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(server.url);
    await expect(page.getByRole("table", { name: "Runs" })).toBeVisible();
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoOverflow(page);
  expectOwn(seen);
  expect(await page.evaluate("window.broken")).toBeUndefined();
});

test("from the form to the finished run, watched by two", async ({ page, context }) => {
  const seen = watch(page);
  await startMix(page, "6s");
  await expect(page.getByText("Closing this page does not stop the run")).toBeVisible();
  const second = await context.newPage();
  await second.goto(page.url());
  await expect(second.getByRole("progressbar")).toBeVisible();
  await expectAccessible(page);
  await expect(page.locator(".tile").filter({ hasText: "Total" })).not.toContainText("–", { timeout: 15_000 });
  // Both browsers switch to the report automatically.
  for (const one of [page, second]) {
    await expect(one.locator("#answer")).toBeVisible({ timeout: 30_000 });
    await expect(one.locator("[data-sentence]").first()).toContainText("MB/s");
  }
  await second.close();
  expectOwn(seen);
});

/** A run of two recorders, with the messages that its process would send. */
function toldRun(id: string): { tell: (at_s: number, more: object) => void; end: () => void } {
  const dir = join(runs, id);
  mkdirSync(dir);
  writeFileSync(join(dir, "run.toml"), "# reelgauge run directory, layout 1\n");
  const file = join(dir, "live.jsonl");
  const line = (event: object) => appendFileSync(file, `${JSON.stringify(event)}\n`);
  line({ event: "begin", at_s: 0, pid: process.pid, process: "", verb: "streams", label: "two", target: "/mnt/nas" });
  const tick = {
    event: "live", label: "2 recorders", warmup_s: 0, total_s: 60, read_bytes_per_s: 0, write_bytes_per_s: 1e7,
    longest_in_flight_s: null, no_answer_s: null,
  };
  return {
    tell: (at_s, more) => line({ ...tick, at_s, elapsed_s: at_s, ...more }),
    end: () => line({ event: "end", at_s: 60, outcome: "interrupted", reason: "over", late_frames: 61 }),
  };
}

test("a storage that does not answer stands in red, and every stream has its row", async ({ page }) => {
  const run = toldRun("2026-01-01T000000Z-told");
  const streams = (late: number, margin_ms: number) => ({
    margin_ms, streams: { stream: [4, 9], late_frames: [late, 0], margin_ms: [margin_ms, 900], buffer_ms: [1000, 1000] },
  });
  for (const at_s of [1, 2, 3]) run.tell(at_s, { late_frames: 0, ...streams(0, 980) });
  const seen = watch(page);
  await page.goto(`${server.url}#/runs/2026-01-01T000000Z-told`);
  const silence = page.locator(".no-answer");
  await expect(page.locator(".late-now")).toContainText("0 late frames");
  await expect(silence).toHaveCount(0);
  run.tell(9.2, { late_frames: 61, ...streams(61, -5_200), longest_in_flight_s: 6.3, no_answer_s: 6.2 });
  // The clock runs on between two updates of the run.
  await expect(silence).toContainText(/no answer for (6\.[2-9]|7\.[0-2]) s/);
  await expect(silence).toHaveClass(/bad/);
  await expect(page.locator(".late-now").last()).toContainText("61 late frames");
  await expect(page.locator(".tile").filter({ hasText: "Longest operation in flight" })).toContainText(/6\.30? s/);
  await expect(page.getByRole("img", { name: /2 streams, 1 of them with late frames/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /-5,?200|−5,?200/ })).toBeVisible();
  await expectAccessible(page);
  run.tell(10, { late_frames: 61, ...streams(61, 950) });
  await expect(silence).toHaveCount(0);
  // No more updates: the page shows how old its figures are.
  await expect(page.getByRole("status").filter({ hasText: /for \d+ s,/ })).toBeVisible({ timeout: 15_000 });
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoOverflow(page);
  expectOwn(seen);
  run.end();
});

test("a run that goes on shows in the list how far it is, and its late frames", async ({ page }) => {
  const run = toldRun("2026-01-02T000000Z-listed");
  run.tell(15, { late_frames: 61, incidents: 1, margin_ms: 10, streams: { stream: [4], late_frames: [61], margin_ms: [10], buffer_ms: [1000] } });
  // The list was open before, so it is reloaded.
  await page.reload();
  const row = page.getByRole("table", { name: "Runs" }).locator("tbody tr").filter({ hasText: "2026-01-02T000000Z-listed" });
  await expect(row.getByRole("progressbar")).toHaveAttribute("value", "0.25");
  await expect(row).toContainText("61 late frames");
  run.tell(30, { late_frames: 62, incidents: 1, margin_ms: 10, streams: { stream: [4], late_frames: [62], margin_ms: [10], buffer_ms: [1000] } });
  await expect(row).toContainText("62 late frames");
  await expect(row.getByRole("progressbar")).toHaveAttribute("value", "0.5");
  run.end();
});

test("what the command line refuses is refused here, in its words", async ({ page }) => {
  await startMix(page, "soon");
  const field = page.locator(".form-field").filter({ has: page.locator("#field-duration") });
  await expect(field.getByRole("alert")).toContainText("soon");
  await expect(page.locator("#field-duration")).toBeFocused();
  await expect(page.locator("#field-duration")).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page);
});

test("a run is stopped, and says that it was", async ({ page }) => {
  await startMix(page, "10m");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByText(/interrupted/).first()).toBeVisible({ timeout: 20_000 });
});

test("closing the browser stops nothing", async ({ page, context }) => {
  const second = await context.newPage();
  await startMix(second, "5s");
  await expect(second.getByText("Closing this page does not stop the run")).toBeVisible();
  const address = second.url();
  await second.close();
  await page.goto(address);
  await expect(page.locator("[data-sentence]").first()).toContainText("MB/s", { timeout: 30_000 });
  await expect(page.getByText(/interrupted/)).toHaveCount(0);
});

test("runs are searched, compared, noted and deleted", async ({ page }) => {
  const seen = watch(page);
  const { before, after } = made();
  await page.goto(server.url);
  for (const run of [before, after]) await page.getByRole("checkbox", { name: basename(run) }).check();
  await page.getByRole("link", { name: "Compare 2 runs" }).click();
  await expect(page.getByRole("heading", { name: "Systems" })).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${server.url}#/runs/${basename(after)}`);
  await page.getByRole("button", { name: "Notes and tags" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Model/).fill(HOSTILE.markup);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  // After a while the page has the notes. A period that was chosen before stays.
  await page.getByRole("button", { name: "Shorter period" }).click();
  await expect(page.locator("#configuration")).toContainText("onerror");
  await expect(page.locator(".strip-words output")).toHaveText(/^[\d.]+ s to .* of /);
  await takesTheRunAlong(page);
  await page.goto(`${server.url}#/`);
  await page.getByRole("searchbox").first().fill("onerror");
  await expect(page.getByRole("checkbox", { name: basename(after) })).toBeVisible();
  await expect(page.getByRole("checkbox", { name: basename(before) })).toHaveCount(0);

  await page.getByRole("button", { name: `Delete ${basename(after)}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByRole("checkbox", { name: basename(after) })).toHaveCount(0);
  expect(await page.evaluate("window.broken")).toBeUndefined();
  expectOwn(seen);
});
