// "Is this good?": the count of a run beside what links carry and people need, on one scale.

import type { RunPage } from "../data/page";
import { count, counted } from "../figures/units";
import { Explained } from "../parts/glossary";
import { Section } from "../parts/section";
import { foundBy, references, said } from "./good";
import type { Found, Reference } from "./good";

export function GoodSection({ run }: { run: RunPage }) {
  const found = foundBy(run);
  if (found === null) return null;
  const all = references(found);
  const most = Math.max(found.streams, ...all.map((one) => one.streams));
  const below = all.filter((one) => one.streams < found.streams);
  const above = all.filter((one) => one.streams >= found.streams);
  const row = (reference: Reference) => <Row reference={reference} found={found} most={most} />;
  return (
    <Section id="good" title="Is this good?" about={`In streams of ${found.format}. Each line says what it assumes.`}>
      <ul class="good-scale">
        {below.map(row)}
        <li class="own">
          <span>this run</span>
          <Bar streams={found.streams} most={most} />
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

function Row({ reference, found, most }: { reference: Reference; found: Found; most: number }) {
  const { word, tone } = said(reference, found);
  return (
    <li class={tone}>
      <Explained says={reference.assumes}>{reference.name}</Explained>
      <Bar streams={reference.streams} most={most} />
      <span>{word}</span>
    </li>
  );
}

/** Logarithmic: a newsroom and 100 GbE have to fit. */
function Bar({ streams, most }: { streams: number; most: number }) {
  const share = Math.log(streams + 1) / Math.log(most + 1);
  return (
    <span class="good-bar" aria-hidden="true" title={`${count(streams)}, on a logarithmic scale`}>
      <i style={{ width: `${(share * 100).toFixed(1)}%` }} />
    </span>
  );
}
