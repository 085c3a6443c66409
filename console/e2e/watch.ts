// Requirements on every page: no error in the browser's console, no request that leaves the page, no
// violation found by axe, nothing wider than the window.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Watch {
  /** Errors that the browser reported. */
  errors: string[];
  /** Every requested address. */
  requests: string[];
}

/** Starts to listen; call it before the page is opened. */
export function watch(page: Page): Watch {
  const seen: Watch = { errors: [], requests: [] };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("request", (request) => seen.requests.push(request.url()));
  return seen;
}

/** A page opened from a file requested only itself, and caused no error. */
export function expectAlone(seen: Watch): void {
  expect(seen.errors).toEqual([]);
  const left = seen.requests.filter((url) => !/^(file|data|blob):/.test(url));
  expect(left).toEqual([]);
  expect(seen.requests.filter((url) => url.startsWith("file:")).length).toBe(1);
}

interface Violation {
  id: string;
  help: string;
  nodes: { target: string[]; failureSummary?: string }[];
}

/** Checks the accessibility rules that axe knows. */
export async function expectAccessible(page: Page): Promise<void> {
  // The page's own policy forbids foreign scripts. The debugger's interface bypasses the policy.
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    interface Axe {
      run(options: { resultTypes: string[] }): Promise<{ violations: Violation[] }>;
    }
    // Without names for elements that pass: naming them takes most of the time.
    return (await (window as unknown as { axe: Axe }).axe.run({ resultTypes: ["violations"] })).violations;
  });
  const told = found.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
  expect(told).toEqual([]);
}

/** The page itself does not scroll sideways. Charts follow the window a moment later. */
export async function expectNoOverflow(page: Page): Promise<void> {
  await expect(async () => expect(await tooWide(page)).toEqual([])).toPass({ timeout: 10_000 });
}

/** Elements that are wider than the window. */
async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    return document.documentElement.scrollWidth > width
      ? [...document.querySelectorAll("body *")]
          .filter((node) => node.getBoundingClientRect().right > width + 1)
          .slice(0, 5)
          .map((node) => `${node.tagName}.${node.className}`)
      : [];
  });
}

/** Buttons show all their words, and do not overlap. */
export async function expectButtonsWhole(page: Page): Promise<void> {
  const wrong = await page.evaluate(() => {
    const seen = [...document.querySelectorAll<HTMLElement>("button, a.button")].filter((one) => {
      const box = one.getBoundingClientRect();
      return box.width > 1 && box.height > 1 && getComputedStyle(one).visibility === "visible";
    });
    const cut = seen.filter((one) => one.scrollWidth > one.clientWidth + 2 || (one.textContent ?? "").trim() === "");
    // Elements in folded parts have boxes without a position.
    const open = seen.filter((one) => one.checkVisibility());
    const over = open.filter((one, at) => {
      const box = one.getBoundingClientRect();
      return open.slice(at + 1).some((other) => {
        const its = other.getBoundingClientRect();
        const [wide, high] = [Math.min(box.right, its.right) - Math.max(box.left, its.left), Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top)];
        return wide > 1 && high > 1 && !one.contains(other) && !other.contains(one);
      });
    });
    return [...cut.map((one) => `cut: ${one.outerHTML.slice(0, 120)}`), ...over.map((one) => `over: ${one.outerHTML.slice(0, 120)}`)];
  });
  expect(wrong).toEqual([]);
}
