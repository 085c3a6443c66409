// The filters above a list of operations.

import type { ComponentChildren } from "preact";
import { PATTERN_HELP } from "./glob";
import { EVERYTHING, type OpFilter } from "./op-rows";

interface Props {
  filter: OpFilter;
  setFilter: (filter: OpFilter) => void;
  kinds: string[];
  /** Whether a period is chosen on the page. */
  hasPeriod: boolean;
  /** The number of matches. */
  children: ComponentChildren;
}

/** Represents the page's period. The list replaces it by the current one. */
const THE_PERIOD = { from_s: 0, to_s: Infinity };

export function OpFilters({ filter, setFilter, kinds, hasPeriod, children }: Props) {
  const change = (part: Partial<OpFilter>) => setFilter({ ...filter, ...part });
  const isFiltered = filter.kind !== "" || filter.file !== "" || filter.errors || filter.period !== null;
  return (
    <div class="list-filter">
      <label>
        Kind
        <select value={filter.kind} onChange={(event) => change({ kind: event.currentTarget.value })}>
          <option value="">all kinds</option>
          {kinds.map((kind) => (
            <option value={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <label>
        File
        <input
          type="search"
          value={filter.file}
          placeholder="*.mov"
          title={PATTERN_HELP}
          onInput={(event) => change({ file: event.currentTarget.value })}
        />
      </label>
      <Check name="failed only" on={filter.errors} set={(errors) => change({ errors })} />
      <Check
        name={hasPeriod ? "period in view only" : "period in view only (now everything)"}
        on={filter.period !== null}
        set={(on) => change({ period: on ? THE_PERIOD : null })}
      />
      {isFiltered && (
        <button type="button" class="small" onClick={() => setFilter(EVERYTHING)}>
          Clear filters
        </button>
      )}
      <span class="count" role="status">
        {children}
      </span>
    </div>
  );
}

function Check({ name, on, set }: { name: string; on: boolean; set: (on: boolean) => void }) {
  return (
    <label class="inline">
      <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} /> {name}
    </label>
  );
}
