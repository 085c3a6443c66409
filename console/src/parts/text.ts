// Text from outside, prepared for one line: unlike the page, charts can't wrap it or isolate its direction.

/** One line of at most `length` characters, with an ellipsis in the middle, because both ends are informative. */
export function cut(text: string, length = 48): string {
  const line = text
    .replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  const letters = [...line];
  if (letters.length <= length) return line;
  const front = Math.ceil((length - 1) * 0.6);
  return `${letters.slice(0, front).join("")}…${letters.slice(letters.length - (length - 1 - front)).join("")}`;
}

/** Lines of at most this many letters, broken between words. Longer words are broken, too. */
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

/** For a chart's rich text, in which braces have a meaning. */
export function chartText(text: string, length = 48): string {
  return cut(text, length).replace(/\{/g, "(").replace(/\}/g, ")");
}

/** A piece of a sentence. A whole piece moves to the next line instead of being broken at its hyphens. */
export interface Piece {
  text: string;
  isWhole: boolean;
}

/** A number followed by its unit. */
const UNIT = /(\d) (?=(?:%|(?:[kMGT]i?B|[kKMGT]bit|B|bytes|op)(?:\/s)?|[nµm]?s|min|h|fps|Hz)(?:[\s).,;:]|$))/g;

/** Words that a line break at a hyphen or slash would split: flags, paths, times of day. */
const WHOLE = /^[("']*--?[a-z]|\S\/\S|^[("']*\/\S|^\W*\d{4}-\d\d-\d\dT/i;

/** The pieces of a sentence for line breaks: numbers keep their units, flags and paths stay whole. */
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
