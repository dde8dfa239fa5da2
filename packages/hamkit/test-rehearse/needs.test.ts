import { expect, it } from "vitest";

import { compareWithRecounts } from "../test/awards/random-logs.js";

it("answers of 10,000 random logs equal recounts by all rules", { timeout: 1_800_000 }, () => {
  expect(() => compareWithRecounts(10_000)).not.toThrow();
});
