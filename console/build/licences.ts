// The licences of what is built in, as a JSON element that the page shows. Read from the packages themselves.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Lock {
  packages: Record<string, { version?: string; license?: string; dev?: boolean; optional?: boolean }>;
}

/** `<script type="application/json" id="reelgauge-licences">[...]</script>`. */
export function licences(): string {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
  const inside = Object.entries(lock.packages).filter(([path, entry]) => path !== "" && !entry.dev && !entry.optional);
  const list = inside.map(([path, entry]) => ({
    name: path.replace(/^.*node_modules\//, ""),
    version: entry.version ?? "",
    licence: entry.license ?? "",
    text: text(path),
  }));
  list.sort((one, two) => one.name.localeCompare(two.name));
  const json = JSON.stringify(list).replace(/</g, "\\u003c");
  return `<script type="application/json" id="reelgauge-licences">${json}</script>`;
}

function text(path: string): string {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "CopyrightNotice.txt", "NOTICE"]) {
    const file = join(path, name);
    if (existsSync(file)) return readFileSync(file, "utf8").trim();
  }
  throw new Error(`${path} has no licence text; the page has to show one`);
}
