/** All decisions of Keystones with policy files, of 2026 and of 2022, against this service with the same files. */
import { existsSync } from "node:fs";

import { expect, it } from "vitest";

import { databases } from "../../test/databases.js";
import { playOverride, POLICY_RECORDINGS, readRecordings } from "../../test/policy/recorded-decisions.js";

/** Refused at start: `policy-traps-are-refused`. */
const REFUSED = "o14-broken-texts";

const recorded = existsSync(POLICY_RECORDINGS) ? readRecordings() : [];
const overrides = [...new Set(recorded.map(({ override }) => override))];

it.runIf(recorded.length > 0).each(overrides.filter((override) => override !== REFUSED))(
  "decides as recorded: %s",
  async (override) => {
    const asked = recorded.filter((each) => each.override === override);
    expect(await playOverride(databases, override, asked)).toEqual([]);
  },
);

it.runIf(recorded.length > 0)("refuses texts that a Keystone takes for others", async () => {
  await expect(playOverride(databases, REFUSED, [])).rejects.toThrow(/policy\.yaml:8: .* "1a" is neither/);
});
