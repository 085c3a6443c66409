// How the runs on a page differ from the paper that they follow. Printed below every chart that corresponds to a figure
// of the paper.

import { createContext } from "preact";

export const ConditionsContext = createContext<readonly string[]>([]);

/** `Differs from the published procedure: --step 20s (paper: 1h).` Empty without differences. */
export function conditionsText(deviations: readonly string[]): string {
  return deviations.length === 0 ? "" : `Differs from the published procedure: ${deviations.join("; ")}.`;
}
