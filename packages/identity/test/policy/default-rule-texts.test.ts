/** The built-in rules as texts decide as the default permissions do. */
import { describe, expect, it } from "vitest";

import type { PolicyTarget } from "../../src/policy/caller.js";
import { isAllowed, isAction, type Action, PERMISSIONS } from "../../src/policy/is-allowed.js";
import { createPolicy, NO_FILES } from "../../src/policy/policy-in-force.js";
import { builtInRules } from "../../src/policy/rules/default-rule-texts.js";
import { attributesOfTarget } from "../../src/policy/target-attributes.js";
import { personas, policyTargets } from "./keystone-policy.js";

/** With the built-in rules marked as another service's, so that all decide by their texts. */
const asTexts = createPolicy({ ...NO_FILES, builtIn: builtInRules(NO_FILES) });

const TARGETS: readonly PolicyTarget[] = [
  ...Object.values(policyTargets),
  {
    role: { name: "admin", domainId: null },
    user: { id: "u2", domainId: "d1" },
    project: { id: "p2", domainId: "d1" },
  },
  {
    role: { name: "member", domainId: "d2" },
    user: { id: "u2", domainId: "d1" },
    project: { id: "p2", domainId: "d1" },
  },
  { trust: { trustorId: "u1", trusteeId: "u2" } },
  { trust: { trustorId: "u2", trusteeId: "u1" } },
];

describe("the texts of the built-in rules", () => {
  const actions = Object.keys(PERMISSIONS).filter(isAction);
  it("decide as the table", () => {
    expect(actions.flatMap(different)).toEqual([]);
  });

  function different(action: Action) {
    const affected = asTexts.affected.get(action);
    return Object.entries(personas).flatMap(([name, caller]) =>
      TARGETS.filter((target) => {
        const attributes = { target: attributesOfTarget({ action, caller, target }) };
        return affected?.decide(caller, attributes) !== isAllowed(action, caller, target);
      }).map((target) => ({ action, name, target })),
    );
  }

  it("affect nothing by themselves", () => {
    expect(createPolicy(NO_FILES).affected.size).toBe(0);
  });
});
