// The results of the setup, and how tests find them.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A comparison as a page, and the two runs in it. */
export interface Compared {
  page: string;
  runs: [string, string];
}

/** Paths of runs (folders) and pages (files). */
export interface Made {
  root: string;
  before: string;
  after: string;
  ramp: string;
  /** A mix with one value swept over its load points. */
  sweep: string;
  /** A shipped trace, replayed. */
  replay: string;
  players: string;
  search: string;
  vda: string;
  /** null if no file system can be mounted. */
  frozen: string | null;
  /** Players over a network, on a partly known path, with a mark; null if nothing can be mounted. */
  beside: string | null;
  hostile: string;
  hostileTrace: string;
  /** The same recorders without and with a frozen second, compared; null if no file system can be
   * mounted. */
  stalled: Compared | null;
  /** The runs in `comparison`. */
  compared: Compared;
  trace: string;
  /** Three mixes at once, merged as the run of three machines. */
  whole: string;
}

/** The machines of `whole`. The name of the last one would reverse the text after it. */
export const MACHINES = ["edit-1", "edit-2", "\u202Egrade"];

/** Strings that would break a careless page. */
export const HOSTILE = {
  markup: `<img src=x onerror="window.broken=1"></script><script>window.broken=1</script>`,
  folder: `<img src=x onerror=window.broken=1>'"&amp;`,
  rtl: "\u202Egpj.exe\u202C \u0627\u0644\u0639\u0631\u0628\u064A\u0629",
  lines: "one\ntwo\r\nthree\u2028four\u0000five",
  long: "w".repeat(4000),
};

const VARIABLE = "REELGAUGE_BROWSER_MADE";

export function remember(made: Made): void {
  process.env[VARIABLE] = JSON.stringify(made);
}

export function made(): Made {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error("the setup has made nothing");
  return JSON.parse(text) as Made;
}

/** The result of the first quick check: its run, or the reason for its failure. It runs in parallel with
 * tests that do not need it. */
type FirstLook = { dir: string } | { error: string };

const LOOKED = "first-look.json";

/** Records that the first quick check has ended. */
export function looked(root: string, look: FirstLook): void {
  const whole = join(root, LOOKED);
  writeFileSync(`${whole}.new`, JSON.stringify(look));
  renameSync(`${whole}.new`, whole);
}

/** The run of the first quick check, which takes about a minute. */
export async function firstLook(): Promise<string> {
  const path = join(made().root, LOOKED);
  for (let tries = 0; tries < 1_800 && !existsSync(path); tries += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  const look = JSON.parse(readFileSync(path, "utf8")) as FirstLook;
  if ("error" in look) throw new Error(look.error);
  return look.dir;
}
