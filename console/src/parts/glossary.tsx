// Terms with an explanation on hover, focus and touch. Escape closes it.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

const GLOSSARY = {
  margin: "Time from the arrival of a frame to its deadline. Below 0, the frame was late.",
  headroom:
    "The margin as a share of the time a frame had: the buffer plus one frame. 100 %: arrived at once. " +
    "0 %: at the deadline. Below 0: late.",
  incident:
    "One disturbance: all late frames with one cause, on all streams. It shows when it happened, which streams it hit, " +
    "what the storage and this client did, and which component caused it.",
} as const;

export type Word = keyof typeof GLOSSARY;

/** A word of the glossary. `children` is its inflected form, if it differs. */
export function Term({ word, children }: { word: Word; children?: string }) {
  return <Explained says={GLOSSARY[word]}>{children ?? word}</Explained>;
}

/** A word with its explanation. */
export function Explained({ says, children }: { says: string; children: string }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (open && box.current !== null) keepInView(box.current);
  }, [open]);
  const whole = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    // Not every browser moves the focus if the user touches another element.
    const away = (event: Event) => {
      if (event.target instanceof Node && whole.current?.contains(event.target) === false) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  // Touch has no hover. The hover events that browsers emulate would open and close the explanation.
  const hover = (now: boolean) => (event: PointerEvent) => {
    if (event.pointerType === "mouse") setOpen(now);
  };
  const close = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    setOpen(false);
  };
  return (
    <span class="term" ref={whole} onPointerEnter={hover(true)} onPointerLeave={hover(false)}>
      <button
        type="button"
        class="word"
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onKeyDown={close}
      >
        {children}
      </button>
      <span role="tooltip" id={id} ref={box} class={open ? "term-told open" : "term-told"}>
        {says}
      </span>
    </span>
  );
}

/** Moves the explanation to the left if it extends beyond the window. */
function keepInView(told: HTMLElement): void {
  told.style.left = "0";
  const beyond = told.getBoundingClientRect().right - (document.documentElement.clientWidth - 8);
  if (beyond > 0) told.style.left = `${-beyond}px`;
}
