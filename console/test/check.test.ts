import { expect, it } from "vitest";
import type { CheckCount } from "../src/data/summary";
import { counted } from "../src/run/check-table";

const found: CheckCount = {
  streams: 188,
  at_least: false,
  error_streams: 182,
  mb_per_s: 1000,
  limited_by: "the storage",
  basis: "short_trial",
  held_s: 1.4,
};

it("a lower bound has no error beside it, in runs of earlier versions either", () => {
  expect(counted(found)).toBe("188 ± 182 for 1.4 s");
  expect(counted({ ...found, at_least: true })).toBe("188 for 1.4 s");
  expect(counted({ ...found, at_least: true, error_streams: null, basis: "held" })).toBe("at least 188");
});
