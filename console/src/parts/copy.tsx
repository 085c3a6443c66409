// A line of text with a button that copies it. If the browser denies access to the clipboard, the line is selected.

import { useRef, useState } from "preact/hooks";

export function Copy({ text, label }: { text: string; label: string }) {
  const line = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      select(line.current);
      setSaid("Selected. Press Ctrl+C to copy.");
    }
    window.setTimeout(() => setSaid(""), 4000);
  };
  return (
    <div class="copy">
      <code ref={line} dir="auto">
        {text}
      </code>
      <button type="button" class="small" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <span class="said" role="status">
        {said}
      </span>
    </div>
  );
}

function select(element: HTMLElement | null): void {
  const selection = window.getSelection();
  if (element === null || selection === null) return;
  const range = document.createRange();
  range.selectNodeContents(element);
  selection.removeAllRanges();
  selection.addRange(range);
}
