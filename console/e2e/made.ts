// What the setup made, and how tests find it.

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
  /** null where no file system may be mounted. */
  frozen: string | null;
  /** Players over a network, on a path of which some is known, with a mark; null where nothing may be mounted. */
  beside: string | null;
  hostile: string;
  hostileTrace: string;
  /** The same recorders without and with a frozen second, compared; null where no file system may be mounted. */
  stalled: Compared | null;
  /** What `comparison` compares. */
  compared: Compared;
  trace: string;
  /** Three mixes at once, put together as the run of three machines. */
  whole: string;
}

/** The machines of `whole`, the last one with a name that would turn what stands behind it around. */
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

/** What became of the first look, which goes on while tests run that need none: its run, or why there is none. */
type FirstLook = { dir: string } | { error: string };

const LOOKED = "first-look.json";

/** The first look has ended. */
export function looked(root: string, look: FirstLook): void {
  const whole = join(root, LOOKED);
  writeFileSync(`${whole}.new`, JSON.stringify(look));
  renameSync(`${whole}.new`, whole);
}

/** The run of the first look, which takes about a minute. */
export async function firstLook(): Promise<string> {
  const path = join(made().root, LOOKED);
  for (let tries = 0; tries < 1_800 && !existsSync(path); tries += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  const look = JSON.parse(readFileSync(path, "utf8")) as FirstLook;
  if ("error" in look) throw new Error(look.error);
  return look.dir;
}
