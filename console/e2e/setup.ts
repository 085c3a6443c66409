// Makes real runs with the real binary for the pages to show, once for all tests, in a separate folder.
// Nothing here is invented: late frames come from a file system that is frozen for a second.

import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { HOSTILE, MACHINES, type Compared, type Made, looked, remember } from "./made";

export const BIN = process.env["REELGAUGE_BIN"] ?? "../target/debug/reelgauge";

/** Runs it to its end. Criteria that are not met (status 1) are no failure here. */
async function reelgauge(...args: string[]): Promise<void> {
  try {
    await promisify(execFile)(BIN, args, { env: { ...process.env, NO_COLOR: "1" } });
  } catch (error) {
    const failed = error as { code?: unknown; stderr: string };
    if (failed.code !== 1) throw new Error(`reelgauge ${args.join(" ")} ended with ${failed.code}: ${failed.stderr}`);
  }
}

/** Runs it with the results in a folder of this name. */
async function run(root: string, name: string, ...args: string[]): Promise<string> {
  const out = join(root, name);
  await reelgauge(...args, "--quiet", "--out", out);
  return onlyRun(out);
}

/** The only run in a folder. */
function onlyRun(out: string): string {
  const [name, ...more] = readdirSync(out);
  if (name === undefined || more.length > 0) throw new Error(`${out} does not hold exactly one run`);
  return join(out, name);
}

/** A folder to measure, under this name. */
function targetOf(root: string, name: string): string {
  const target = join(root, name);
  mkdirSync(target);
  return target;
}

/** Mixes: two to be compared, a ramp, a sweep; and a shipped trace, replayed. */
async function mixesOf(root: string): Promise<Pick<Made, "before" | "after" | "ramp" | "sweep" | "replay">> {
  const target = targetOf(root, "target");
  // Pauses between transfers leave the processors to the other runs, and keep logs small.
  const flags = ["--file-size", "32MiB", "--warmup", "0s", "--max-delay", "4ms", "--seed", "7"];
  const mix = (name: string, on: string, ...args: string[]) => run(root, name, "mix", on, ...flags, ...args);
  const compared = async () => ({
    before: await mix("before", target, "--workers", "2", "--duration", "4s"),
    after: await mix("after", target, "--workers", "2", "--duration", "4s", "--blocks", "64KiB"),
  });
  const [pair, ramp, sweep, replay] = await Promise.all([
    compared(),
    mix("ramp", targetOf(root, "ramp-target"), "--ramp", "1..3", "--step", "2s"),
    mix("sweep", targetOf(root, "sweep-target"), "--sweep", "random=0,100", "--step", "3s"),
    run(root, "replay", "replay", "cp-project", targetOf(root, "replay-target")),
  ]);
  return { ...pair, ramp, sweep, replay };
}

/** Streams that are in time, a search up to a cap, and a curve. */
async function streamsOf(root: string): Promise<Pick<Made, "players" | "search" | "vda">> {
  const flat = ["--mbit-per-s", "20", "--fps", "25", "--actor", "player", "--clip", "2s", "--seed", "7"];
  const times = ["--warmup", "500ms", "--duration", "2s"];
  const plan = join(root, "search.toml");
  const flatFormat = "{ name = 'flat', bytes_per_frame = 98304, fps = 25 }";
  writeFileSync(
    plan,
    `plan_version = 1\nname = 'search'\ntarget = '${targetOf(root, "search-target")}'\nwarmup = '500ms'\nduration = '1s'\n` +
      "find_max = { start = 2, cap = 3, repeats = 1, confirm = '2s' }\n\n" +
      `[[actor]]\nkind = 'player'\nclip = '1s'\nown_format = ${flatFormat}\n`,
  );
  const curve = ["--points", "1..3", "--file-size", "4MiB", "--files", "2", "--seed", "7", ...times];
  const [players, search, vda] = await Promise.all([
    run(root, "players", "streams", targetOf(root, "streams-target"), ...flat, "--count", "2", ...times),
    run(root, "search", "run", plan),
    run(root, "vda", "vda", targetOf(root, "vda-target"), ...curve),
  ]);
  return { players, search, vda };
}

/** Three mixes at the same time, as on three machines, merged. */
async function wholeOf(root: string): Promise<string> {
  const flags = ["--file-size", "8MiB", "--files", "2", "--workers", "2", "--warmup", "0s", "--duration", "2s"];
  const runs = await Promise.all(
    MACHINES.map((_, at) => run(root, `machine-${at}`, "mix", targetOf(root, `machine-target-${at}`), ...flags)),
  );
  const whole = join(root, "whole");
  const named = runs.map((dir, at) => `${MACHINES[at]}=${dir}`);
  await reelgauge("fleet", "merge", ...named, "--out", whole, "--clocks-within", "1ms");
  return whole;
}

async function compared(root: string, name: string, one: string, two: string): Promise<Compared> {
  const page = join(root, `${name}.html`);
  await reelgauge("compare", one, two, "--html", page);
  return { page, runs: [one, two] };
}

/** Recorders on a file system that is frozen for a second in the middle, and on the same without a
 * freeze. `null` if nothing can be mounted. */
async function frozenOf(root: string): Promise<Pick<Made, "frozen" | "stalled">> {
  if (process.getuid?.() !== 0) return { frozen: null, stalled: null };
  const image = join(root, "disk.img");
  const mount = join(root, "disk");
  mkdirSync(mount);
  execFileSync("truncate", ["-s", "1G", image]);
  execFileSync("mkfs.ext4", ["-q", "-F", image]);
  execFileSync("mount", ["-o", "loop", image, mount]);
  try {
    const out = join(root, "frozen");
    const streams = ["--mbit-per-s", "20", "--fps", "25", "--actor", "recorder", "--count", "3", "--buffer", "3frames"];
    const time = ["--duration", "6s", "--warmup", "1s", "--clip", "4s", "--seed", "7"];
    const quiet = await run(root, "quiet", "streams", mount, ...streams, ...time);
    const child = spawn(BIN, ["streams", mount, ...streams, ...time, "--quiet", "--out", out], { stdio: "ignore" });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    await new Promise((resolve) => setTimeout(resolve, 4000));
    execFileSync("fsfreeze", ["-f", mount]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    execFileSync("fsfreeze", ["-u", mount]);
    await ended;
    const frozen = onlyRun(out);
    return { frozen, stalled: await compared(root, "stalled", quiet, frozen) };
  } finally {
    execFileSync("umount", ["-l", mount]);
    rmSync(image);
  }
}

/** The known facts about the site of `beside`. */
const SITE = `[server]
link_mbit_per_s = 1000.0
memory_gib = 64.0

[switch]
model = "Acme 24"

[disks]
kind = "hdd-sata"
count = 4
each_mb_per_s = 150.0
raid = "raid5"
`;

/** Players through sshfs. The server is a local program, and its mount is changed during the run. `null`
 * if nothing can be mounted. */
async function besideOf(root: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const [server, served, mount, out] = ["sftp.sh", "served", "nas", "beside"].map((name) => join(root, name)) as [string, string, string, string];
  for (const folder of [served, mount, out]) mkdirSync(folder);
  writeFileSync(server, "#!/bin/sh\nexec /usr/lib/openssh/sftp-server\n", { mode: 0o755 });
  writeFileSync(join(out, "site.toml"), SITE);
  execFileSync("sshfs", ["-o", `ssh_command=${server}`, `nas:${served}`, mount]);
  try {
    // Longer than the measurement, so that nothing is read twice and served from the local cache.
    const streams = ["--mbit-per-s", "20", "--fps", "25", "--actor", "player", "--count", "2", "--clip", "12s", "--buffered"];
    const times = ["--warmup", "500ms", "--duration", "8s"];
    const child = spawn(BIN, ["streams", mount, ...streams, ...times, "--quiet", "--out", out], { stdio: "ignore" });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const ran = () => readdirSync(out).find((name) => existsSync(join(out, name, "counters")));
    for (let tries = 0; tries < 200 && ran() === undefined; tries += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    // Wait for a sample before the change.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    execFileSync("mount", ["-o", "remount,bind,noatime", mount]);
    await ended;
  } finally {
    execFileSync("umount", ["-l", mount]);
  }
  const run = readdirSync(out).find((name) => name !== "site.toml");
  if (run === undefined) throw new Error("players over sshfs left no run");
  return join(out, run);
}

/** A run in which every external string is hostile: its target's name, its notes. */
async function hostileOf(root: string): Promise<string> {
  const times = ["--duration", "1s", "--warmup", "0s", "--file-size", "4MiB"];
  const hostile = await run(root, "hostile", "mix", targetOf(root, HOSTILE.folder), ...times);
  const notes = { tags: [HOSTILE.markup, HOSTILE.rtl], note: HOSTILE.long, storage_make: HOSTILE.markup };
  const rest = { storage_model: HOSTILE.lines, storage_firmware: HOSTILE.rtl };
  writeFileSync(join(hostile, "notes.json"), JSON.stringify({ ...notes, ...rest }));
  await reelgauge("report", hostile, "--html", join(hostile, "report.html"));
  return hostile;
}

/** A trace of files with hostile names, through the importer. */
async function hostileTraceOf(root: string): Promise<string> {
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
  await reelgauge("import", text, "--name", "hostile", "--out", out);
  const html = join(root, "hostile-trace.html");
  await reelgauge("report", join(out, "hostile"), "--html", html);
  return html;
}

/** The page of a shipped trace. */
async function traceOf(root: string): Promise<string> {
  const trace = join(root, "trace.html");
  await reelgauge("report", "office-session", "--html", trace);
  return trace;
}

export default async function setup(): Promise<() => Promise<void>> {
  const root = mkdtempSync(join(tmpdir(), "reelgauge-browser-"));
  // Each run has a separate target: most of the time is measurement.
  const rest = async () => {
    const [mixes, whole, hostile, hostileTrace, trace] = await Promise.all([
      mixesOf(root),
      wholeOf(root),
      hostileOf(root),
      hostileTraceOf(root),
      traceOf(root),
    ]);
    return { ...mixes, hostile, hostileTrace, trace, whole, compared: await compared(root, "compare", mixes.before, mixes.after) };
  };
  // The quick check takes longest, so tests that do not need it don't wait for it. Its rate limit leaves
  // the processors to the browser.
  const check = run(root, "check", "check", targetOf(root, "check-target"), "--max-rate", "100MB").then(
    (dir) => looked(root, { dir }),
    (error: unknown) => looked(root, { error: String(error) }),
  );
  const [streams, stall, beside, others] = await Promise.all([streamsOf(root), frozenOf(root), besideOf(root), rest()]);
  remember({ root, ...streams, ...stall, beside, ...others });
  return async () => {
    await check;
    rmSync(root, { recursive: true, force: true });
  };
}
