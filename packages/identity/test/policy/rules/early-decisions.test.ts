/** Decisions that are made before the target is known. */
import fc from "fast-check";
import { expect, it, test } from "vitest";

import type { Credentials } from "../../../src/policy/caller.js";
import { createPolicy, NO_FILES } from "../../../src/policy/policy-in-force.js";
import { compileRules } from "../../../src/policy/rules/compile-rules.js";
import { parseRule } from "../../../src/policy/rules/parse-rule.js";
import type { PolicyRule } from "../../../src/policy/rules/rule.js";

const CHECKS = [
  "@",
  "!",
  "role:admin",
  "role:%(r)s",
  "user_id:u1",
  "user_id:%(u)s",
  "'x':%(x)s",
  "True:%(flag)s",
  "None:%(missing)s",
  "rule:a",
  "rule:b",
  "rule:c",
  "token.user.id:u1",
  "user_id:100%%",
  "user_id:%(u)d",
];

const rule = fc.letrec<{ rule: PolicyRule }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...CHECKS).map((text) => parseRule(text)),
    tie("rule").map((of): PolicyRule => ({ kind: "not", of })),
    fc.record({
      kind: fc.constantFrom("any", "all"),
      of: fc.array(tie("rule"), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).rule;

/** What a decision comes to: also the fault that denies. */
function outcomeOf(decided: () => boolean | undefined): boolean | string | undefined {
  try {
    return decided();
  } catch (error) {
    return String(error);
  }
}

it("is what it would be with any target, or left open", () => {
  let decidedEarly = 0;
  let leftOpen = 0;
  const target = fc.record(
    {
      r: fc.constantFrom("admin", "x"),
      u: fc.constantFrom("u1", "u2", 3),
      x: fc.constant("x"),
      flag: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const caller = fc.record({
    user_id: fc.constantFrom("u1", "u2"),
    roles: fc.subarray(["admin", "member"]),
    token: fc.constantFrom(null, { user: { id: "u1" } }),
  });
  fc.assert(
    fc.property(rule, rule, rule, caller, fc.array(target, { minLength: 1 }), (a, b, c, who, targets) => {
      const decide = compileRules(
        new Map([
          ["a", a],
          ["b", b],
          ["c", c],
        ]),
      );
      const early = outcomeOf(() => decide("a", who));
      if (early === undefined) leftOpen++;
      else decidedEarly++;
      for (const each of targets) {
        const full = outcomeOf(() => decide("a", who, each));
        expect(full).toBeDefined();
        expect(early ?? full).toBe(full);
      }
    }),
    { numRuns: 3000 },
  );
  expect(decidedEarly).toBeGreaterThan(500);
  expect(leftOpen).toBeGreaterThan(500);
});

const admin: Credentials = { userId: "u1", userDomainId: "d1", roles: ["admin"], scope: { kind: "system" } };
const reader: Credentials = { ...admin, roles: ["reader"] };

function affectedBy(text: string) {
  const written = new Map([["identity:get_user", { rule: parseRule(text), file: "policy.yaml", line: 1 }]]);
  const affected = createPolicy({ ...NO_FILES, written }).affected.get("identity:get_user");
  if (affected === undefined) throw new Error("the rule affects nothing");
  return affected;
}

test.each([
  ["rule:admin_required or user_id:%(target.user.id)s", true, undefined],
  ["user_id:%(target.user.id)s or rule:admin_required", undefined, undefined],
  ["role:admin and user_id:%(target.user.id)s", undefined, false],
  ["not role:admin", false, true],
])("of %s, an administrator's is %s and a reader's is %s, each time", (text, ofAdmin, ofReader) => {
  const { decideEarly } = affectedBy(text);
  for (let times = 0; times < 3; times++) {
    expect(decideEarly(admin, undefined)).toBe(ofAdmin);
    expect(decideEarly(reader, undefined)).toBe(ofReader);
  }
});

it("is that of the token, where rules name it", () => {
  const { decideEarly } = affectedBy("token.methods:password or user_id:%(target.user.id)s");
  const byPassword = { methods: ["password"] };
  const byToken = { methods: ["token"] };
  for (let times = 0; times < 2; times++) {
    expect(decideEarly(reader, byPassword)).toBe(true);
    expect(decideEarly(reader, byToken)).toBe(undefined);
  }
});

it("denies callers of another scope, whatever the rule says", () => {
  const { decideEarly, scopes } = affectedBy("@");
  expect(scopes).toContain("system");
  const written = new Map([
    ["identity:create_region", { rule: parseRule("@"), file: "policy.yaml", line: 1 }],
  ]);
  const affected = createPolicy({ ...NO_FILES, written }).affected.get("identity:create_region");
  expect(decideEarly(reader, undefined)).toBe(true);
  for (const kind of ["system", "domain"] as const) {
    const caller: Credentials = kind === "system" ? reader : { ...reader, scope: { kind, domainId: "d1" } };
    expect(affected?.decideEarly(caller, undefined)).toBe(affected?.scopes?.includes(kind));
  }
});
