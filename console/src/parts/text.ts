// Text from outside, made fit for one line: charts can't wrap or isolate directions as the page can.

/**
 * One line of at most `length` characters, with an ellipsis in the middle, where both ends tell something.
 */
export function cut(text: string, length = 48): string {
  const line = text
    .replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  const letters = [...line];
  if (letters.length <= length) return line;
  const front = Math.ceil((length - 1) * 0.6);
  return `${letters.slice(0, front).join("")}…${letters.slice(letters.length - (length - 1 - front)).join("")}`;
}

/** Lines of at most so many letters, broken between words; a longer word is broken, too. */
export function wrapped(text: string, letters: number): string[] {
  const most = Math.max(1, letters);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if ([...joined].length <= most) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    const rest = [...word];
    while (rest.length > most) lines.push(rest.splice(0, most).join(""));
    line = rest.join("");
  }
  return line === "" ? lines : [...lines, line];
}

/** For a chart's rich text, where braces mean something. */
export function chartText(text: string, length = 48): string {
  return cut(text, length).replace(/\{/g, "(").replace(/\}/g, ")");
}

/** A piece of a sentence; a whole one goes to the next line rather than being broken at its hyphens. */
export interface Piece {
  text: string;
  isWhole: boolean;
}

/** A number with its unit behind it. */
const UNIT = /(\d) (?=(?:%|(?:[kMGT]i?B|[kKMGT]bit|B|bytes|op)(?:\/s)?|[nµm]?s|min|h|fps|Hz)(?:[\s).,;:]|$))/g;

/** What a line's end would cut at a hyphen or slash: flags, paths, times of day. */
const WHOLE = /^[("']*--?[a-z]|\S\/\S|^[("']*\/\S|^\W*\d{4}-\d\d-\d\dT/i;

/** A sentence as a page breaks it into lines: numbers keep their units, flags and paths stay whole. */
export function pieces(text: string): Piece[] {
  const all: Piece[] = [];
  for (const part of text.replace(UNIT, "$1\u00a0").split(/( )/)) {
    const isWhole = WHOLE.test(part);
    const last = all[all.length - 1];
    if (!isWhole && last !== undefined && !last.isWhole) last.text += part;
    else if (part !== "") all.push({ text: part, isWhole });
  }
  return all;
}
