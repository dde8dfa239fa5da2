/** The documents about Keystone: deviations are documented, their settings and options exist, and their rules and settings are accepted. */
import { readFileSync } from "node:fs";

import type { TObject } from "typebox";
import { Value } from "typebox/value";
import { describe, expect, it } from "vitest";

import { ALL_OPTIONS } from "../../src/config-options.js";
import { PROTOCOL_TYPES } from "./protocol-types.js";
import { createProtocolSettings } from "../../src/identity-providers/protocols/protocol-settings.js";
import { compileMapping } from "../../src/mappings/rules/compile-mapping.js";
import { RULES } from "./golden-rules.js";

const { draftSchema } = createProtocolSettings(PROTOCOL_TYPES);

const read = (path: string) =>
  readFileSync(new URL(`../../../../docs/identity/${path}`, import.meta.url), "utf8");
const moving = read("moving-from-keystone.md");

/** What a text has in a code's letters. */
const wordsOf = (text: string, pattern: RegExp) => [
  ...new Set(Array.from(text.matchAll(pattern), ([, word = ""]) => word)),
];

/** Options that operators of a Keystone know. */
const KNOWN = {
  DEFAULT: ["public_endpoint", "list_limit"],
  auth: ["methods"],
  federation: [
    "assertion_prefix",
    "remote_id_attribute",
    "federated_domain_name",
    "trusted_dashboard",
    "default_authorization_ttl",
    "attribute_mapping_default_schema_version",
  ],
  saml: ["assertion_expiration_time", "idp_entity_id", "idp_sso_endpoint", "relay_state_prefix"],
  unified_limit: ["enforcement_model"],
  token: ["expiration", "allow_rescope_scoped_token", "allow_expired_window"],
  fernet_tokens: ["max_active_keys"],
};

/** Members of resources other than the settings of a protocol. */
const MEMBERS = [
  "remote_id_attribute",
  "authorization_ttl",
  "schema_version",
  "relay_state_prefix",
  "auth_url",
];

describe("docs/identity/moving-from-keystone.md", () => {
  it("names options that there are", () => {
    const names = new Set(ALL_OPTIONS.map(({ name }) => name));
    const documented = wordsOf(moving, /`(IDENTITY_\w+)`/g);
    expect(documented.filter((name) => !names.has(name))).toEqual([]);
    expect(documented).toContain("IDENTITY_TRUSTED_DASHBOARDS");
  });

  it.each(Object.entries(KNOWN))("maps the options of [%s]", (group, options) => {
    const documented = wordsOf(moving, new RegExp(`\\[${group}\\] (\\w+)\``, "g"));
    expect(documented).toEqual(expect.arrayContaining(options));
  });

  it("names settings and members that there are", () => {
    const properties = PROTOCOL_TYPES.flatMap(({ schema }) => Object.keys((schema as TObject).properties));
    const tables = moving.split("\n").filter((line) => line.startsWith("|"));
    const documented = wordsOf(
      tables.map((line) => line.split("|")[2] ?? "").join(),
      /`([a-z]+(?:_[a-z]+)+)`/g,
    );
    expect(documented.filter((name) => ![...properties, ...MEMBERS].includes(name))).toEqual([]);
    expect(documented).toEqual(
      expect.arrayContaining(["idp_metadata_url", "attribute_prefix", "client_secret"]),
    );
  });
});

describe.each(["front-end.md", "moving-from-keystone.md", "providers/keystone.md"])(
  "the files of docs/identity/%s",
  (path) => {
    const blocks = Array.from(
      read(path).matchAll(/^```json ([\w.-]+)\n([\s\S]*?)^```$/gm),
      ([, name, body]) => ({
        name,
        content: JSON.parse(body ?? "") as unknown,
      }),
    );
    const rules = blocks.filter(({ content }) => Array.isArray(content));
    const protocols = blocks.flatMap(({ name, content }) =>
      Object.entries(content as object).flatMap(([key, { settings }]) =>
        key === "protocol" ? [{ name, settings: settings as unknown }] : [],
      ),
    );

    it.each(rules)("has rules that a mapping may have: $name", ({ content }) => {
      expect(() => compileMapping({ rules: content, schemaVersion: undefined })).not.toThrow();
    });

    it.each(protocols)("has settings that a protocol may have: $name", ({ settings }) => {
      expect(Value.Check(draftSchema, settings)).toBe(true);
    });

    it("has both", () => {
      expect([rules.length, protocols.length].every((count) => count > 0)).toBe(true);
    });
  },
);

describe("docs/identity/differences.md", () => {
  it("has a section for each rule that explains a deviation", () => {
    const titles = [...read("differences.md").matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    expect(titles).toEqual(expect.arrayContaining(Object.keys(RULES)));
  });
});
