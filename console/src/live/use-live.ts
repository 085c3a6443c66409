// Follows a run in progress by its events.

import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../data/api";
import { type LiveState, NOTHING_YET, afterEvent } from "./live-state";

/** The shortest interval between two redraws, however many events arrive. */
const DRAW_MS = 100;

/** Follows the run's events. Calls `finish` when the run has ended. */
export function useLive(id: string, finish: () => void): { state: LiveState; connected: boolean; heardAt: { current: number } } {
  const [state, setState] = useState(NOTHING_YET);
  const [connected, setConnected] = useState(true);
  const latest = useRef(NOTHING_YET);
  const heardAt = useRef(performance.now());
  useEffect(() => {
    let timer = 0;
    const draw = () => {
      timer = 0;
      setState(latest.current);
    };
    const stream = api.live(id, {
      begin: () => (latest.current = NOTHING_YET),
      connected: setConnected,
      event: (event) => {
        heardAt.current = performance.now();
        latest.current = afterEvent(latest.current, event);
        if (timer === 0) timer = window.setTimeout(draw, DRAW_MS);
        if (event.event === "end") finish();
      },
    });
    return () => {
      window.clearTimeout(timer);
      stream.close();
    };
  }, [id]);
  return { state, connected, heardAt };
}
