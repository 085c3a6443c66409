// Suites, and the charts of papers: bars per workload, maps of many files, lines by block size and by
// client, and the conditions of a paper that a procedure did not meet.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, type Page } from "@playwright/test";
import { fileOf, rowsOf } from "./chart-file";
import { BIN } from "./setup";
import { expectAccessible, expectAlone, expectButtonsWhole, expectNoOverflow, watch } from "./watch";

let root: string;

test.beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "reelgauge-suites-"));
});

test.afterAll(() => rmSync(root, { recursive: true, force: true }));

function reelgauge(...args: string[]): string {
  return execFileSync(BIN, args, { env: { ...process.env, NO_COLOR: "1" }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function folder(name: string): string {
  mkdirSync(join(root, name), { recursive: true });
  return join(root, name);
}

/** The only directory in a folder of results. */
function only(out: string): string {
  return join(out, readdirSync(out)[0] ?? "");
}

/** A suite of few workloads on a folder of this name, which is also its tag. */
function suite(name: string): string {
  const out = folder(`runs-${name}`);
  const few = ["--workloads", "hint-stream-1mib,faststart-rewrite,4k-random-read-qd1", "--batch", "2", "--access-time", "1s"];
  reelgauge("run", "naspt", "--target", folder(`target-${name}`), ...few, "--tag", name, "--quiet", "--out", out);
  return only(out);
}

interface SuiteFile {
  table: { rows: { workload: string; median_bytes_per_s: number; passes: { moved_bytes: number; duration_ns: number }[] }[] };
}

const rowsIn = (dir: string) => (JSON.parse(readFileSync(join(dir, "suite.json"), "utf8")) as SuiteFile).table.rows;

const near = (one: string | undefined, two: number) => expect(Math.abs(Number(one) / two - 1)).toBeLessThan(1e-6);

test("bars of suites are their medians or their passes, and the page keeps its tables without JavaScript", async ({ page, browser }) => {
  test.setTimeout(240_000);
  const suites = ["hdd", "ssd", "ram"].map(suite);
  const html = join(root, "suites.html");
  reelgauge("compare", ...suites, "--html", html);
  const seen = watch(page);
  await page.goto(`file://${html}`);
  await expect(page.locator("#answer .headline")).toHaveText(/times as fast as/);
  const bars = await rowsOf(page, "suite-bars");
  expect(bars[0]).toEqual(["workload", "1: hdd, MB/s", "2: ssd, MB/s", "3: ram, MB/s"]);
  for (const [at, dir] of suites.entries()) {
    for (const { workload, median_bytes_per_s } of rowsIn(dir)) {
      near(bars.find((row) => row[0] === workload)?.[at + 1], median_bytes_per_s / 1e6);
    }
  }
  await page.getByLabel("Bars").selectOption({ label: "passes of 2: ssd" });
  const passes = await rowsOf(page, "suite-bars");
  expect(passes[0]).toEqual(["workload", "pass 1, MB/s", "pass 2, MB/s"]);
  for (const { workload, passes: each } of rowsIn(suites[1] ?? "")) {
    each.forEach(({ moved_bytes, duration_ns }, at) => near(passes.find((row) => row[0] === workload)?.[at + 1], (moved_bytes * 1e3) / duration_ns));
  }
  const means = page.getByRole("table", { name: "Means" });
  await expect(means.locator("tbody th").first()).toHaveText("own traces, 2 workloads");
  await expectAccessible(page);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page);
    await expectButtonsWhole(page);
  }
  await shown(page, "suites");
  expectAlone(seen);
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await plain.goto(`file://${html}`);
  await expect(plain.locator("pre")).toContainText("hint-stream-1mib");
  await expect(plain.locator("pre")).toContainText("arithmetic");

  const one = join(root, "suite.html");
  reelgauge("report", suites[0] ?? "", "--html", one, "--csv", join(root, "tables"));
  await page.goto(`file://${one}`);
  expect((await rowsOf(page, "suite-bars"))[0]).toEqual(["workload", "pass 1, MB/s", "pass 2, MB/s"]);
  await expectAccessible(page);
});

test("the map shows every file of a trace, and colours repeat", async ({ page }) => {
  test.setTimeout(120_000);
  const html = join(root, "photos.html");
  reelgauge("report", "PhotoAlbum-synth", "--html", html);
  const seen = watch(page);
  await page.goto(`file://${html}`);
  const files = page.locator(".map-files legend");
  await expect(files).toHaveText(/Files on the map \(169 of 169\)/);
  await page.locator("#offset-map").scrollIntoViewIfNeeded();
  const first = page.locator(".map-files li").first();
  await first.getByRole("button", { name: /^Only/ }).click();
  await expect(files).toHaveText(/\(1 of 169\)/);
  await page.getByRole("button", { name: "All files" }).click();
  await expect(files).toHaveText(/\(169 of 169\)/);
  await expectAccessible(page);
  await shown(page, "photos");
  expectAlone(seen);
});

interface Cell {
  mode: string;
  block_bytes: number | null;
  transfer_rate_while_transferring_mb_per_s: number | null;
}

interface Point {
  workers: number;
  sweep_value: string | null;
  paper: { cells: Cell[] };
  per_worker: { worker: number; paper?: { cells: Cell[] } }[];
}

const pointsIn = (dir: string) => (JSON.parse(readFileSync(join(dir, "summary.json"), "utf8")) as { load_points: Point[] }).load_points;

function rateOf(cells: readonly Cell[] | undefined, mode: string, block: number | null): number | null {
  return cells?.find((cell) => cell.mode === mode && cell.block_bytes === block)?.transfer_rate_while_transferring_mb_per_s ?? null;
}

test("two sweeps are lines by block size over lengths, with the paper's figure", async ({ page }) => {
  test.setTimeout(120_000);
  const out = folder("runs-grid");
  const sweeps = ["--sweep", "length=1MiB,2MiB,4MiB", "--sweep", "blocks=64KiB,1MiB", "--step", "1s", "--warmup", "0s"];
  reelgauge("mix", folder("target-grid"), "--profile", "seq-read", "--file-size", "16MiB", "--workers", "1", ...sweeps, "--quiet", "--out", out);
  const run = only(out);
  const html = join(root, "grid.html");
  reelgauge("report", run, "--html", html);
  await page.goto(`file://${html}`);
  await expect(page.locator("#ebu-transfer-rate figcaption")).toHaveText("Corresponds to EBU Tech 3362, Figure 19.");
  const rows = await rowsOf(page, "ebu-transfer-rate");
  expect(rows[0]).toEqual(["length of a transfer", "block size 64KiB, MB/s", "block size 1MiB, MB/s"]);
  expect(rows.slice(1).map((row) => row[0])).toEqual(["1MiB", "2MiB", "4MiB"]);
  for (const point of pointsIn(run)) {
    const [length, block] = (point.sweep_value ?? "").split(" x ");
    const cell = rows.find((row) => row[0] === length)?.[block === "64KiB" ? 1 : 2];
    near(cell, rateOf(point.paper.cells, "seq_rd", null) ?? NaN);
  }
  await expectAccessible(page);
  await shown(page, "grid");
});

test("a procedure's charts name what differs from the paper; lines by client are each client's own", async ({ page }) => {
  test.setTimeout(180_000);
  const plan = join(root, "study.toml");
  writeFileSync(
    plan,
    `about = "two runs"\npaper = "EBU Tech 3362"\n[set]\nramp = "1..3"\nstep = "1s"\nwarmup = "0s"\nfile-size = "8MiB"\n` +
      `[paper_set]\nstep = "1h"\nfile-size = "100GB"\n` +
      `[[step]]\nname = "reads"\nrun = "mix"\nset = { profile = "seq-read" }\n` +
      `[[step]]\nname = "writes"\nrun = "mix"\nset = { profile = "seq-write" }\n`,
  );
  const out = folder("runs-study");
  reelgauge("procedure", plan, folder("target-study"), "--quiet", "--out", out);
  const procedure = only(out);
  const html = join(root, "study.html");
  reelgauge("report", procedure, "--html", html);
  await page.goto(`file://${html}`);
  for (const chart of ["compare-rate", "compare-transfer-rate", "compare-transfer-mean"]) {
    const note = page.locator(`#${chart} figcaption`);
    await expect(note).toContainText("Corresponds to EBU Tech 3362, Figure");
    const differs = "Differs from the published procedure: --file-size 8MiB (paper: 100GB); --step 1s (paper: 1h).";
    await expect(note).toContainText(differs);
  }
  // An exported picture has the same line below it.
  expect(await fileOf(page, "compare-transfer-rate", "SVG")).toContain("--file-size 8MiB (paper: 100GB)");
  await expect(page.locator("#compare-histogram-reads")).toHaveCount(0);
  await expectAccessible(page);
  await shown(page, "study");

  const reads = readdirSync(procedure).filter((name) => !name.endsWith(".json")).sort()[0] ?? "";
  const run = join(procedure, reads);
  const single = join(root, "reads.html");
  reelgauge("report", run, "--html", single);
  await page.goto(`file://${single}`);
  await page.getByLabel("Lines in EBU charts").selectOption("client");
  const rows = await rowsOf(page, "ebu-transfer-rate");
  const [, ...lines] = rows[0] ?? [];
  expect(lines).toEqual(["client 1, MB/s", "client 2, MB/s", "client 3, MB/s"]);
  for (const [at, point] of pointsIn(run).entries()) {
    for (const { worker, paper } of point.per_worker) {
      near(rows[at + 1]?.[worker + 1], rateOf(paper?.cells, "seq_rd", 1_048_576) ?? NaN);
    }
  }
  await expect(page.locator("#ebu-transfer-rate figcaption")).toHaveText(/stands? out/);
  await expectAccessible(page);
});

/** Saves a picture for inspection, if requested. */
async function shown(page: Page, name: string): Promise<void> {
  const into = process.env["REELGAUGE_PICTURES"];
  if (into !== undefined) await page.screenshot({ path: join(into, `${name}.png`), fullPage: true });
}
