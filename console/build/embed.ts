// Puts a Page's JSON into a built file, as the Rust side does, to look at it:
//   npx rolldown build/embed.ts --platform node -o /tmp/embed.mjs
//   node /tmp/embed.mjs PAGE.json OUT.html [BUILT.html]
// A run directory instead of PAGE.json makes a page without detail from its summary.json.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const EMPTY = '<script type="application/json" id="reelgauge-data">null</script>';

/** The page with its data: nothing in it can end the script element. */
export function embedded(built: string, json: string): string {
  if (built.split(EMPTY).length !== 2) throw new Error("the built file has no one place for data");
  const safe = json.replace(
    /[<&\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return built.replace(EMPTY, () => EMPTY.replace("null", () => safe));
}

/** A page of what a run directory holds as text; the log is not read. */
function pageOfRun(dir: string): string {
  const file = (name: string) => (existsSync(join(dir, name)) ? readFileSync(join(dir, name), "utf8") : null);
  const summary = JSON.parse(file("summary.json") ?? "null") as { tool_version: string };
  const run = {
    id: basename(dir),
    answer: [{ tone: "answer", text: `The answer of ${basename(dir)} is made by the Rust side.` }],
    summary,
    plan_toml: file("run.toml"),
    hosts: JSON.parse(file("hosts.json") ?? "[]") as unknown,
    again: `reelgauge run ${dir}/run.toml`,
    notes: null,
    detail: null,
    why_no_detail: "this page was made without its log",
    counters: null,
  };
  const made_at = new Date().toISOString();
  return JSON.stringify({
    page_version: 1,
    kind: "run",
    made_at,
    tool_version: summary.tool_version,
    runs: [run],
    trace: null,
    comparison: null,
  });
}

if (/embed\.m?[jt]s$/.test(process.argv[1] ?? "")) {
  const [source, out, built = "dist/reelgauge.html"] = process.argv.slice(2);
  if (source === undefined || out === undefined)
    throw new Error("usage: embed PAGE.json OUT.html [BUILT.html]");
  const json = statSync(source).isDirectory() ? pageOfRun(source) : readFileSync(source, "utf8");
  writeFileSync(out, embedded(readFileSync(built, "utf8"), json));
}
