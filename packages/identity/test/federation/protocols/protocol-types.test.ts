/** The types of protocols' settings, as the API lists them for the console. */
import { readFileSync } from "node:fs";

import { Value } from "typebox/value";
import type { TObject } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { ProtocolForm } from "../../../src/federation/protocols/settings-form.js";
import { sqliteDatabases } from "../../databases.js";
import { PUBLIC_URL } from "../../test-server.js";
import { loginServer, type LoginServer } from "../login-server.js";
import { PROTOCOL_TYPES } from "../protocol-types.js";
import { ticketProtocol } from "./ticket-protocol.js";

const PATH = "/v3/OS-FEDERATION/protocol_types";

describe("types of protocols", () => {
  let server: LoginServer;
  beforeAll(async () => {
    server = await loginServer(sqliteDatabases, undefined, { protocolTypes: [ticketProtocol] });
  });
  afterAll(() => server.close());

  it("are listed with their forms, also one that the service does not know", async () => {
    const { status, body } = await server.ask("GET", PATH);
    expect(status).toBe(200);
    const types = body.protocol_types as {
      type: string;
      title: string;
      is_default: boolean;
      form: unknown;
    }[];
    expect(
      types.map(({ type, title, is_default: isDefault, form }) => [type, title, isDefault, form !== null]),
    ).toEqual([
      ["openid", "OpenID Connect", false, true],
      ["saml2", "SAML 2.0", false, true],
      ["forwarded", "a trusted front end", true, false],
      ["ticket", "Tickets", false, false],
    ]);
  });

  it("tell what to register for a protocol that need not exist", async () => {
    const { body } = await server.ask("GET", `${PATH}?identity_provider_id=new&protocol_id=p`);
    const url = `${PUBLIC_URL}/v3/OS-FEDERATION/identity_providers/new/protocols/p/auth`;
    const types = body.protocol_types as { register: object }[];
    expect(types.map(({ register }) => register)).toEqual([
      { redirect_uri: url },
      {
        entity_id: `${PUBLIC_URL}/v3/OS-FEDERATION/saml2/idp`,
        acs_url: url,
        metadata_url: `${PUBLIC_URL}/v3/OS-FEDERATION/saml2/metadata`,
      },
      {},
      { ticket_url: url },
    ]);
  });

  it("are for those who may list protocols", async () => {
    expect((await server.ask("GET", PATH, { token: "" })).status).toBe(401);
  });
});

describe.each(
  PROTOCOL_TYPES.flatMap((each) => (each.form === undefined ? [] : [[each.type, each, each.form] as const])),
)("the form of %s", (_, { schema, secrets }, form: ProtocolForm) => {
  const { properties } = schema as TObject;
  const { fields, choices, kinds } = form;

  it("has a field for each of its settings, and secrets where these are secret", () => {
    const settings = Object.keys(properties).filter((name) => name !== "type" && name !== "secrets_set");
    expect(fields.map(({ name }) => name).toSorted()).toEqual(settings.toSorted());
    const sealed = fields.filter(({ kind }) => kind === "secret" || kind === "key");
    expect(sealed.map(({ name }) => name).toSorted()).toEqual([...secrets].toSorted());
    const names = new Set(fields.map(({ name }) => name));
    expect(names.size).toBe(fields.length);
    const used = choices.flatMap((choice) => choice.fields);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });

  it.each(kinds.map((kind) => [kind.id, kind] as const))(
    "starts %s with settings that are valid, fields that exist, and a guide",
    (_id, kind) => {
      for (const [name, value] of Object.entries(kind.settings))
        expect(Value.Check(properties[name] ?? {}, value)).toBe(true);
      const names = new Set(fields.map(({ name }) => name));
      expect(kind.without.filter((name) => !names.has(name))).toEqual([]);
      // By its name, where it is the guide of this kind.
      const guide = readFileSync(new URL(`../../../../../${kind.guide}`, import.meta.url), "utf8");
      expect(guide).toContain(kind.is_any ? "# " : kind.title);
    },
  );
});
