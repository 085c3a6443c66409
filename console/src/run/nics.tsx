// What each network interface of each machine carried in a load point, by that machine's own counters: everything that
// went over it, and to which target it is the way.

import type { NicFigures } from "../data/summary";
import { columnText } from "../figures/column";
import { Figure } from "../parts/figure";
import { Name } from "../parts/name";
import { Table } from "../parts/table";
import type { Column } from "../parts/table";

interface Row {
  nic: NicFigures;
  /** Where its figures stand in summary.json. */
  path: string;
}

type Of = (nic: NicFigures) => number | null | undefined;

export function Nics({ nics, path }: { nics: NicFigures[]; path: string }) {
  if (nics.length === 0) return null;
  const rows = nics.map((nic, at) => ({ nic, path: `${path}.${at}` }));
  return <Table caption="Network interfaces, by their counters" rows={rows} columns={columnsOf(rows)} most={40} />;
}

function columnsOf(rows: Row[]): Column<Row>[] {
  const scaled = (title: string, field: string, of: Of, scale: number): Column<Row> => {
    const text = columnText(rows.map((row) => of(row.nic)), scale);
    return {
      title,
      number: true,
      sort: (row) => of(row.nic) ?? null,
      cell: (row) => <Figure path={`${row.path}.${field}`} value={of(row.nic)} text={text} />,
    };
  };
  return [
    { title: "host", head: true, sort: (row) => row.nic.agent, cell: (row) => <Name text={row.nic.agent} length={40} /> },
    { title: "interface", sort: (row) => row.nic.interface, cell: (row) => <Name text={row.nic.interface} length={32} /> },
    scaled("received, MB/s", "received_bytes_per_s", (nic) => nic.received_bytes_per_s, 1e6),
    scaled("sent, MB/s", "sent_bytes_per_s", (nic) => nic.sent_bytes_per_s, 1e6),
    scaled("of its speed, %", "used_percent", (nic) => nic.used_percent, 1),
    { title: "way to", cell: (row) => <Name text={row.nic.target ?? ""} length={40} empty="no target" /> },
  ];
}
