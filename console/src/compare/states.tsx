// The table of a worst night: streams sustained, late frames and time to recover, for each state of the storage.

import type { Page } from "../data/page";
import { Section } from "../parts/section";
import { type Column, Table } from "../parts/table";

type State = Page["states"][number];

const COLUMNS: Column<State>[] = [
  { title: "State", cell: (state) => state[0], head: true },
  { title: "Streams sustained", cell: (state) => state[1] },
  { title: "Late frames", cell: (state) => state[2], number: true },
  { title: "Time to recover", cell: (state) => state[3], number: true },
];

export function States({ states }: { states: Page["states"] }) {
  if (states.length === 0) return null;
  return (
    <Section id="states" title="States">
      <Table caption="States of the storage" quiet columns={COLUMNS} rows={states} />
    </Section>
  );
}
