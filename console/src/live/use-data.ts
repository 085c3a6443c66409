// Data from the server for a screen: loading, loaded, or refused. Requested again when the server is reachable again.

import { useEffect, useRef, useState } from "preact/hooks";
import { isReachable } from "../data/api";

export interface Loaded<Data> {
  data: Data | null;
  /** The error as a sentence; null if there is none. */
  error: string | null;
  /** Requests the data again. */
  again: () => void;
}

/** Calls `load` again when `key` changes. */
export function useData<Data>(load: (stop: AbortSignal) => Promise<Data>, key: string): Loaded<Data> {
  const [state, setState] = useState<{ key: string; data: Data | null; error: string | null }>({ key, data: null, error: null });
  const [turn, setTurn] = useState(0);
  const there = isReachable.value;
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ key, data, error: null }),
      (fault: unknown) => {
        if (stop.signal.aborted) return;
        const error = fault instanceof Error ? fault.message : String(fault);
        setState((before) => ({ key, data: before.key === key ? before.data : null, error }));
      },
    );
    return () => stop.abort();
    // After the server was unreachable, the displayed data may be old.
  }, [key, turn, there]);
  const mine = state.key === key;
  return {
    data: mine ? state.data : null,
    error: mine ? state.error : null,
    again: () => setTurn((before) => before + 1),
  };
}

/** Calls the function at this interval while the page is visible. */
export function useEvery(ms: number, call: () => unknown): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (document.visibilityState === "visible") latest.current();
    }, ms);
    return () => window.clearInterval(timer);
  }, [ms]);
}
