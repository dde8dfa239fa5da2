/** The names of Keystone and mod_auth_mellon in docs/identity/moving-from-keystone.md exist in these programs. */
import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { askPython } from "../../python.js";

const guide = readFileSync(
  new URL("../../../../../docs/identity/moving-from-keystone.md", import.meta.url),
  "utf8",
);
const documented = (pattern: RegExp) => [
  ...new Set(Array.from(guide.matchAll(pattern), ([, word = ""]) => word)),
];

it("options of keystone.conf are Keystone's", () => {
  const options = askPython("federation/keystone/keystone-options.py", {}) as string[];
  const named = documented(/`(\[\w+\] \w+)`/g);
  // Debian's Keystone is older than these.
  const newer = [
    "[federation] attribute_mapping_default_schema_version",
    "[oauth2] oauth2_cert_dn_mapping_id",
  ];
  expect(named.filter((name) => !options.includes(name)).toSorted()).toEqual(newer);
  expect(named).toContain("[saml] idp_entity_id");
});

it("directives are mod_auth_mellon's", () => {
  const module = readFileSync("/usr/lib/apache2/modules/mod_auth_mellon.so", "latin1");
  const directives = documented(/\b(Mellon[A-Z][A-Za-z]+)\b/g);
  // In the module they are texts, with a zero at each end.
  expect(directives.filter((name) => !module.includes(`\0${name}\0`))).toEqual([]);
  expect(directives).toContain("MellonEnvPrefix");
});
