import { expect, it } from "vitest";
import type { LoadPoint, Summary } from "../src/data/summary";
import { faultsOf } from "../src/run/search";

/** What matters of a run here. */
function run(link: boolean, hosts: (string | null)[] | null, culprit?: LoadPoint["culprit"]): Summary {
  const section = hosts === null ? null : { hosts: hosts.map((one) => ({ interface: one })) };
  return { link: link ? {} : null, hosts: section, load_points: [{ culprit }] } as unknown as Summary;
}

it("a network that leads to the storage is not told from it", () => {
  expect(faultsOf(run(false, null))).toEqual({ theirs: "failed: storage", own: "failed: this machine" });
  expect(faultsOf(run(true, null)).theirs).toBe("failed: storage or network");
  expect(faultsOf(run(false, [null, "eth0"])).theirs).toBe("failed: storage or network");
  expect(faultsOf(run(false, [null])).theirs).toBe("failed: storage");
});

it("what is its own is a machine of many, or a limit that was set", () => {
  expect(faultsOf(run(true, ["eth0"], "tool")).own).toBe("failed: own machine");
  expect(faultsOf(run(true, null, "max_rate")).own).toBe("failed: --max-rate");
});
