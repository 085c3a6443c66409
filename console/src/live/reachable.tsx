// Shows when the console's server does not respond, and polls until it does.

import { GONE, api, isReachable } from "../data/api";
import { useEvery } from "./use-data";

const LOOK_MS = 3_000;

export function ReachableBanner() {
  const there = isReachable.value;
  // Polls on every page: a report makes no other requests and would not notice.
  useEvery(LOOK_MS, () => api.info().catch(() => undefined));
  return (
    <div role="status" aria-live="assertive">
      {!there && (
        <p class="gone">
          <strong>No connection.</strong> {GONE} Retrying every 3 s.
        </p>
      )}
    </div>
  );
}
