// The hosts of a fleet run while it runs, one row each.

import type { LiveHosts } from "../data/live";
import { counted } from "../figures/units";
import { Name, Said } from "../parts/name";
import { Section } from "../parts/section";
import { type Column, Table } from "../parts/table";
import { type HostRow, hostRows } from "./live-hosts";

const COLUMNS: Column<HostRow>[] = [
  { title: "host", head: true, cell: (row) => <Name text={row.name} /> },
  { title: "read, MB/s", number: true, cell: (row) => row.read },
  { title: "written, MB/s", number: true, cell: (row) => row.written },
  { title: "late frames", number: true, cell: (row) => row.late, help: "In this load point. A dash means no frames." },
  { title: "state", cell: (row) => <Said text={row.words} /> },
];

export function HostsNow({ hosts }: { hosts: LiveHosts | undefined }) {
  if (hosts === undefined || hosts.name.length === 0) return null;
  const rows = hostRows(hosts);
  const bad = rows.filter((row) => row.isBad).length;
  return (
    <Section id="hosts" title="Hosts" about={aboutFor(rows.length, bad)}>
      <Table caption="Hosts in this load point" quiet columns={COLUMNS} rows={rows} most={64} rowClass={(row) => (row.isBad ? "bad" : "")} />
      {hosts.left_out > 0 && <p class="faint">{counted(hosts.left_out, "more host")}, none worse off than those listed.</p>}
    </Section>
  );
}

function aboutFor(all: number, bad: number): string {
  if (bad === 0) return `Latest report of ${counted(all, "host")}.`;
  return `${bad} of ${counted(all, "host")} missing or not responding.`;
}
