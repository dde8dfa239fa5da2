import { expect, it } from "vitest";

import { createReplay, type ReplayDeps } from "../../../src/workbench/dry-run/replay.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";

const RULES = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "REMOTE_USER" }] }];
const KEY = { idpId: "idp", id: "mapped" };

it("a replay leaves out the logins for which there is no time within 20 s", async () => {
  const attributes = { REMOTE_USER: "kim" };
  const recorded = ["a", "b", "c"].map((id) => ({ id, recordedAt: 0, attributes }));
  // Of the start, and of each login.
  const times = [1000, 1000, 21_000, 21_001];
  const deps = {
    recordings: {
      list: async () => new Map([['["idp","mapped"]', { ...KEY, attributes: ["REMOTE_USER"] }]]),
      logins: async () => recorded,
    },
    mappings: { getCompiled: async () => compileMapping({ rules: RULES }) },
    protocols: { listAll: async () => [KEY] },
    identityProviders: { get: async () => ({ id: "idp" }) },
    previewLogin: () => Promise.reject(new Error("the rules are the same")),
    now: () => times.shift() ?? 0,
  } as unknown as ReplayDeps;
  const replay = await createReplay(deps)({ mappingId: "people", rules: RULES });
  expect(replay).toMatchObject({ logins: 2, same: 2, left: 1 });
});
