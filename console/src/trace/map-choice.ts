// The choice that the map shows, as the page sees it. The canvas follows the pointer immediately. The page's period,
// and with it every other chart, follows when the pointer rests.

import { useEffect, useRef, useState } from "preact/hooks";
import type { TimeAxis } from "../data/page";
import { type Extent, period } from "../period";
import type { MapChoice } from "./map-view";

const REST_MS = 120;

/** The whole time range of a page's charts. */
export function extentOf(time: TimeAxis): Extent {
  return { from_s: time.from_s, to_s: time.from_s + time.bins * time.bin_s };
}

export interface ChoiceState {
  /** The choice when the pointer last rested. */
  choice: MapChoice;
  /** The current choice. */
  live: { current: MapChoice };
  change: (next: MapChoice) => void;
}

export function useMapChoice(): ChoiceState {
  const chosen = period.value;
  const [choice, setChoice] = useState<MapChoice>({ period: chosen, bytes: null });
  const live = useRef(choice);
  const timer = useRef(0);
  // The last period that the map set. Its echo is not a new choice, and a key may have been pressed since.
  const told = useRef(chosen);
  const change = useRef((next: MapChoice) => {
    live.current = next;
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      setChoice(live.current);
      told.current = live.current.period;
      period.value = live.current.period;
    }, REST_MS);
  });
  useEffect(() => {
    if (chosen === told.current) return;
    told.current = chosen;
    window.clearTimeout(timer.current);
    live.current = { ...live.current, period: chosen };
    setChoice(live.current);
  }, [chosen]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return { choice, live, change: change.current };
}
