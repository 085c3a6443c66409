// A part of the page with a heading that the navigation leads to.

import type { ComponentChildren } from "preact";

interface Props {
  id: string;
  title: string;
  /** One or two sentences: what is to be seen here. */
  about?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ id, title, about, children }: Props) {
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

/** Words where data is missing: why, and what would bring it. */
export function Missing({ children }: { children: ComponentChildren }) {
  return <p class="missing">{children}</p>;
}
