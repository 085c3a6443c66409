// Text from outside, shown so that it can't break the page: its direction is isolated, long text is cut and can be
// opened, line ends are shown as spaces.

import { useState } from "preact/hooks";
import { cut, pieces } from "./text";

interface Props {
  text: string;
  /** The length in characters from which it is cut. */
  length?: number;
  /** Shown if the text is empty. */
  empty?: string;
}

export function Name({ text, length = 64, empty = "–" }: Props) {
  const [open, setOpen] = useState(false);
  if (text === "") return <span class="faint">{empty}</span>;
  const short = cut(text, length);
  const kind = open || length > 64 ? "name" : "name short";
  if (short === text || short === text.trim()) return <bdi class={kind}>{short}</bdi>;
  return (
    <bdi class={kind}>
      <span title={text.slice(0, 4000)}>{open ? text : short}</span>{" "}
      <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "show less" : "show all"}
      </button>
    </bdi>
  );
}

/** Longer than any real sentence. Longer text is malicious or broken. */
const LONGEST_SENTENCE = 800;

/** A sentence from outside. Its direction is that of the surrounding element. */
export function Said({ text }: { text: string }) {
  if (text.length > LONGEST_SENTENCE) return <Name text={text} length={LONGEST_SENTENCE} />;
  return (
    <>
      {pieces(text).map((piece) => (piece.isWhole ? <span class="whole">{piece.text}</span> : piece.text))}
    </>
  );
}

/** A longer text: lines are kept, and its direction is determined by its content. */
export function Prose({ text }: { text: string }) {
  const scrolls = text.length > 500 || text.split("\n").length > 10 ? { tabIndex: 0 } : {};
  return (
    <p class="prose" dir="auto" {...scrolls}>
      {text}
    </p>
  );
}
