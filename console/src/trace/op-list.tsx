// Single operations, as in NASPT's transaction list: sorted, and filtered by kind, file, period and errors. Only the
// rows in view are in the page. A report shows its own operations; the live console requests others from its server.

import { useMemo, useState } from "preact/hooks";
import type { Detail, OpColumns } from "../data/page";
import { count, counted } from "../figures/units";
import { Tabs } from "../parts/tabs";
import { period } from "../period";
import { OpFilters } from "./op-filters";
import { EVERYTHING, type OpFilter, type OpOrder, rowsOf } from "./op-rows";
import { OpTable } from "./op-table";
import { useServerOps } from "./op-server";
import { useSource } from "./source";
import "./trace.css";

/** The help above a list of operations. */
export const OPERATIONS_HELP = "Single operations. Click a time to show it in all charts.";

export function OpList({ detail }: { detail: Detail }) {
  const source = useSource();
  if (detail.ops === 0) return <p class="missing">No operations.</p>;
  const slowest: OpOrder = { by: detail.measure, down: true };
  const inTurn: OpOrder = { by: "issued", down: false };
  const all = detail.listed_all || source !== null;
  return (
    <Tabs
      label="Operations"
      tabs={[
        {
          id: "worst",
          title: `The ${count(detail.worst.kind.length)} slowest`,
          view: () => <Part key="worst" detail={detail} ops={detail.worst} first={slowest} whole={false} />,
        },
        {
          id: "listed",
          title: all ? `All ${count(detail.ops)}` : `The first ${count(detail.listed.kind.length)}`,
          view: () => <Part key="listed" detail={detail} ops={detail.listed} first={inTurn} whole={detail.listed_all} />,
        },
      ]}
    />
  );
}

interface PartProps {
  detail: Detail;
  /** The operations in the page. */
  ops: OpColumns;
  first: OpOrder;
  /** Whether the page has all operations. */
  whole: boolean;
}

function Part({ detail, ops, first, whole }: PartProps) {
  const [filter, setFilter] = useState<OpFilter>(EVERYTHING);
  const [order, setOrder] = useState(first);
  const chosen = period.value;
  const asked = useMemo(() => ({ ...filter, period: filter.period === null ? null : chosen }), [filter, chosen]);
  const isList = ops === detail.listed;
  const source = useSource();
  const served = useServerOps(isList && !whole ? source : null, asked, order);
  const shown = served.ops ?? ops;
  const names = served.names === null ? detail.file_names : { ...detail.file_names, ...served.names };
  const rows = useMemo(() => rowsOf(shown, names, asked, order), [shown, names, asked, order]);
  const kinds = useMemo(() => kindsOf(detail), [detail]);
  return (
    <div>
      <OpFilters filter={filter} setFilter={setFilter} kinds={kinds} hasPeriod={chosen !== null}>
        {served.waits ? "Loading …" : `${count(rows.length)} of ${counted(shown.kind.length, "operation")}`}
      </OpFilters>
      {served.error !== null && <p class="bad" role="alert">{served.error}</p>}
      <OpTable detail={detail} ops={shown} names={names} rows={rows} order={order} setOrder={setOrder} />
      <Bounds detail={detail} shown={shown} isList={isList} whole={whole} served={served.ops !== null} />
    </div>
  );
}

/** The kinds of operations that occur. */
function kindsOf(detail: Detail): string[] {
  const kinds = [...detail.percentiles.map((curve) => curve.kind), ...detail.worst.kind, ...detail.listed.kind];
  return [...new Set(kinds)].sort();
}

interface BoundsProps {
  detail: Detail;
  shown: OpColumns;
  isList: boolean;
  whole: boolean;
  served: boolean;
}

/** Explains which operations the list does not include. */
function Bounds({ detail, shown, isList, whole, served }: BoundsProps) {
  if (isList && whole) return null;
  const many = count(shown.kind.length);
  const rest = `The log holds ${counted(detail.ops, "operation")}; 'reelgauge ops' lists them all.`;
  if (!isList) {
    const measure = detail.measure === "response" ? "response time (due to done)" : "service time (issued to done)";
    return <p class="faint">The {many} slowest operations by {measure}. {rest}</p>;
  }
  if (served) return <p class="faint">The first {many} matches, in this order. {rest}</p>;
  return <p class="faint">The first {many} operations. {rest}</p>;
}
