// Makes real runs with the real binary for the pages to show, once for all tests, in a folder of their own.
// Nothing here is invented: late frames come from a file system that is frozen for a second.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOSTILE, type Compared, type Made, remember } from "./made";

export const BIN = process.env["REELGAUGE_BIN"] ?? "../target/debug/reelgauge";

/** Runs it to its end; criteria that are not met (1) are no failure here. */
function reelgauge(...args: string[]): string {
  try {
    return execFileSync(BIN, args, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
  } catch (error) {
    const failed = error as { status: number | null; stdout: string; stderr: string };
    if (failed.status === 1) return failed.stdout;
    throw new Error(`reelgauge ${args.join(" ")} ended with ${failed.status}: ${failed.stderr}`);
  }
}

/** The only run in a folder. */
function onlyRun(out: string): string {
  const [name, ...more] = readdirSync(out);
  if (name === undefined || more.length > 0) throw new Error(`${out} does not hold exactly one run`);
  return join(out, name);
}

function mix(root: string, name: string, ...args: string[]): string {
  const out = join(root, name);
  const target = join(root, "target");
  const flags = ["--file-size", "32MiB", "--warmup", "0s", "--seed", "7", "--quiet", "--out", out];
  reelgauge("mix", target, ...flags, ...args);
  return onlyRun(out);
}

/** A trace that ships, done again. */
function replayed(root: string, trace: string): string {
  const out = join(root, "replay");
  reelgauge("replay", trace, join(root, "target"), "--quiet", "--out", out);
  return onlyRun(out);
}

/** Streams that are in time, a search up to a cap, a curve, and a first look. */
function streamsOf(root: string): Pick<Made, "players" | "search" | "check" | "vda"> {
  const target = join(root, "target");
  const run = (name: string, ...args: string[]) => {
    const out = join(root, name);
    reelgauge(...args, "--quiet", "--out", out);
    return onlyRun(out);
  };
  const flat = ["--mbit-per-s", "20", "--fps", "25", "--actor", "player", "--clip", "2s", "--seed", "7"];
  const times = ["--warmup", "500ms", "--duration", "2s"];
  const plan = join(root, "search.toml");
  const flatFormat = "{ name = 'flat', bytes_per_frame = 98304, fps = 25 }";
  writeFileSync(
    plan,
    `plan_version = 1\nname = 'search'\ntarget = '${target}'\nwarmup = '500ms'\nduration = '1s'\n` +
      "find_max = { start = 2, cap = 3, repeats = 1, confirm = '2s' }\n\n" +
      `[[actor]]\nkind = 'player'\nclip = '1s'\nown_format = ${flatFormat}\n`,
  );
  const curve = ["--points", "1..3", "--file-size", "4MiB", "--files", "2", "--seed", "7", ...times];
  return {
    players: run("players", "streams", target, ...flat, "--count", "2", ...times),
    search: run("search", "run", plan),
    vda: run("vda", "vda", target, ...curve),
    check: run("check", "check", target),
  };
}

function compared(root: string, name: string, one: string, two: string): Compared {
  const page = join(root, `${name}.html`);
  reelgauge("compare", one, two, "--html", page);
  return { page, runs: [one, two] };
}

/** Recorders on a file system that is frozen for a second in the middle, and on the same without that. `null`
 * where nobody may mount. */
async function frozen(root: string): Promise<{ frozen: string; quiet: string } | null> {
  if (process.getuid?.() !== 0) return null;
  const image = join(root, "disk.img");
  const mount = join(root, "disk");
  mkdirSync(mount);
  execFileSync("truncate", ["-s", "1G", image]);
  execFileSync("mkfs.ext4", ["-q", "-F", image]);
  execFileSync("mount", ["-o", "loop", image, mount]);
  try {
    const [out, quiet] = [join(root, "frozen"), join(root, "quiet")];
    const streams = ["--mbit-per-s", "20", "--fps", "25", "--actor", "recorder", "--count", "3", "--buffer", "3frames"];
    const time = ["--duration", "6s", "--warmup", "1s", "--clip", "4s", "--seed", "7", "--quiet", "--out"];
    reelgauge("streams", mount, ...streams, ...time, quiet);
    const run = spawn(BIN, ["streams", mount, ...streams, ...time, out], { stdio: "ignore" });
    const ended = new Promise<void>((resolve) => run.once("exit", () => resolve()));
    await new Promise((resolve) => setTimeout(resolve, 4000));
    execFileSync("fsfreeze", ["-f", mount]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    execFileSync("fsfreeze", ["-u", mount]);
    await ended;
    return { frozen: onlyRun(out), quiet: onlyRun(quiet) };
  } finally {
    execFileSync("umount", ["-l", mount]);
    rmSync(image);
  }
}

/** A run whose every string that comes from outside is hostile: its target's name, its notes. */
function hostile(root: string): string {
  const target = join(root, HOSTILE.folder);
  mkdirSync(target);
  const out = join(root, "hostile");
  reelgauge("mix", target, "--duration", "1s", "--warmup", "0s", "--file-size", "4MiB", "--quiet", "--out", out);
  const run = onlyRun(out);
  const notes = { tags: [HOSTILE.markup, HOSTILE.rtl], note: HOSTILE.long, storage_make: HOSTILE.markup };
  const rest = { storage_model: HOSTILE.lines, storage_firmware: HOSTILE.rtl };
  writeFileSync(join(run, "notes.json"), JSON.stringify({ ...notes, ...rest }));
  reelgauge("report", run, "--html", join(run, "report.html"));
  return run;
}

/** A trace of files with hostile names, through the importer. */
function hostileTrace(root: string): string {
  const text = join(root, "hostile.strace");
  const lines = [HOSTILE.markup, HOSTILE.rtl, "x".repeat(200), "plain.mov"].map((name, at) => {
    const path = `/media/${name.replaceAll("/", "_")}`;
    const quoted = JSON.stringify(path);
    const id = 3 + at;
    return [
      `7 1000.00${at}000 openat(AT_FDCWD, ${quoted}, O_RDONLY) = ${id}<${path}> <0.000020>`,
      `7 1000.10${at}000 read(${id}<${path}>, ""..., 65536) = 65536 <0.000100>`,
      `7 1000.20${at}000 close(${id}<${path}>) = 0 <0.000005>`,
    ].join("\n");
  });
  writeFileSync(text, `${lines.join("\n")}\n`);
  const out = join(root, "traces");
  mkdirSync(out);
  reelgauge("import", text, "--name", "hostile", "--out", out);
  const html = join(root, "hostile-trace.html");
  reelgauge("report", join(out, "hostile"), "--html", html);
  return html;
}

export default async function setup(): Promise<() => void> {
  const root = mkdtempSync(join(tmpdir(), "reelgauge-browser-"));
  mkdirSync(join(root, "target"));
  const before = mix(root, "before", "--workers", "2", "--duration", "4s");
  const after = mix(root, "after", "--workers", "2", "--duration", "4s", "--blocks", "64KiB");
  const ramp = mix(root, "ramp", "--ramp", "1..3", "--step", "2s");
  const sweep = mix(root, "sweep", "--sweep", "random=0,100", "--step", "1s");
  const replay = replayed(root, "cp-project");
  const trace = join(root, "trace.html");
  reelgauge("report", "office-session", "--html", trace);
  const stall = await frozen(root);
  const made: Made = {
    root, before, after, ramp, sweep, replay, trace, ...streamsOf(root),
    compared: compared(root, "compare", before, after),
    stalled: stall === null ? null : compared(root, "stalled", stall.quiet, stall.frozen),
    frozen: stall?.frozen ?? null, hostile: hostile(root), hostileTrace: hostileTrace(root),
  };
  remember(made);
  return () => rmSync(root, { recursive: true, force: true });
}
