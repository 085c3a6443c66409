// Requests the matching operations from the live console's server, if the page does not have all of them.

import { useEffect, useState } from "preact/hooks";
import type { OpsFound } from "../data/live";
import type { OpColumns } from "../data/page";
import { asGlob } from "./glob";
import { type OpFilter, type OpOrder, opsQuery } from "./op-rows";
import type { DetailSource } from "./source";

/** The maximum number of rows in one response. */
const TOP = 2_000;
/** The server is asked after a pause in typing of this length. */
const REST_MS = 300;

export interface ServerOps {
  ops: OpColumns | null;
  names: OpsFound["file_names"] | null;
  waits: boolean;
  error: string | null;
}

const NOTHING: ServerOps = { ops: null, names: null, waits: false, error: null };

/** Empty without a source. */
export function useServerOps(source: DetailSource | null, filter: OpFilter, order: OpOrder): ServerOps {
  const [state, setState] = useState(NOTHING);
  const query = opsQuery(filter, order, asGlob(filter.file), TOP).toString();
  useEffect(() => {
    if (source === null) return undefined;
    const stop = new AbortController();
    const timer = window.setTimeout(() => {
      setState((before) => ({ ...before, waits: true }));
      source.ops(new URLSearchParams(query), stop.signal).then(
        (ops) => setState({ ops, names: ops.file_names, waits: false, error: null }),
        (fault: unknown) => {
          if (stop.signal.aborted) return;
          setState((before) => ({ ...before, waits: false, error: fault instanceof Error ? fault.message : String(fault) }));
        },
      );
    }, REST_MS);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [source, query]);
  return source === null ? NOTHING : state;
}
