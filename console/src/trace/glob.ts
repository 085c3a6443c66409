// Patterns for file names, as in `reelgauge ops --file`: * matches any characters (also /), ? one, [abc] or [a-z] one
// of these, [!abc] one that is none of these. A word without any of these matches anywhere in the name.

/** The help for a field with a pattern. */
export const PATTERN_HELP = "* matches any characters, ? matches one. A plain word matches anywhere in the name.";

/** Characters that turn a word into a pattern. */
const SPECIAL = /[*?[]/;

/** "*", or a test for one letter. */
type Part = "*" | ((letter: string) => boolean);

/** Returns whether a name matches. An empty pattern matches everything; case is ignored. */
export function matcher(pattern: string): (name: string) => boolean {
  if (pattern.trim() === "") return () => true;
  const parts = partsOf([...asGlob(pattern).toLowerCase()]);
  return (name) => matches(parts, [...name.toLowerCase()]);
}

/** The pattern in the server's syntax; empty for everything. */
export function asGlob(pattern: string): string {
  const trimmed = pattern.trim();
  return trimmed === "" || SPECIAL.test(trimmed) ? trimmed : `*${trimmed}*`;
}

function partsOf(letters: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] ?? "";
    const end = letter === "[" ? letters.indexOf("]", at + 2) : -1;
    if (letter === "*") {
      if (parts.at(-1) !== "*") parts.push("*");
    } else if (letter === "?") {
      parts.push(() => true);
    } else if (end > 0) {
      parts.push(oneOf(letters.slice(at + 1, end)));
      at = end;
    } else {
      parts.push((other) => other === letter);
    }
  }
  return parts;
}

/** The test for a bracket expression. */
function oneOf(set: readonly string[]): (letter: string) => boolean {
  const not = set[0] === "!";
  const ranges: [string, string][] = [];
  for (let at = not ? 1 : 0; at < set.length; at += 1) {
    const from = set[at] ?? "";
    const isRange = set[at + 1] === "-" && at + 2 < set.length;
    ranges.push([from, isRange ? (set[at + 2] ?? from) : from]);
    at += isRange ? 2 : 0;
  }
  return (letter) => ranges.some(([from, to]) => letter >= from && letter <= to) !== not;
}

/** Backtracks to the last star only, so that no pattern takes long. */
function matches(parts: readonly Part[], letters: readonly string[]): boolean {
  let part = 0;
  let star = -1;
  let tried = 0;
  for (let at = 0; at < letters.length; ) {
    const test = parts[part];
    if (test === "*") {
      star = part;
      tried = at;
      part += 1;
    } else if (test !== undefined && test(letters[at] ?? "")) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      tried += 1;
      at = tried;
      part = star + 1;
    } else {
      return false;
    }
  }
  while (parts[part] === "*") part += 1;
  return part === parts.length;
}
