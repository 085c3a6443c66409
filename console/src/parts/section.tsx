// A part of the page with a heading that the navigation links to. A folded part is closed until the user opens it,
// prints, searches in it or follows a link to it.

import { createContext } from "preact";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";

interface Props {
  id: string;
  title: string;
  /** A description of the section in one or two sentences. */
  about?: ComponentChildren;
  children: ComponentChildren;
}

const FoldedContext = createContext(false);

/** Folds all sections inside. */
export function Folded({ children }: { children: ComponentChildren }) {
  return <FoldedContext.Provider value={true}>{children}</FoldedContext.Provider>;
}

export function Section({ id, title, about, children }: Props) {
  const folded = useContext(FoldedContext);
  if (folded) return <FoldedSection id={id} title={title} about={about} children={children} />;
  return (
    <section id={id} aria-labelledby={`${id}-title`} class="section">
      <h2 id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {about !== undefined && <p class="about">{about}</p>}
      {children}
    </section>
  );
}

/** The content is on the page, so that a search finds it. Its charts are drawn when they come into view. */
function FoldedSection({ id, title, about, children }: Props) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} class="section folded">
      <details>
        <summary>
          <h2 id={`${id}-title`}>{title}</h2>
        </summary>
        <div class="folded-content">
          {about !== undefined && <p class="about">{about}</p>}
          <FoldedContext.Provider value={false}>{children}</FoldedContext.Provider>
        </div>
      </details>
    </section>
  );
}

/** A text in place of missing data: why it is missing, and how to get it. */
export function Missing({ children }: { children: ComponentChildren }) {
  return <p class="missing">{children}</p>;
}
