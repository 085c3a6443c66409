// Page and terminal show the same for a run: the answer word for word (with its number and cause), the verdict, the
// culprit and the incidents. Both are produced by the usual commands.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { type Compared, made } from "./made";
import { runOf } from "./run-page";
import { BIN } from "./setup";

const NO_MOUNT = "needs root, to freeze a file system under a run";
const RUNS = ["before", "ramp", "players", "frozen", "search", "vda", "check"] as const;
type Name = (typeof RUNS)[number];

/** The largest number of incidents on the terminal. The page has all. */
const INCIDENTS_ON_TERMINAL = 5;

/** The terminal's output at its largest width. */
function terminal(...args: string[]): string {
  const options = { encoding: "utf8", env: { ...process.env, NO_COLOR: "1", COLUMNS: "100", REELGAUGE_DETAILS: "1" } } as const;
  return execFileSync(BIN, args, options);
}

/** Joins lines, because a page breaks them elsewhere. */
function flowing(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The lines below a heading, up to an empty one. */
function below(screen: string, heading: string): string[] {
  const lines = screen.split("\n");
  const at = lines.indexOf(heading);
  if (at < 0) return [];
  const rest = lines.slice(at + 1);
  return rest.slice(0, rest.indexOf(""));
}

/** The last cells of the rows of the table whose heading ends with this column. */
function lastCells(screen: string, column: string): string[] {
  const lines = screen.split("\n");
  const at = lines.findIndex((line) => line.endsWith(`  ${column}`));
  if (at < 0) return [];
  const rest = lines.slice(at + 1);
  const rows = rest.slice(0, rest.findIndex((line) => !line.includes("  ")));
  return rows.map((row) => row.trim().split(/\s{2,}/).at(-1) ?? "");
}

async function texts(page: Page, selector: string): Promise<string[]> {
  return (await page.locator(selector).allTextContents()).map(flowing);
}

/** The verdict in the head of the page, without its sign. */
async function verdict(page: Page): Promise<string> {
  const mark = page.locator(".verdict").first();
  const [all, sign] = [await mark.textContent(), await mark.locator("[aria-hidden]").textContent()];
  return flowing((all ?? "").replace(sign ?? "", ""));
}

/** The cells of a table of the page, row by row. */
async function cells(page: Page, caption: RegExp): Promise<string[][]> {
  const rows = page.getByRole("table", { name: caption }).locator("tbody tr");
  return rows.evaluateAll((all) =>
    all.map((row) => Array.from(row.children, (cell) => (cell.textContent ?? "").replace(/\s+/g, " ").trim())),
  );
}

/** The verdict in the head of the page, derived from the terminal alone. */
async function sameVerdict(name: Name, screen: string, page: Page): Promise<void> {
  const word = await verdict(page);
  const answer = flowing(screen.split("\n\n")[0] ?? "");
  if (name === "players" || name === "frozen") {
    const criteria = lastCells(screen, "criteria");
    expect(criteria.length).toBeGreaterThan(0);
    const failed = criteria.find((one) => one !== "met");
    expect(word).toBe(failed ?? "criteria met");
  } else if (name === "search") {
    const [, least, streams] = /^(at least )?(\d+) streams?$/.exec(word) ?? [];
    expect(answer).toMatch(new RegExp(`\\b${streams}\\b`));
    expect(/at least/i.test(answer)).toBe(least !== undefined);
  } else if (name === "vda") {
    const onTerminal = lastCells(screen, "valid");
    const titles = await page.getByRole("table", { name: /^Load points \(/ }).locator("thead th").allTextContents();
    const at = titles.findIndex((title) => title.startsWith("valid"));
    const onPage = (await cells(page, /^Load points \(/)).map((row) => row[at]);
    expect(onPage).toEqual(onTerminal);
    const good = onTerminal.findIndex((one) => one !== "yes");
    // A busy host makes its response times inconclusive.
    const words = good < 0 ? ["valid", "inconclusive"] : [good === 0 ? "not valid" : `valid up to point ${good}`];
    expect(words).toContain(word);
  } else if (name === "check") {
    expect(word).toBe("quick check");
    const formats = await cells(page, /^Formats$/);
    expect(formats.length).toBeGreaterThan(2);
    for (const [format, ...counts] of formats) {
      const row = screen.split("\n").find((line) => line.startsWith(`${format}  `)) ?? "";
      expect(row.split(/\s{2,}/).slice(1, 3)).toEqual(counts.slice(0, 2));
    }
  } else {
    expect(word).toBe("measured");
    expect(answer).toContain("No operation failed.");
  }
}

/** The terminal shows the worst incidents, in the page's words and order. Of several load points it
 * shows those of one. A quick check is one screen without incidents. */
function sameIncidents(name: Name, screen: string, onPage: string[]): void {
  const told = flowing(below(screen, "Incidents").join(" "));
  const withoutLabel = onPage.map((text) => text.replace(/^.*?: (?=[\d,]+ late frames? on )/, ""));
  if (name === "frozen") {
    expect(onPage.length).toBeGreaterThan(0);
    const worst = withoutLabel.slice(0, INCIDENTS_ON_TERMINAL).join(" ");
    expect(told.startsWith(worst), `${told}\n${worst}`).toBe(true);
  }
  const rest = withoutLabel.reduce((left, text) => left.replace(text, ""), told);
  expect(rest).toMatch(/^\s*(\d+ more\.)?\s*$/);
}

for (const name of RUNS) {
  test(`${name}: answer, verdict, cause and incidents are the terminal's`, async ({ page }) => {
    const run = await runOf(name);
    test.skip(run === null, NO_MOUNT);
    if (run === null) return;
    const screen = terminal("report", run);
    await page.goto(pathToFileURL(join(run, "report.html")).href);
    // Word for word.
    const sentences = await texts(page, "[data-sentence]");
    expect(sentences.length).toBeGreaterThan(0);
    // The terminal has the same parts, each behind its label.
    const answer = flowing(screen.split("\n\n")[0] ?? "");
    for (const part of sentences.flatMap((sentence) => sentence.split(/ (?=Cause: )/)))
      expect(answer).toContain(part.replace(/^Confidence low: /, "Confidence: low: "));
    await sameVerdict(name, screen, page);
    // The component at fault, if it was not the storage.
    for (const culprit of ["This client, not the storage, was the limit", "Reelgauge itself, not the storage, was late"]) {
      const onPage = (await texts(page, "#answer p")).some((text) => text.startsWith(culprit));
      expect(onPage, culprit).toBe(screen.split("\n").some((line) => line.startsWith(culprit)));
    }
    sameIncidents(name, screen, await texts(page, "[data-incident]"));
    const limit = /^Limit: +((?:.*\n)(?: +.*\n)*)/m.exec(screen)?.[1];
    if (limit !== undefined) expect(await texts(page, "#hero-cause")).toEqual([flowing(limit)]);
  });
}

/** The verdict of each row of a comparison: its last word. */
function judged(screen: string): string[] {
  return screen.split("\n").map((row) => (row.split(/\s{2,}/).at(-1) ?? "").toLowerCase());
}

for (const name of ["compared", "stalled"] as const) {
  test(`${name}: the comparison is the terminal's`, async ({ page }) => {
    const compared: Compared | null = made()[name];
    test.skip(compared === null, NO_MOUNT);
    if (compared === null) return;
    const screen = terminal("compare", ...compared.runs);
    await page.goto(pathToFileURL(compared.page).href);
    const sentences = await texts(page, "#answer > p, #answer > details > p");
    expect(sentences.length).toBeGreaterThan(0);
    expect(flowing(screen.split("\n\n")[0] ?? "")).toBe(`Result: ${sentences.join(" ")}`);
    const cautions = await texts(page, "#answer .warnings li");
    const warned = flowing(screen);
    for (const caution of cautions) expect(warned).toContain(`Warning: ${caution}`);
    expect(warned.split("Warning: ").length - 1).toBe(cautions.length);
    // The head sums up all rows except those of Reelgauge's own cost: at least what the terminal shows,
    // and at most what it shows with `--all`.
    const all = judged(terminal("compare", ...compared.runs, "--all"));
    const head = await verdict(page);
    for (const word of ["worse", "better"]) {
      if (judged(screen).includes(word)) expect(head).toContain(word);
      if (!all.includes(word)) expect(head).not.toContain(word);
    }
  });
}
