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
