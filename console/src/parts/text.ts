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

/** For a chart's rich text, where braces mean something. */
export function chartText(text: string, length = 48): string {
  return cut(text, length).replace(/\{/g, "(").replace(/\}/g, ")");
}
