// The frame of every page: name and verdict at the top, links to its parts, the switch between light and dark, the
// version, and the licences of its packages.

import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { licences } from "../data/embedded";
import { goTo } from "../view-link";
import { Name } from "./name";
import { cut } from "./text";
import { ThemeSwitch } from "./theme-switch";

export interface PagePart {
  id: string;
  title: string;
}

/** Shown as a word with a sign, never by colour alone. */
export interface Verdict {
  word: string;
  tone: "good" | "unsure" | "bad" | "plain";
}

interface Props {
  title: string;
  /** The kind of page: `run`, `trace`, `comparison`. */
  kind: string;
  verdict?: Verdict | null;
  /** Shown in the tab's title, so that it is visible from another tab or on a wall of monitors. */
  alarm?: string;
  sections: PagePart[];
  /** "made by reelgauge 0.1.0 at …" */
  madeBy?: string;
  /** A link back, before the title. */
  back?: ComponentChildren;
  children: ComponentChildren;
}

export function Shell({ title, kind, verdict, alarm = "", sections, madeBy, back, children }: Props) {
  const here = useHere(sections);
  useEffect(() => {
    document.title = `${alarm === "" ? "" : `${SIGNS.bad} ${alarm} – `}${cut(title, 80)} – Reelgauge`;
  }, [title, alarm]);
  return (
    <div class="shell">
      <header class="top">
        <a class="skip" href="#content">
          Skip to content
        </a>
        {back}
        <div class="top-name">
          <span class="kind">{kind}</span>
          <strong>
            <Name text={title} length={72} />
          </strong>
        </div>
        {verdict != null && <VerdictMark verdict={verdict} />}
        <ThemeSwitch />
      </header>
      {sections.length > 0 && (
        <nav class="parts" aria-label="On this page">
          <ul>
            {sections.map((part) => (
              <li>
                <a
                  href={`#${part.id}`}
                  aria-current={part.id === here ? "location" : undefined}
                  onClick={(event) => follow(event, part.id)}
                >
                  {part.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot">
        {madeBy !== undefined && <p>{madeBy}</p>}
        <Licences />
      </footer>
    </div>
  );
}

/** Follows the link, and opens folded parts. The browser handles clicks that open another tab. */
function follow(event: MouseEvent, part: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  goTo(part);
}

const SIGNS = { good: "✓", unsure: "?", bad: "✕", plain: "•" } as const;

export function VerdictMark({ verdict }: { verdict: Verdict }) {
  return (
    <span class={`verdict ${verdict.tone}`}>
      <span aria-hidden="true">{SIGNS[verdict.tone]}</span> {verdict.word}
    </span>
  );
}

/** The part in view: the last one whose heading is above the upper third of the window; at the end, the last part. */
function useHere(sections: PagePart[]): string {
  const [here, setHere] = useState(sections[0]?.id ?? "");
  const ids = sections.map((part) => part.id).join(" ");
  useEffect(() => {
    let asked = 0;
    const look = () => {
      asked = 0;
      const { scrollHeight } = document.documentElement;
      const atEnd = window.scrollY > 0 && window.scrollY + window.innerHeight >= scrollHeight - 4;
      const line = atEnd ? Infinity : window.scrollY < 8 ? -Infinity : window.innerHeight * 0.33;
      let found = ids.split(" ")[0] ?? "";
      for (const id of ids.split(" ")) {
        const element = document.getElementById(id);
        if (element !== null && element.getBoundingClientRect().top <= line) found = id;
      }
      setHere(found);
    };
    const later = () => {
      if (asked === 0) asked = window.requestAnimationFrame(look);
    };
    window.addEventListener("scroll", later, { passive: true });
    look();
    return () => {
      window.removeEventListener("scroll", later);
      window.cancelAnimationFrame(asked);
    };
  }, [ids]);
  return here;
}

/** Created on request, because they are long. */
function Licences() {
  const [open, setOpen] = useState(false);
  return (
    <details class="licences" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Third-party licences</summary>
      {open && (
        <ul>
          {licences().map((entry) => (
            <li>
              <details>
                <summary>
                  {entry.name} {entry.version}, {entry.licence}
                </summary>
                <pre tabIndex={0}>{entry.text}</pre>
              </details>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
