/** All decisions of Keystones with policy files, of 2026 and of 2022, against this service with the same files. */
import { existsSync } from "node:fs";

import { expect, it } from "vitest";

import { databases } from "../../test/databases.js";
import { playOverride, POLICY_RECORDINGS, readRecordings } from "../../test/policy/recorded-decisions.js";

/** Refused at start: `policy-traps-are-refused`. */
const REFUSED = "o14-broken-texts";

const recorded = existsSync(POLICY_RECORDINGS) ? readRecordings() : [];
const policies = (["head", "keystone 22"] as const).flatMap((peer) => {
  const ofPeer = recorded.filter((each) => each.peer === peer && each.override !== REFUSED);
  return [...new Set(ofPeer.map(({ override }) => override))].map((override) => ({ override, peer }));
});

it.runIf(recorded.length > 0).each(policies)("decides as recorded: $override, $peer", async (policy) => {
  const asked = recorded.filter(({ override, peer }) => override === policy.override && peer === policy.peer);
  expect(await playOverride(databases, policy, asked)).toEqual([]);
});

it.runIf(recorded.length > 0)("refuses texts that a Keystone takes for others", async () => {
  await expect(playOverride(databases, { override: REFUSED, peer: "keystone 22" }, [])).rejects.toThrow(
    /policy\.yaml:8: .* "1a" is neither/,
  );
});
