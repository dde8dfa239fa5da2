/** What a Keystone of 2026 with policy files decided is decided here with the same files. Older ones: test-rehearse/policy. */
import { existsSync } from "node:fs";

import { expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { playOverride, POLICY_RECORDINGS, readRecordings } from "./recorded-decisions.js";

/** Of the recorded requests one in so many is sent here; all in rehearsals. */
const ONE_IN = 4;

it.runIf(existsSync(POLICY_RECORDINGS)).each(["o02-project-manager", "o12-domain-manager"])(
  "decides as a recorded Keystone: %s",
  async (override) => {
    const recorded = readRecordings()
      .filter((each) => each.peer === "head" && each.override === override)
      .filter((_, index) => index % ONE_IN === 0);
    expect(recorded.length).toBeGreaterThan(100);
    expect(await playOverride(sqliteDatabases, { override, peer: "head" }, recorded)).toEqual([]);
  },
);
