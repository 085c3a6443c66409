// Starts and stops a console of the real binary on a free port.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Locator, type Page, expect } from "@playwright/test";
import { BIN } from "./setup";

export interface Server {
  /** Its address, without the token. */
  url: string;
  /** The link that it printed, with the token. */
  link: string;
  stop: () => Promise<void>;
}

/** Starts it; ready when it has printed its link. */
export async function serve(runs: string, root: string): Promise<Server> {
  const args = ["console", "--runs", runs, "--root", root, "--listen", "127.0.0.1:0", "--no-open"];
  const child: ChildProcess = spawn(BIN, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const link = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      said += chunk.toString();
      const printed = /http:\/\/\S+(?=\n)/.exec(said);
      if (printed !== null) resolve(printed[0]);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.once("exit", () => reject(new Error(`the console ended: ${said}`)));
  });
  const stop = async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  };
  return { url: link.split("#")[0] ?? link, link, stop };
}

/** Opens the printed link, which is every user's first step. */
export async function letIn(page: Page, server: Server): Promise<void> {
  await page.goto(server.link);
  await expect(page.getByRole("heading", { name: "Runs" })).toBeVisible();
}

/** Unfolds the advanced part of a start form. */
export async function openMore(page: Page): Promise<void> {
  const more = page.locator("form.start details");
  await expect(more).toBeVisible();
  if ((await more.getAttribute("open")) === null) await more.locator("summary").click();
}

/** The options of a form's field for formats. */
export function formatsOf(page: Page): Locator {
  return page.getByRole("listbox", { name: "Formats" }).getByRole("option");
}
