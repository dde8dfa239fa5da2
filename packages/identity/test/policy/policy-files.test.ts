/** Policy files in force: what they allow and deny, at start, and when they change. */
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/caller.js";
import type { Action } from "../../src/policy/is-allowed.js";
import { isAllowedBy } from "../../src/policy/held-policy.js";
import { holdPolicy } from "../../src/policy/held-policy.js";
import { policyOf, PolicyRefusedError, readTexts } from "../../src/policy/load-policy.js";
import type { PolicyInForce } from "../../src/policy/policy-in-force.js";
import { watchPolicy } from "../../src/policy/policy-watch.js";
import { Registry } from "prom-client";
import { noAttributes } from "../../src/policy/flat-attributes.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "policy-"));
  await mkdir(join(folder, "policy.d"));
});
afterEach(() => rm(folder, { recursive: true }));

const settings = () => ({
  file: join(folder, "policy.yaml"),
  folders: [join(folder, "policy.d")],
  enforcesScope: true,
  enforcesNewDefaults: true,
  reachesAllSecrets: false,
  release: "2026" as const,
});
const write = (name: string, text: string) => writeFile(join(folder, name), text);
const load = (): PolicyInForce => policyOf(readTexts(settings()), settings());

const member: Credentials = {
  userId: "u1",
  userDomainId: "d1",
  roles: ["member", "reader"],
  scope: { kind: "project", projectId: "p1", projectDomainId: "d1" },
};

function isAllowed(policy: PolicyInForce, action: Action, attributes: object = {}, caller = member): boolean {
  const affected = policy.affected.get(action);
  if (affected === undefined) throw new Error(`no file affects ${action}`);
  const target = Object.assign(noAttributes(), attributes);
  return isAllowedBy(affected, caller, { action, target: {}, attributes: { target } });
}

describe("policy files at start", () => {
  it.each([
    ['"identity:list_users": no', /policy\.yaml:1: identity:list_users: "no" is no check/],
    ['"identity:list_users": false', /false is no rule/],
    ['"identity:list_users": off', /"off" is no check/],
    ['"identity:list_users": 0', /0 is no rule/],
    ['"identity:list_users": ', /null is no rule/],
    ['"identity:list_users": !', /is no rule/],
    ['"identity:list_users": []', /\[\] is no rule/],
    ['"identity:list_users": ""', /an empty text is no rule/],
    [
      '"broken": "role:a or or"\n"identity:list_users": "not rule:broken"',
      /policy\.yaml:1: broken: "or" where a check/,
    ],
    ['"identity:list_users": "not rule:nothing"', /rule "nothing" is neither in a file nor built in/],
    ['"identity:list_usr": "@"', /no action has the name "identity:list_usr"/],
    ['"a": "rule:b"\n"b": "rule:a"', /refers to itself: a > b > a/],
    [
      '"identity:list_users": "user.id:%(user_id)s"',
      /"user\.id" is neither a literal nor an attribute of callers/,
    ],
    ['"identity:get_user": "user_id:%(target.usr.id)s"', /targets have no part "usr"/],
    ['"identity:get_user": "user_id:%(target.user.uid)s"', /target\.user has no attribute "uid"/],
    ['"identity:list_users": "domain_id:%(scope.domain.id)s"', /no attribute of targets: expected/],
    [
      '"identity:get_project": "domain_id:%(target.project.domain_id)s"',
      /add "and not None:%\(target\.project\.domain_id\)s"/,
    ],
    ['"identity:list_users": "http://policy.example/check"', /asks another server/],
  ])("are refused with file, line and rule: %s", async (text, expected) => {
    await write("policy.yaml", text);
    expect(load).toThrow(expected);
  });

  it("name all problems of all files", async () => {
    await write("policy.yaml", '"identity:list_users": no');
    await write("policy.d/a.yaml", '\n"x": "role:"\n"x": 1');
    await write("policy.d/b.yaml", "- a list");
    expect(load).toThrow(PolicyRefusedError);
    expect(load).toThrow(/a\.yaml:3: .*b\.yaml:1: .*policy\.yaml:1: /s);
  });

  it("accept Keystone's names, helpers and former forms", async () => {
    await write(
      "policy.yaml",
      [
        '"admin_required": "role:admin or is_admin:1"',
        '"ops": "role:ops"',
        '"identity:list_users": "rule:ops or rule:service_admin_or_token_subject or role:%(target.domain_id)s"',
        '"identity:get_project": "domain_id:%(target.project.domain_id)s and not None:%(target.project.domain_id)s"',
        '"identity:list_roles": [["role:a", "user_id:u1"], "role:b"]',
      ].join("\n"),
    );
    expect(load().affected.size).toBe(3);
  });
});

describe("rules of files", () => {
  it("replace the built-in rule of their name, and no other", async () => {
    await write("policy.yaml", '"identity:list_users": "role:member"\n"identity:list_regions": "!"');
    const policy = load();
    expect([...policy.affected.keys()]).toEqual(["identity:list_users", "identity:list_regions"]);
    expect(isAllowed(policy, "identity:list_users")).toBe(true);
    expect(isAllowed(policy, "identity:list_users", {}, { ...member, roles: ["reader"] })).toBe(false);
    expect(isAllowed(policy, "identity:list_regions")).toBe(false);
  });

  it("affect every built-in rule that refers to theirs", async () => {
    await write("policy.yaml", '"admin_required": "role:cloud_admin"');
    const policy = load();
    const cloudAdmin = { ...member, roles: ["cloud_admin"] };
    const admin = { ...member, roles: ["admin"] };
    expect(isAllowed(policy, "identity:create_region", {}, cloudAdmin)).toBe(true);
    expect(isAllowed(policy, "identity:create_region", {}, admin)).toBe(false);
    expect(policy.affected.has("identity:get_auth_catalog")).toBe(false);
  });

  it("that say what is built in affect nothing", async () => {
    await write(
      "policy.yaml",
      '"identity:create_region": "rule:admin_required"\n"owner": "user_id:%(user_id)s"',
    );
    expect(load().affected.size).toBe(0);
  });

  it("don't open an action to tokens of other scopes, unless scope is not enforced", async () => {
    await write("policy.yaml", '"identity:create_region": "@"');
    const ofDomain: Credentials = { ...member, scope: { kind: "domain", domainId: "d1" } };
    expect(isAllowed(load(), "identity:create_region")).toBe(true);
    expect(isAllowed(load(), "identity:create_region", {}, ofDomain)).toBe(false);
    const open = policyOf(readTexts(settings()), { ...settings(), enforcesScope: false });
    expect(isAllowed(open, "identity:create_region", {}, ofDomain)).toBe(true);
  });

  it("keep former rules besides the new ones, unless new defaults are enforced", async () => {
    await write("policy.yaml", "");
    const former = policyOf(readTexts(settings()), { ...settings(), enforcesNewDefaults: false });
    const unprivileged = { ...member, roles: [] };
    const own = { user_id: "u1", "target.credential.user_id": "u1", "target.user.domain_id": "d1" };
    expect(isAllowed(former, "identity:ec2_create_credential", own, unprivileged)).toBe(true);
    expect(isAllowed(former, "identity:ec2_create_credential", { ...own, user_id: "u2" }, unprivileged)).toBe(
      false,
    );
    expect(load().affected.size).toBe(0);
  });

  it("rest on the rules of the release that is set", async () => {
    await write("policy.yaml", "");
    const of22 = policyOf(readTexts(settings()), { ...settings(), release: "22" });
    const ofDomain = (role: string): Credentials => ({
      ...member,
      roles: [role],
      scope: { kind: "domain", domainId: "d1" },
    });
    const user = { "target.user.domain_id": "d1" };
    expect(isAllowed(of22, "identity:create_user", user, ofDomain("admin"))).toBe(true);
    expect(isAllowed(of22, "identity:create_user", user, ofDomain("manager"))).toBe(false);
    const project = { "target.project.domain_id": "d2", "target.project.id": "p1" };
    expect(isAllowed(of22, "identity:get_project", project)).toBe(true);
    expect(isAllowed(of22, "identity:get_project", project, ofDomain("admin"))).toBe(false);
    // Other scopes, the same text.
    const credential = { "target.credential.user_id": "u1", "target.user.domain_id": "d1" };
    expect(isAllowed(of22, "identity:get_credential", credential)).toBe(true);
    expect(isAllowed(of22, "identity:get_credential", credential, ofDomain("member"))).toBe(false);
    const elsewhere = { "target.credential.user_id": "u2", "target.user.domain_id": "d2" };
    const admin = { ...member, roles: ["admin"] };
    expect(isAllowed(of22, "identity:get_credential", elsewhere, admin)).toBe(false);
    expect(of22.affected.has("identity:create_region")).toBe(false);
    expect(load().affected.size).toBe(0);
  });

  it("never give an unstored user what outlives the token", async () => {
    await write("policy.yaml", '"identity:create_application_credential": "@"');
    expect(isAllowed(load(), "identity:create_application_credential")).toBe(true);
    expect(
      isAllowed(load(), "identity:create_application_credential", {}, { ...member, isUnstored: true }),
    ).toBe(false);
  });
});

describe("attacks on rules", () => {
  const decide = async (rule: string, attributes: object = {}, caller: Credentials = member) => {
    await write("policy.yaml", `"identity:get_user": ${JSON.stringify(rule)}`);
    try {
      return isAllowed(load(), "identity:get_user", attributes, caller);
    } catch (error) {
      if (error instanceof PolicyRefusedError) return "refused";
      return "failed";
    }
  };

  it.each([
    // Both None: the caller's domain, and what a body sends.
    ["domain_id:%(request_body.user.domain_id)s", { "request_body.user.domain_id": null }, false],
    ["not domain_id:%(request_body.user.domain_id)s", { "request_body.user.domain_id": null }, true],
    ["None:%(request_body.user.domain_id)s", { "request_body.user.domain_id": null }, true],
    // Attributes of all objects are none of a target or caller.
    ["user_id:%(request_body.constructor)s", {}, false],
    ["user_id:%(request_body.__proto__)s", {}, false],
    ["token.constructor.name:Object", {}, false],
    // Lists, maps and numbers are no texts.
    ["user_id:%(request_body.id)s", { "request_body.id": ["u1"] }, false],
    ["user_id:%(request_body.id)s", { "request_body.id": { u1: "u1" } }, false],
    ["user_id:%(request_body.id)d", { "request_body.id": "u1" }, "failed"],
    ["not user_id:%(request_body.id)d", { "request_body.id": "u1" }, "failed"],
    ["user_id:%(request_body.id)s", { "request_body.id": "U1" }, false],
    ["role:MEMBER", {}, true],
    ["role:%(request_body.role)s", { "request_body.role": "Member" }, true],
    ["role:%(request_body.role)s", { "request_body.role": "" }, false],
    // Negation of what fails fails.
    ["not user_id.x:1", {}, "failed"],
    ["not rule:identity:get_user", {}, "refused"],
    ["@ or rule:identity:get_user", {}, "refused"],
    [`${"(".repeat(50_000)}@`, {}, "refused"],
    [`${"not ".repeat(50_000)}@`, {}, "refused"],
    [`@${" or @".repeat(20_000)}`, {}, "refused"],
    [`user_id:%(${"(".repeat(5000)}${")".repeat(5000)})s`, {}, "refused"],
    ["user_id:%(request_body.id)999999999s", { "request_body.id": "u1" }, "refused"],
    ["user_id:%s", {}, false],
  ] as const)("%.60s", async (rule, attributes, expected) => {
    expect((await decide(rule, attributes)) === expected).toBe(true);
  });

  it("a chain of thousands of rules ends nothing", async () => {
    const chain = Array.from({ length: 9000 }, (_, at) => `"r${at}": "rule:r${at + 1}"`);
    await write("policy.yaml", [...chain, '"r9000": "@"', '"identity:get_user": "rule:r0"'].join("\n"));
    expect([true, RangeError]).toContain(outcome(() => isAllowed(load(), "identity:get_user")));
  });

  it("a file of a megabyte is read within seconds", async () => {
    const rule = `role:a${" or user_id:%(target.user.id)s".repeat(2000)}`;
    await write("policy.yaml", Array.from({ length: 15 }, (_, at) => `"r${at}": "${rule}"`).join("\n"));
    expect(load().written.size).toBe(15);
    await write("policy.yaml", `"r": "${"x".repeat(1 << 20)}"`);
    expect(load).toThrow(/expected at most 1048576/);
  });
});

function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return (error as Error).constructor;
  }
}

describe("policy files that change", () => {
  const lines: string[] = [];
  const note = (_: object, message: string) => void lines.push(message);

  function watch() {
    lines.length = 0;
    const policy = holdPolicy(load());
    const watcher = watchPolicy({
      settings: settings(),
      policy,
      texts: readTexts(settings()),
      log: { info: note as never, warn: note as never, error: note as never },
      registry: new Registry(),
    });
    const look = () => {
      watcher.look();
      watcher.look();
      return policy.current.affected.size;
    };
    return { watcher, policy, look };
  }

  it("are applied once two readings agree", async () => {
    await write("policy.yaml", '"identity:list_users": "role:member"');
    const { watcher, policy, look } = watch();
    expect(look()).toBe(1);
    await write("policy.yaml", '"identity:list_users": "role:member"\n"identity:list_roles": "@"');
    watcher.look();
    expect(policy.current.affected.size).toBe(1);
    watcher.look();
    expect(policy.current.affected.size).toBe(2);
    await write("policy.d/a.yaml", '"identity:list_groups": "@"');
    expect(look()).toBe(3);
    await rm(join(folder, "policy.d/a.yaml"));
    await write("policy.yaml", "");
    expect(look()).toBe(0);
  });

  it("keep the former policy, with an alert, if they are refused; none of the other files is dropped", async () => {
    await write("policy.yaml", '"identity:list_users": "!"');
    await write("policy.d/a.yaml", '"identity:list_groups": "!"');
    const { watcher, policy, look } = watch();
    await write("policy.d/b.yaml", "{ broken");
    expect(look()).toBe(2);
    expect(isAllowed(policy.current, "identity:list_groups")).toBe(false);
    expect(watcher.impairments()).toEqual([expect.stringContaining("The policy files are refused")]);
    look();
    expect(lines).toEqual(["policy files refused: the former policy stays in force"]);
    await rm(join(folder, "policy.d/b.yaml"));
    expect(look()).toBe(2);
    expect(watcher.impairments()).toEqual([]);
  });

  it("keep the former policy if the file is gone: its restrictions don't end unseen", async () => {
    await write("policy.yaml", '"identity:list_users": "!"');
    const { watcher, look } = watch();
    await rm(join(folder, "policy.yaml"));
    expect(look()).toBe(1);
    expect(watcher.impairments()).toHaveLength(1);
    await write("policy.yaml", '"identity:list_users": "@"\n"identity:list_roles": "@"');
    expect(look()).toBe(2);
    expect(watcher.impairments()).toEqual([]);
  });
});
