// "Is this good?": the count of a run beside what links carry and people need, on one scale.

import type { RunPage } from "../data/page";
import { counted } from "../figures/units";
import { Explained } from "../parts/glossary";
import { Section } from "../parts/section";
import { foundBy, references, said } from "./good";
import type { Found, Reference } from "./good";

export function GoodSection({ run }: { run: RunPage }) {
  const found = foundBy(run);
  if (found === null) return null;
  const all = references(found);
  const below = all.filter((one) => one.streams < found.streams);
  const above = all.filter((one) => one.streams >= found.streams);
  const row = (reference: Reference) => <Row reference={reference} found={found} />;
  return (
    <Section id="good" title="Is this good?" about={`In streams of ${found.format}. Each line says what it assumes.`}>
      <ul class="good-scale">
        {below.map(row)}
        <li class="own">
          <span>this run</span>
          <span>
            {found.at_least ? "at least " : ""}
            {counted(found.streams, "stream")}
          </span>
        </li>
        {above.map(row)}
      </ul>
    </Section>
  );
}

function Row({ reference, found }: { reference: Reference; found: Found }) {
  const { word, tone } = said(reference, found);
  return (
    <li class={tone}>
      <Explained says={reference.assumes}>{reference.name}</Explained>
      <span>{word}</span>
    </li>
  );
}
