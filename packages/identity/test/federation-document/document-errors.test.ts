/** Each kind of error names file, line, place, value and what was expected, and never a secret. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { documentService, type DocumentService } from "./federation-file.js";

let service: DocumentService;

beforeAll(async () => {
  service = await documentService(sqliteDatabases);
});
afterAll(() => service.remove());

const PROVIDER =
  "identity_providers:\n  - id: a\n    domain: Default\n    protocols:\n      - { id: p, mapping: m, settings: { type: openid, issuer: https://a.example, client_id: c, client_secret: SECRET } }\n";

it.each([
  ["domains: [", /^cloud\.yaml:3:1: /],
  ["domain: []", /'domain' was unexpected/],
  ["domains:\n  - name: 5", /^cloud\.yaml:3:11: domains\[0\]\.name: 5 is not of type 'string'/],
  ["domains: [{ name: x }, { name: x }]", /domains\[1\]: duplicate domain x, expected it once/],
  [
    "groups: [{ name: g, domain: Crop }]",
    /groups\[0\]\.domain: "Crop" does not exist, expected the name of a domain/,
  ],
  [
    "grants: [{ role: r, group: { name: g, domain: Default } }]",
    /grants\[0\]: has no target, expected one of/,
  ],
  ["domains: [{ name: federated }]", /domains\[0\]: Domain cannot be named federated/],
  ["mappings: [{ id: m, rules: [{ local: 1 }] }]", /mappings\[0\]: /],
  [
    PROVIDER.replace("SECRET", "hunter2-hunter2"),
    /client_secret: a secret is given by reference, expected \{ env: NAME \}/,
  ],
  [
    `mappings: [{ id: m, rules: [{ local: [], remote: [{ type: A }] }] }]\n${PROVIDER.replace("SECRET", "{ env: UNSET }")}`,
    /client_secret: the environment variable UNSET is not set/,
  ],
])("refuses %j", async (text, expected) => {
  const error = await service.apply(`version: 1\n${text}\n`).catch((failure: Error) => failure.message);
  expect(error).toMatch(expected);
  expect(error).not.toContain("hunter2");
  expect(service.audit).toEqual([]);
});

const rule = (member: string) =>
  `mappings:\n  - id: m\n    rules:\n      - local: [{ user: { name: "{0}" } }]\n        remote: [{ type: A }]\n        ${member}`;

const WITH_MAPPING = `mappings: [{ id: m, rules: [{ local: [], remote: [{ type: A }] }] }]\n${PROVIDER}`;

it.each<[name: string, text: string, expected: RegExp]>([
  [
    "a member that is unknown",
    "groups: [{ name: g, domain: Default, descripton: x }]",
    /groups\[0\]: .*'descripton' was unexpected/,
  ],
  ["an unknown member of a rule", rule("lokal: 1"), /mappings\[0\]: .*lokal/],
  [
    "an unknown setting",
    WITH_MAPPING.replace("client_secret: SECRET", "client_sekret: x"),
    /settings: .*client_sekret/,
  ],
  ["a key twice", "domains: [{ name: x, name: y }]", /cloud\.yaml:2:\d+: Map keys must be unique/],
  ["a section twice", "domains: []\ndomains: []", /cloud\.yaml:3:\d+: Map keys must be unique/],
  ["__proto__ as a section", "__proto__: { domains: [{ name: x }] }", /__proto__/],
  [
    "__proto__ as a member",
    "domains: [{ name: x, __proto__: { enabled: false } }]",
    /domains\[0\]: .*'__proto__' was unexpected/,
  ],
  ["__proto__ in a rule", rule("__proto__: { local: [] }"), /mappings\[0\]: .*__proto__/],
  [
    "constructor in settings",
    WITH_MAPPING.replace("client_secret: SECRET", "constructor: x"),
    /settings: .*constructor/,
  ],
  [
    "__proto__ in settings",
    PROVIDER.replace("client_secret: SECRET", "__proto__: { client_secret: hunter2 }"),
    /settings/,
  ],
  [
    "aliases that multiply",
    `x: &a [1,1,1,1,1,1,1,1,1,1]\n${Array.from("bcdefgh", (name, index) => `x${name}: &${name} [${Array.from({ length: 10 }, () => `*${"abcdefgh"[index]}`).join(",")}]`).join("\n")}`,
    /alias/i,
  ],
  ["an alias of itself", "domains: &d [*d]", /alias is within its own anchor/],
  ["an alias without an anchor", "domains: *nothing", /nothing/],
  ["nested lists", `domains: ${"[".repeat(5000)}${"]".repeat(5000)}`, /nested too deep/],
  [
    "nested maps by indentation",
    Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
    /nested too deep/,
  ],
  [
    "a huge number",
    "identity_providers: [{ id: a, domain: Default, authorization_ttl: 1e400 }]",
    /identity_providers\[0\]\.authorization_ttl: .*finite/,
  ],
  [
    "a number beyond integers",
    "registered_limits: [{ service: { type: t }, resource: r, default: 9007199254740993 }]",
    /registered_limits\[0\]\.default/,
  ],
  [
    "NaN",
    "registered_limits: [{ service: { type: t }, resource: r, default: .nan }]",
    /registered_limits\[0\]\.default/,
  ],
  ["U+0000", String.raw`domains: [{ name: "a\0b" }]`, /domains\[0\]\.name: .*U\+0000/],
  ["a tag of JavaScript", "domains: !!js/function 'x'", /tag/i],
  ["a merge key", "x: &x { name: a }\ndomains: [{ <<: *x }]", /domains\[0\]: /],
  ["two documents", "domains: []\n---\nversion: 1", /cloud\.yaml/],
  ["a number as a key", "domains: [{ 1: x, name: a }]", /'1' was unexpected/],
  ["a list as a key", "domains: [{ [a]: x, name: a }]", /domains\[0\]/],
])("refuses %s, by its place", async (_, text, expected) => {
  const start = performance.now();
  const error = await service.apply(`version: 1\n${text}\n`).catch((failure: Error) => failure.message);
  expect(error).toMatch(expected);
  expect(error?.length).toBeLessThan(2000);
  expect(performance.now() - start).toBeLessThan(2000);
  expect(Object.prototype).not.toHaveProperty("enabled");
  expect(service.audit).toEqual([]);
});

it("reads a document of which everything is one alias as what it stands for", async () => {
  const text =
    "version: 1\ngroups:\n  - &g { domain: Default, name: g }\ngrants:\n  - { group: *g, role: reader, domain: Default }\n";
  expect(await service.plan(text)).toContain("2 creates");
});
