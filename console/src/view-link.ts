// Synchronises the link and the view: the page shows the view in the link, and the link follows the user's choices.

import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Extent } from "./period";
import { period, within } from "./period";
import { reveal, unfoldForPaper } from "./parts/unfold";
import type { View } from "./view";
import { chosenPoint, chosenStream, hashOfView, inExtent, viewOf } from "./view";

/** `extent`: the time range of the page; null if nothing has a time. */
export function useViewLink(extent: Extent | null): void {
  useEffect(() => {
    const home = pathOf(window.location.hash);
    // In the console a different path is a different page, which manages its own link.
    const isHere = () => pathOf(window.location.hash) === home;
    const show = () => {
      if (!isHere()) return;
      const view = viewOf(window.location.hash);
      const wish = extent === null ? null : inExtent(view.period, extent);
      period.value = wish === null || extent === null ? null : within(extent, wish);
      chosenPoint.value = view.point;
      chosenStream.value = view.stream;
      if (view.part !== "") reveal(view.part);
    };
    show();
    const stop = effect(() => {
      const view = { ...chosen(), part: viewOf(window.location.hash).part };
      if (isHere()) write(view);
    });
    const folded = unfoldForPaper();
    window.addEventListener("hashchange", show);
    return () => {
      stop();
      folded();
      window.removeEventListener("hashchange", show);
      chosenPoint.value = null;
      chosenStream.value = null;
    };
  }, [extent?.from_s, extent?.to_s]);
}

function chosen(): Omit<View, "part"> {
  return { period: period.value, point: chosenPoint.value, stream: chosenStream.value };
}

/** The console's path in a link; empty for a page that is a file. */
function pathOf(hash: string): string {
  return /^#(\/[^?]*)/.exec(hash)?.[1] ?? "";
}

/** Replaces the link, so that a drag does not add an entry to the history. */
function write(view: View): void {
  const { hash, pathname, search } = window.location;
  const next = hashOfView(hash, view);
  if (next === hash || isOther(hash)) return;
  window.history.replaceState(window.history.state, "", next === "" ? pathname + search : next);
}

/** A link with the token is not a view and must not change. */
function isOther(hash: string): boolean {
  return hash.startsWith("#token=");
}

/** Goes to a part of the page, as a link to it does, and keeps the choices. */
export function goTo(part: string): void {
  if (!reveal(part)) return;
  const { hash } = window.location;
  const next = hashOfView(hash, { ...viewOf(hash), part });
  if (next !== hash && next !== "") window.history.pushState(window.history.state, "", next);
}
