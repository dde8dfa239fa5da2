import { describe, expect, it } from "vitest";

import type { Credentials, PolicyTarget } from "../../src/policy/caller.js";
import { isAllowed, type Action } from "../../src/policy/is-allowed.js";
import { DEFAULT_PERMISSIONS } from "../../src/policy/default-permissions.js";
import { goldenIds, goldenRows, hasGolden, type GoldenRow } from "../golden.js";
import { personas, policyCases, policyTargets } from "./keystone-policy.js";

const cases = policyCases();
const actions = Object.keys(DEFAULT_PERMISSIONS) as Action[];

function credentialsOf(persona: string): Credentials {
  const found = personas[persona];
  if (found === undefined) throw new Error(`There is no persona ${persona}`);
  return found;
}

/** Where administrators of one domain or project are denied: `secrets-stay-in-the-domain`. */
function isNarrowed({ action, persona, target }: (typeof cases)[number]): boolean {
  const isOfSecrets = /^identity:(?:ec2_)?(?:get|list|create|update|delete)_credentials?$/.test(action);
  return isOfSecrets && /^(?:domain|project) admin$/.test(persona) && target === "user elsewhere";
}

describe("Keystone's policy", () => {
  it("was asked about every action that there is, and all that it was asked about are there", () => {
    expect(new Set(cases.map(({ action }) => action))).toEqual(new Set(actions));
  });

  it.each(actions)("allows and denies as here: %s", (action) => {
    const asked = cases.filter((each) => each.action === action);
    const different = asked.filter(
      (each) =>
        isAllowed(action, credentialsOf(each.persona), policyTargets[each.target]) !==
        (each.isAllowed && !isNarrowed(each)),
    );
    expect(different).toEqual([]);
    expect(asked.some((each) => each.isAllowed)).toBe(true);
  });

  it("secrets-stay-in-the-domain: lets administrators of a domain or project reach all secrets", () => {
    const narrowed = cases.filter((each) => isNarrowed(each) && each.isAllowed);
    expect(new Set(narrowed.map(({ action }) => action)).size).toBe(8);
    for (const { action, persona, target } of narrowed)
      expect(isAllowed(action, credentialsOf(persona), policyTargets[target])).toBe(false);
  });

  it("is Keystone's for secrets too, where the operator allows it", () => {
    for (const { action, persona, target, isAllowed: isExpected } of cases)
      expect([
        action,
        persona,
        target,
        isAllowed(action, { ...credentialsOf(persona), reachesAllSecrets: true }, policyTargets[target]),
      ]).toEqual([action, persona, target, isExpected]);
  });

  it("denies each action to some persona, except those that any token allows", () => {
    const open = actions.filter((action) => cases.every((each) => each.action !== action || each.isAllowed));
    expect(open).toEqual([
      "identity:list_projects_for_user",
      "identity:list_domains_for_user",
      "identity:get_security_compliance_domain_config",
      "identity:get_region",
      "identity:list_regions",
      "identity:get_auth_catalog",
      "identity:get_auth_projects",
      "identity:get_auth_domains",
      "identity:get_auth_system",
      "identity:list_credentials",
      "identity:get_registered_limit",
      "identity:list_registered_limits",
      "identity:get_limit_model",
      "identity:list_limits",
    ]);
  });
});

describe("isAllowed", () => {
  it("grants nothing on account of ids that both are missing", () => {
    for (const action of actions) {
      const needsATarget = isAllowed(action, credentialsOf("domain reader"));
      expect(isAllowed(action, credentialsOf("domain reader"), {})).toBe(needsATarget);
      expect(isAllowed(action, credentialsOf("domain reader"), { user: { id: "u9" } })).toBe(needsATarget);
    }
  });

  it("knows roles by their names alone: none of what objects inherit is one", () => {
    const credentials = { ...credentialsOf("unscoped"), roles: ["constructor", "Admin", "admin "] };
    expect(isAllowed("identity:create_user", credentials)).toBe(false);
  });
});

describe.runIf(hasGolden)("the recorded Keystone", () => {
  const ids = hasGolden ? goldenIds("head") : {};
  const id = (name: string): string => ids[name] ?? "";

  /** Who the tokens of the recording belong to, as its setup gave out the roles. */
  const system = { kind: "system" } as const;
  const ofDom1 = { kind: "domain", domainId: id("dom1") } as const;
  const inDefault = (projectId: string) =>
    ({ kind: "project", projectId, projectDomainId: "default" }) as const;
  const bearers: Readonly<Record<string, Credentials>> = {
    $member: { userId: id("user_alice"), roles: ["member", "reader"], scope: inDefault(id("p1")) },
    $unscoped: { userId: id("user_alice"), roles: [], scope: { kind: "unscoped" } },
    $noroles: { userId: id("user_noroles"), roles: [], scope: { kind: "unscoped" } },
    $sys_reader: { userId: id("user_bob_reader"), roles: ["reader"], scope: system },
    $sys_member: { userId: id("user_carl_member"), roles: ["member", "reader"], scope: system },
    $dom_admin: { userId: id("user_dadmin"), roles: ["admin", "manager", "member", "reader"], scope: ofDom1 },
    $dom_reader: { userId: id("user_dreader"), roles: ["reader"], scope: ofDom1 },
    $admin_project: {
      userId: "admin",
      roles: ["admin", "manager", "member", "reader"],
      scope: inDefault("admin"),
    },
  };

  const RESOURCES: readonly (readonly [RegExp, string, string])[] = [
    [/^\/v3\/OS-FEDERATION\/identity_providers\/[^/]+\/protocols(\/[^/]+)?$/, "protocol", "protocols"],
    [/^\/v3\/OS-FEDERATION\/identity_providers(\/[^/]+)?$/, "identity_provider", "identity_providers"],
    [/^\/v3\/OS-FEDERATION\/mappings(\/[^/]+)?$/, "mapping", "mappings"],
    [/^\/v3\/OS-FEDERATION\/service_providers(\/[^/]+)?$/, "service_provider", "service_providers"],
    [/^\/v3\/registered_limits(\/[^/]+)?$/, "registered_limit", "registered_limits"],
    [/^\/v3\/limits(\/(?!model$)[^/]+)?$/, "limit", "limits"],
  ];

  /** The action that a request is; `undefined` for those that are none of the table's. */
  function actionOf({ method, path }: GoldenRow): Action | undefined {
    const [plain = ""] = path.split("?");
    const [pattern, one = "", several = ""] = RESOURCES.find(([each]) => each.test(plain)) ?? [];
    const isMember = pattern?.exec(plain)?.[1] !== undefined;
    const read = isMember ? `get_${one}` : `list_${several}`;
    const verbs: Readonly<Record<string, string>> = {
      GET: read,
      HEAD: read,
      PUT: `create_${one}`,
      POST: `create_${several}`,
      PATCH: `update_${one}`,
      DELETE: `delete_${one}`,
    };
    return actions.find((action) => action === `identity:${verbs[method]}`);
  }

  /** The recording's limits: the first two are of project p1, the others of domain dom1 and its projects. */
  function targetOf({ path }: GoldenRow): PolicyTarget {
    if (path.endsWith(id("l1"))) return { project: { id: id("p1"), domainId: "default" } };
    if (path.endsWith(id("l3"))) return { project: { id: id("d1p1"), domainId: id("dom1") } };
    if (path.endsWith(id("l4"))) return { domain: { id: id("dom1") } };
    return {};
  }

  it("denies exactly the recorded requests that Keystone answers with 403", () => {
    const asked = goldenRows("head").flatMap((row) => {
      const bearer = bearers[row.request_headers["X-Auth-Token"] ?? ""];
      const action = actionOf(row);
      // It looks at the body before it looks at who sends it; here it is the other way round.
      if (bearer === undefined || action === undefined || row.status === 400) return [];
      return [
        { row, action, isRefused: row.status === 403, allowed: isAllowed(action, bearer, targetOf(row)) },
      ];
    });
    expect(asked.length).toBeGreaterThan(250);
    expect(new Set(asked.filter(({ isRefused }) => isRefused).map(({ action }) => action)).size).toBe(27);
    const different = asked.filter(({ isRefused, allowed }) => isRefused === allowed);
    expect(different.map(({ row, action }) => [row.name, row.status, action])).toEqual([]);
  });
});
