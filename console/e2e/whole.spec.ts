// The page of a fleet run: each host has its row, and the rows add up to the whole.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { MACHINES, made } from "./made";

interface Rows {
  hosts: { figures: { ops: number; read_bytes: number } }[];
  total: { ops: number; read_bytes: number };
}

test("each host has a row, and the rows add up", async ({ page }) => {
  const run = made().whole;
  const summary = JSON.parse(readFileSync(join(run, "summary.json"), "utf8")) as {
    hosts: { points: Rows[] };
    load_points: { total: { ops: number } }[];
  };
  const rows = summary.hosts.points[0];
  if (rows === undefined) throw new Error("the run has no load point");
  const sum = (of: (figures: { ops: number; read_bytes: number }) => number) =>
    rows.hosts.reduce((total, host) => total + of(host.figures), 0);
  expect(sum((figures) => figures.ops)).toBe(rows.total.ops);
  expect(rows.total.ops).toBe(summary.load_points[0]?.total.ops);
  expect(sum((figures) => figures.read_bytes)).toBe(rows.total.read_bytes);

  await page.goto(pathToFileURL(join(run, "report.html")).href);
  const section = page.locator("#hosts");
  await expect(section).toBeVisible();
  const hosts = section.getByRole("table", { name: "Hosts of the load point", exact: true });
  await expect(hosts.locator("tbody tr")).toHaveCount(MACHINES.length + 1);
  for (const at of rows.hosts.keys()) {
    const read = section.locator(`[data-figure="hosts.points.0.hosts.${at}.figures.read_bytes_per_s"]`);
    await expect(read).toBeVisible();
  }
  await expect(hosts.getByText("edit-1")).toBeVisible();
  // No name of a machine reverses the page.
  expect(await section.innerText()).not.toContain("\u202E");
  await expect(page.getByText("6 workers").first()).toBeVisible();
});

test("each host has a line over time, and the lines add up", async ({ page }) => {
  await page.goto(pathToFileURL(join(made().whole, "report.html")).href);
  const data = JSON.parse((await page.locator("#reelgauge-data").textContent()) ?? "null") as {
    runs: { detail: { hosts: { hosts: { bytes: number[] }[] }; over_time: { read_bytes: number[]; written_bytes: number[] } } }[];
  };
  const detail = data.runs[0]?.detail;
  const sum = (values: readonly number[] = []) => values.reduce((one, two) => one + two, 0);
  const all = sum(detail?.over_time.read_bytes) + sum(detail?.over_time.written_bytes);
  expect(detail?.hosts.hosts.length).toBe(MACHINES.length);
  for (const { bytes } of detail?.hosts.hosts ?? []) expect(sum(bytes)).toBeGreaterThan(0);
  expect(sum(detail?.hosts.hosts.map(({ bytes }) => sum(bytes)))).toBe(all);
  for (const chart of ["host-rates", "host-slowest"]) {
    const box = page.locator(`#${chart}`);
    await box.scrollIntoViewIfNeeded();
    await expect(box.locator("canvas")).toBeVisible();
    await box.getByRole("button", { name: /^Save: / }).click();
    await box.getByRole("button", { name: "Show table" }).click();
    const hosts = await box.locator(".chart-table tbody tr > :first-child").allTextContents();
    expect(new Set(hosts).size).toBe(MACHINES.length);
  }
});
