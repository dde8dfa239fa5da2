import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, expect, it } from "vitest";

import { databases } from "../databases.js";
import { apiAnswers } from "./api-answers.js";
import { documentService, type DocumentService } from "./federation-file.js";

const PAGE = fileURLToPath(new URL("../../../../docs/identity/federation-as-code.md", import.meta.url));
/** The document of the page. */
const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(readFileSync(PAGE, "utf8"))?.[1] ?? "";
const SECRET = "correct-horse-battery-staple";
const SECRETS = { env: { CORP_CLIENT_SECRET: SECRET } };
/** As the export names it. */
const EXPORTED = { env: { CORP_OPENID_CLIENT_SECRET: SECRET } };
const REVISION = /: revision [0-9a-f]{16}/;
const NO_CHANGE = "0 creates, 0 changes, 0 deletes";

let service: DocumentService;

beforeEach(async () => {
  service = await documentService(databases, { IDENTITY_AUDIT_TRAIL_DAYS: "1" });
});
afterEach(() => service.remove());

it("creates what the example of the page has, once", async () => {
  expect((await service.plan(EXAMPLE, SECRETS)).replace(REVISION, "")).toBe(
    [
      "+ domain Corp",
      "+ domain Partners",
      "+ project Corp/platform",
      "+ project Corp/web",
      "+ group Corp/developers",
      "+ role auditor",
      "+ implied role auditor -> reader",
      "+ grant member to Corp/developers on project Corp/web",
      "+ grant auditor to Corp/developers on domain Corp, inherited",
      "+ service compute/nova",
      "+ region north",
      "+ registered limit cores of compute/nova in north",
      "+ limit cores of compute/nova in north for project Corp/web",
      "+ mapping corp",
      "+ identity provider corp",
      "+ protocol corp/openid",
      "+ service provider partner-cloud",
      "17 creates, 0 changes, 0 deletes, none made\n",
    ].join("\n"),
  );
  expect(await service.apply(EXAMPLE, SECRETS)).toContain("17 creates, 0 changes, 0 deletes\n");
  expect(await service.plan(EXAMPLE, SECRETS)).toBe(`${NO_CHANGE}, none made\n`);
  expect(await service.apply(EXAMPLE, SECRETS)).toBe(`${NO_CHANGE}\n`);
});

it("makes an empty service answer as the exported one, and export the same", async () => {
  await service.apply(EXAMPLE, SECRETS);
  const text = await service.export();
  expect(text).not.toContain(SECRET);
  const other = await documentService(databases);
  try {
    await other.apply(text, EXPORTED);
    expect(await other.export()).toBe(text);
    expect(await other.plan(await service.export("json"), EXPORTED)).toBe(`${NO_CHANGE}, none made\n`);
    expect(await apiAnswers(other.config)).toEqual(await apiAnswers(service.config));
  } finally {
    await other.remove();
  }
});

it("shows each value that changes, and secrets only as set or not", async () => {
  await service.apply(EXAMPLE, SECRETS);
  const changed = EXAMPLE.replace(
    "enabled: true\n    description: The company",
    "enabled: false\n    description: Our",
  )
    .replace("https://login.corp.example]", "https://id.corp.example]")
    .replace("any_one_of: [developers]", "any_one_of: [developers, staff]")
    .replace("logout: true", "logout: false")
    .replace("limit: 12", "limit: 13")
    .replace("tags: [production]", "enabled: false");
  expect(changed).not.toBe(EXAMPLE);
  const other = { env: { CORP_CLIENT_SECRET: "another-secret" } };
  const lines = [
    "~ project Corp/web",
    "    enabled: true -> false",
    '    tags[0]: "production" -> none',
    "~ limit cores of compute/nova in north for project Corp/web",
    "    limit: 12 -> 13",
    "~ mapping corp",
    '    rules[0].remote[1].any_one_of[1]: none -> "staff"',
    "~ identity provider corp",
    "    enabled: true -> false",
    `    description: "The company's provider" -> "Our's provider"`,
    '    remote_ids[0]: "https://login.corp.example" -> "https://id.corp.example"',
    "~ protocol corp/openid",
    "    settings.logout: true -> false",
    "    settings.client_secret: a secret -> another secret",
    "0 creates, 5 changes, 0 deletes\n",
  ];
  expect(await service.apply(changed, other)).toBe(lines.join("\n"));
  expect(await service.plan(changed, other)).toBe(`${NO_CHANGE}, none made\n`);
  expect(JSON.stringify(service.audit)).not.toMatch(/another-secret|correct-horse/);
});

it("keeps stored secrets where their references are not to be read", async () => {
  const keep = { keepSecrets: true };
  await expect(service.plan(EXAMPLE, keep)).rejects.toThrow(
    "identity_providers[0].protocols[0].settings.client_secret: the service has no such secret to keep",
  );
  await service.apply(EXAMPLE, SECRETS);
  const renamed = EXAMPLE.replace("client_id: cloud", "client_id: other");
  await service.apply(renamed, keep);
  expect(await service.plan(renamed, SECRETS)).toBe(`${NO_CHANGE}, none made\n`);
});

it("deletes a secret that the document lacks", async () => {
  await service.apply(EXAMPLE, SECRETS);
  const without = EXAMPLE.replace(/ +client_secret: .*\n/, "");
  expect(await service.apply(without)).toContain("settings.client_secret: a secret -> no secret");
  expect(await service.export()).not.toContain("client_secret");
});

it("deletes nothing but what prune covers", async () => {
  await service.apply(EXAMPLE, SECRETS);
  const little = "version: 1\nmappings: []\nidentity_providers: []\ngroups: []\ngrants: []\n";
  expect(await service.apply(little)).toBe(`${NO_CHANGE}\n`);
  // No domain is named, so that no group is covered.
  expect((await service.plan(`${little}prune: true\n`)).replace(REVISION, "")).toBe(
    "- identity provider corp\n- mapping corp\n0 creates, 0 changes, 2 deletes, none made\n",
  );
  const named = `${little}domains:\n  - { name: Corp, description: "Users of the company's provider" }\n`;
  expect((await service.plan(`${named}prune: [groups]\n`)).replace(REVISION, "")).toBe(
    "- group Corp/developers\n0 creates, 0 changes, 1 delete, none made\n",
  );
  await service.apply(`${named}prune: true\n`);
  const left = await service.export();
  expect(left).not.toMatch(/developers|https:..login/);
  expect(left).toContain("name: Corp");
});

it("deletes all that prune covers, in an order that works", async () => {
  await service.apply(EXAMPLE, SECRETS);
  const section = (name: string) => new RegExp(`^${name}:\\n(?: .*\\n|\\n)*`, "m");
  let emptied = `${EXAMPLE}prune: true\n`;
  for (const name of [
    "registered_limits",
    "limits",
    "grants",
    "mappings",
    "identity_providers",
    "service_providers",
  ])
    emptied = emptied.replace(section(name), `${name}: []\n`);
  emptied = emptied.replace(section("roles"), "roles:\n  - name: other\n");
  expect(await service.apply(emptied)).toBe(
    [
      "+ role other",
      "- service provider partner-cloud",
      "- identity provider corp",
      "- mapping corp",
      "- limit cores of compute/nova in north for project Corp/web",
      "- registered limit cores of compute/nova in north",
      "- grant auditor to Corp/developers on domain Corp, inherited",
      "- grant member to Corp/developers on project Corp/web",
      "- role auditor",
      "1 create, 0 changes, 8 deletes\n",
    ].join("\n"),
  );
  expect(await service.plan(emptied)).toBe(`${NO_CHANGE}, none made\n`);
});

it("exchanges remote ids of providers", async () => {
  const providers = (one: string, other: string) =>
    `version: 1\nidentity_providers:\n  - { id: a, domain: Default, remote_ids: [${one}] }\n  - { id: b, domain: Default, remote_ids: [${other}] }\n`;
  await service.apply(providers("x", "y"));
  await service.apply(providers("y", "x"));
  expect(await service.plan(providers("y", "x"))).toBe(`${NO_CHANGE}, none made\n`);
});

it("frees an immutable role and changes it", async () => {
  const role = (members: string) => `version: 1\nroles:\n  - { name: own, ${members} }\n`;
  await service.apply(role("immutable: true"));
  await expect(service.apply(role("immutable: true, description: x"))).rejects.toThrow("immutable role");
  await service.apply(role("description: x"));
  expect(await service.plan(role("description: x"))).toBe(`${NO_CHANGE}, none made\n`);
});

it("disables a tree of projects from its leaves and enables it from its root", async () => {
  const tree = (enabled: boolean) =>
    `version: 1\nprojects:\n${["b, parent: a", "a", "c, parent: b"]
      .map((name) => `  - { domain: Default, name: ${name}, enabled: ${enabled} }\n`)
      .join("")}`;
  await service.apply(tree(true));
  expect(await service.apply(tree(false))).toContain("3 changes");
  expect(await service.apply(tree(true))).toContain("3 changes");
});

it("records each change in the audit log and trail, all of one apply", async () => {
  const refused = "version: 1\ndomains: [{ name: One }]\nmappings: [{ id: m, rules: [{ local: 1 }] }]\n";
  await expect(service.apply(refused)).rejects.toThrow("mappings[0]");
  expect(service.audit).toEqual([]);
  await service.apply("version: 1\ndomains: [{ name: One }, { name: Two }]\n");
  const events = service.audit.map(({ audit }) => audit as Record<string, unknown>);
  expect(events).toEqual([
    expect.objectContaining({ action: "identity:create_domain", name: "One", outcome: "done" }),
    expect.objectContaining({ action: "identity:create_domain", name: "Two", outcome: "done" }),
  ]);
  expect(new Set(events.map(({ request }) => request)).size).toBe(1);
  const trail = await service.auditTrail();
  expect(trail.map(({ action, requestId, address }) => [action, requestId, address])).toEqual(
    events.map(({ action, request }) => [action, request, "hamkit-identity federation apply"]),
  );
});

it("applies two documents at once one after the other, each as a whole", async () => {
  const groups = (prefix: string) =>
    `version: 1\nprune: true\ndomains: [{ name: Default, description: The default domain }]\ngroups:\n${Array.from({ length: 20 }, (_, index) => `  - { domain: Default, name: ${prefix}${index} }\n`).join("")}`;
  const texts = ["a", "b", "c"].map(groups);
  await Promise.all(texts.map((text) => service.apply(text)));
  const plans = await Promise.all(texts.map((text) => service.plan(text)));
  expect(plans.filter((plan) => plan.startsWith(NO_CHANGE))).toHaveLength(1);
});

it("stores nothing of a document of which one entry is refused", async () => {
  const before = await service.export();
  const refused = EXAMPLE.replace(
    "limit: 12",
    "limit: 12\n  - { domain: Corp, service: { type: compute, name: nova }, resource: ram, limit: 1 }",
  );
  await expect(service.apply(refused, SECRETS)).rejects.toThrow("limits[1]");
  expect(await service.export()).toBe(before);
});
