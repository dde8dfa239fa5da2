/** Protocols and their settings. */
import { randomBytes } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { unsealSecrets } from "../../src/identity-providers/protocols/protocol-secrets.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import { resealSecrets } from "../../src/sealed-secrets.js";
import { databases } from "../databases.js";
import { federationServer, type FederationServer } from "../federation/federation-server.js";
import { inDomain, SYSTEM_READER, UNSCOPED } from "../feature-server.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";
const URL = `${PROVIDER}/protocols/p`;
const EXTENSION = "/EXT-FEDERATION/identity_providers/idp/protocols/p";
const KEY = { idpId: "idp", id: "p" };

const OPENID = { type: "openid", issuer: "https://issuer.example.org/", client_id: "cloud" };

let service: FederationServer;
beforeEach(async () => {
  service = await federationServer(databases);
  await service.ask("PUT", PROVIDER);
  const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "REMOTE_USER" }] }];
  for (const id of ["m", "n"])
    await service.ask("PUT", `/v3/OS-FEDERATION/mappings/${id}`, { body: { mapping: { rules } } });
});
afterEach(() => service.close());

const put = (protocol: object, url = URL) =>
  service.ask("PUT", url, { body: { protocol: { mapping_id: "m", ...protocol } } });
const patch = (protocol: object) =>
  service.ask("PATCH", URL, { body: { protocol: { mapping_id: "m", ...protocol } } });
const shownSettings = async () => (await service.ask("GET", URL)).body.protocol.settings;

describe(`protocols on ${databases.name}`, () => {
  it("have links that lead to them and to their provider, under each prefix", async () => {
    await put({ remote_id_attribute: "MELLON_IDP" });
    for (const prefix of ["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"]) {
      const identity_provider = `http://127.0.0.1:5900${prefix}/identity_providers/idp`;
      const links = { self: `${identity_provider}/protocols/p`, identity_provider };
      const { body } = await service.ask("GET", `${prefix}/identity_providers/idp/protocols`);
      expect(body.protocols).toStrictEqual([
        { id: "p", idp_id: "idp", mapping_id: "m", remote_id_attribute: "MELLON_IDP", links },
      ]);
      const one = await service.ask("GET", `${prefix}/identity_providers/idp/protocols/p`);
      expect(one.body).toStrictEqual({ protocol: { id: "p", mapping_id: "m", links } });
    }
  });

  it("are not listed for a provider that is not there", async () => {
    const { status, body } = await service.ask("GET", "/v3/OS-FEDERATION/identity_providers/no/protocols");
    expect([status, body.error.message]).toStrictEqual([404, "Could not find Identity Provider: no."]);
  });

  it("are replaced as a whole by a second PUT below the extension, their secrets too", async () => {
    await put({ remote_id_attribute: "X", settings: { ...OPENID, client_secret: "s3cret" } });
    expect((await put({}, URL)).status).toBe(409);
    const { status, body } = await put({ mapping_id: "n", settings: OPENID }, EXTENSION);
    expect([status, body.protocol.mapping_id]).toStrictEqual([200, "n"]);
    expect(body.protocol.settings).toStrictEqual({ ...OPENID, secrets_set: [] });
    const { body: list } = await service.ask("GET", `${PROVIDER}/protocols`);
    expect(list.protocols[0].remote_id_attribute).toBeNull();
    expect((await put({ mapping_id: "gone" }, EXTENSION)).status).toBe(400);
  });

  it("outlive a deleted mapping, and use it when it is created again", async () => {
    await put({});
    expect((await service.ask("DELETE", "/v3/OS-FEDERATION/mappings/m")).status).toBe(204);
    expect((await service.ask("GET", URL)).body.protocol.mapping_id).toBe("m");
  });

  it("end the users who came in by them", async () => {
    await put({});
    expect((await service.ask("DELETE", URL)).status).toBe(204);
    expect(service.ended).toStrictEqual([{ identityProviderId: "idp", protocolId: "p" }]);
    expect(service.tokensRevoked).toStrictEqual([
      "user of p",
      { identityProviderId: "idp", protocolId: "p" },
    ]);
    expect((await service.ask("DELETE", URL)).status).toBe(404);
  });

  it("never show a secret, in any answer", async () => {
    const answers = [
      await put({ settings: { ...OPENID, client_secret: "s3cret" } }),
      await service.ask("GET", URL),
      await service.ask("GET", `${PROVIDER}/protocols`),
      await patch({ settings: { ...OPENID, client_secret: "s3cret", issuer: "nowhere" } }),
      await patch({ settings: { ...OPENID, client_secret: { value: "s3cret" } } }),
      await patch({ settings: { ...OPENID, client_secret: "s3cret" }, unknown: 1 }),
      await patch({ settings: { client_secret: "s3cret" } }),
    ];
    expect(answers.map(({ status }) => status)).toStrictEqual([201, 200, 200, 400, 400, 400, 200]);
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain("s3cret");
    expect(await shownSettings()).toStrictEqual({ ...OPENID, secrets_set: ["client_secret"] });
  });

  it("keep secrets sealed, and open them for a login", async () => {
    await put({ settings: { ...OPENID, client_secret: "s3cret" } });
    const rows = await service.database
      .tables<{ protocol_secret: { sealed: Buffer }; protocol: { settings: string } }>()
      .selectFrom("protocol_secret")
      .innerJoin("protocol", (join) => join.onTrue())
      .select(["sealed", "settings"])
      .execute();
    expect(rows).toHaveLength(1);
    expect(Buffer.from(rows[0]?.sealed ?? []).includes("s3cret")).toBe(false);
    expect(rows[0]?.settings).not.toContain("s3cret");
    expect(await service.protocols.openSettings(KEY)).toStrictEqual({ ...OPENID, client_secret: "s3cret" });
  });

  it("keep the secrets that a change does not name, and lose those that it makes null", async () => {
    await put({ settings: { ...OPENID, client_secret: "one", client_private_key: "two" } });
    const view = await shownSettings();
    await patch({ settings: { ...view, client_id: "other" } });
    expect(await service.protocols.openSettings(KEY)).toMatchObject({
      client_id: "other",
      client_secret: "one",
      client_private_key: "two",
    });
    await patch({ settings: { ...OPENID, client_secret: null, client_private_key: "three" } });
    expect(await service.protocols.openSettings(KEY)).toStrictEqual({
      ...OPENID,
      client_private_key: "three",
    });
    await patch({ remote_id_attribute: "X" });
    expect(await shownSettings()).toStrictEqual({ ...OPENID, secrets_set: ["client_private_key"] });
  });

  it("keep the settings that a change does not name, and lose those that it makes null", async () => {
    await put({ settings: { ...OPENID, scopes: ["a"], audiences: ["b"], client_secret: "one" } });
    const { status } = await service.ask("PATCH", URL, {
      body: { protocol: { settings: { scopes: null, client_id: "other" } } },
    });
    expect(status).toBe(200);
    expect((await service.ask("GET", URL)).body.protocol).toMatchObject({ mapping_id: "m" });
    expect(await service.protocols.openSettings(KEY)).toStrictEqual({
      type: "openid",
      issuer: OPENID.issuer,
      client_id: "other",
      audiences: ["b"],
      client_secret: "one",
    });
    await patch({ settings: { type: "openid", audiences: ["c"] } });
    expect(await shownSettings()).toMatchObject({ client_id: "other", audiences: ["c"] });
  });

  it.each([
    [
      { issuer: null },
      "Invalid input for field/attribute settings. Value: {'type': 'openid', 'client_id': 'cloud'}. " +
        "'issuer' is a required property",
    ],
    [
      { client_id: 5, client_secret: "s3cret" },
      "Invalid input for field/attribute client_id. Value: 5. 5 is not of type 'string'",
    ],
    [
      { header: "X" },
      "Invalid input for field/attribute settings. Value: {'type': 'openid', 'issuer': 'https://issuer.example.org/', " +
        "'client_id': 'cloud', 'header': 'X'}. Additional properties are not allowed ('header' was unexpected)",
    ],
    [
      { type: "saml2" },
      'settings: one of "idp_metadata_xml", "idp_metadata_url" and "idp_mdq_url" is needed, and no other',
    ],
    [
      { type: null },
      "Invalid input for field/attribute type. Value: None. None is not one of ['openid', 'saml2', 'forwarded']",
    ],
  ])("are not changed to invalid settings by %j", async (settings, message) => {
    await put({ settings: OPENID });
    const { status, body } = await service.ask("PATCH", URL, { body: { protocol: { settings } } });
    expect([status, body.error.message]).toStrictEqual([400, message]);
    expect(await shownSettings()).toStrictEqual({ ...OPENID, secrets_set: [] });
  });

  it("get settings by a change, and need their mapping where it has none", async () => {
    await put({});
    const change = (protocol: object) => service.ask("PATCH", URL, { body: { protocol } });
    const { body } = await change({ remote_id_attribute: "X" });
    expect(body.error.message).toBe(
      "Invalid input for field/attribute protocol. Value: {'remote_id_attribute': 'X'}. 'mapping_id' is a required property",
    );
    expect((await change({ settings: { client_id: "x" } })).status).toBe(400);
    expect((await change({ settings: OPENID })).status).toBe(200);
    expect((await change({ settings: null })).body.protocol.settings).toBeUndefined();
  });

  it("are answered with findings and what to register, after a change alone, and only with settings", async () => {
    const checks = [{ check: "discovery", status: "failure", message: "down" }] as const;
    const register = { redirect_uri: "https://id.example.org/auth" };
    service.checkWith(async ({ provider, settings, open }) => {
      expect([provider.id, settings, await open()]).toEqual([
        "idp",
        OPENID,
        { ...OPENID, client_secret: "s" },
      ]);
      return { checks, register };
    });
    const { body: created } = await put({ settings: { ...OPENID, client_secret: "s" } });
    expect(created.protocol).toMatchObject({ checks, register });
    for (const body of [{ mapping_id: "n" }, { settings: { client_id: OPENID.client_id } }]) {
      const { body: changed } = await service.ask("PATCH", URL, { body: { protocol: body } });
      expect(changed.protocol).toMatchObject({ checks, register });
    }
    expect((await service.ask("POST", `${URL}/refresh`)).body.protocol).toMatchObject({ checks, register });
    for (const { body } of [await service.ask("GET", URL), await patch({ settings: null })]) {
      expect(body.protocol).not.toHaveProperty("checks");
      expect(body.protocol).not.toHaveProperty("register");
    }
  });

  it("are not stored with a failing check by a strict request, and are with a warning", async () => {
    let status: "failure" | "warning" = "failure";
    service.checkWith(async ({ open }) => {
      const message = `client ${((await open()) as typeof OPENID).client_id}`;
      return { checks: [{ check: "issuer", status, message }], register: {} };
    });
    const strict = `${URL}?strict`;
    const { status: refused, body } = await put({ settings: OPENID }, strict);
    expect([refused, body.error.message]).toStrictEqual([
      400,
      "Nothing was stored, because checks failed: issuer: client cloud",
    ]);
    expect((await service.ask("GET", URL)).status).toBe(404);
    status = "warning";
    expect((await put({ settings: OPENID }, strict)).body.protocol.checks).toHaveLength(1);
    status = "failure";
    const change = { body: { protocol: { settings: { client_id: "other" } } } };
    const { body: failed } = await service.ask("PATCH", `${URL}?strict=true`, change);
    expect(failed.error.message).toBe("Nothing was stored, because checks failed: issuer: client other");
    expect(await shownSettings()).toMatchObject({ client_id: "cloud" });
    expect((await service.ask("PATCH", `${URL}?strict=false`, change)).status).toBe(200);
    expect((await service.ask("PATCH", `${URL}?strict=maybe`, change)).status).toBe(400);
  });

  it("are checked again where another change came between: what is stored is what was checked", async () => {
    await put({ settings: OPENID });
    const checked: unknown[] = [];
    service.checkWith(async ({ open }) => {
      checked.push(await open());
      if (checked.length === 1) await patch({ settings: { audiences: ["between"] } });
      return { checks: [], register: {} };
    });
    const body = { protocol: { settings: { client_id: "other" } } };
    expect((await service.ask("PATCH", `${URL}?strict`, { body })).status).toBe(200);
    const last = { ...OPENID, audiences: ["between"], client_id: "other" };
    expect(checked).toEqual([{ ...OPENID, client_id: "other" }, { ...OPENID, audiences: ["between"] }, last]);
    expect(await service.protocols.openSettings(KEY)).toEqual(last);
  });

  it("are not changed by a request that others overtake each time", async () => {
    await put({ settings: OPENID });
    let changes = 0;
    service.checkWith(async ({ settings }) => {
      if ((settings as typeof OPENID).client_id === "slow")
        await patch({ settings: { client_id: `fast ${++changes}` } });
      return { checks: [], register: {} };
    });
    const body = { protocol: { settings: { client_id: "slow" } } };
    expect((await service.ask("PATCH", `${URL}?strict`, { body })).status).toBe(409);
    expect([changes, (await shownSettings()).client_id]).toEqual([3, "fast 3"]);
  });

  it("lose their secrets when they become another kind, or have no settings any more", async () => {
    await put({ settings: { ...OPENID, client_secret: "one" } });
    await patch({ settings: { type: "forwarded", header: "X-Who" } });
    expect(await shownSettings()).toStrictEqual({ type: "forwarded", header: "X-Who", secrets_set: [] });
    await patch({ settings: { ...OPENID, client_secret: "one" } });
    await patch({ settings: null });
    expect(await shownSettings()).toBeUndefined();
    expect(await service.protocols.openSettings(KEY)).toBeUndefined();
  });

  it("have secrets that can be sealed by another key", async () => {
    await put({ settings: { ...OPENID, client_secret: "s3cret" } });
    const to = toMasterKey(randomBytes(32));
    const from = service.masterKey;
    await resealSecrets(service.database, { from, to });
    expect(await unsealSecrets(service.database, KEY, to)).toStrictEqual({ client_secret: "s3cret" });
    await expect(unsealSecrets(service.database, KEY, from)).rejects.toThrow("can't use stored secrets");
  });

  it("reject secrets from a replica whose master key was replaced: they could not be unsealed", async () => {
    await put({ settings: { ...OPENID, client_secret: "first" } });
    const to = toMasterKey(randomBytes(32));
    await resealSecrets(service.database, { from: service.masterKey, to });
    expect((await patch({ settings: { ...OPENID, client_secret: "second" } })).status).toBe(503);
    expect(await unsealSecrets(service.database, KEY, to)).toStrictEqual({ client_secret: "first" });
    await expect(service.protocols.openSettings(KEY)).rejects.toMatchObject({
      code: "master-key/not-in-force",
      cause: { message: expect.stringContaining("restart this process") as string },
    });
    // What has no secret is changed as ever.
    expect((await patch({ settings: OPENID })).status).toBe(200);
  });

  it("have metadata of any ordinary size", async () => {
    const idp_metadata_xml = `<x>${"y".repeat(900_000)}</x>`;
    expect((await put({ settings: { type: "saml2", idp_metadata_xml } })).status).toBe(201);
  });

  it.each([
    [
      { type: "ldap" },
      "Invalid input for field/attribute type. Value: ldap. 'ldap' is not one of ['openid', 'saml2', 'forwarded']",
    ],
    [
      { issuer: "https://x/" },
      "Invalid input for field/attribute settings. Value: {'issuer': 'https://x/'}. 'type' is a required property",
    ],
    [
      "openid",
      "Invalid input for field/attribute settings. Value: ***. '***' is not of type 'object', 'null'",
    ],
    [
      { type: "openid", issuer: "https://x/" },
      'settings: "client_id" is required, unless "token_kinds" is ["workload"]',
    ],
    [
      { ...OPENID, issuer: "javascript:x" },
      "Invalid input for field/attribute issuer. Value: javascript:x. 'javascript:x' does not match '^https?://[^\\\\s]+$'",
    ],
    [
      { ...OPENID, client_auth_method: "x" },
      "Invalid input for field/attribute client_auth_method. Value: x. 'x' is not one of ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']",
    ],
    [
      { type: "saml2" },
      'settings: one of "idp_metadata_xml", "idp_metadata_url" and "idp_mdq_url" is needed, and no other',
    ],
    [
      { type: "saml2", idp_metadata_xml: "<x/>", idp_metadata_url: "https://x/" },
      'settings: one of "idp_metadata_xml", "idp_metadata_url" and "idp_mdq_url" is needed, and no other',
    ],
    [
      { type: "forwarded", header: "A", header_prefix: "B" },
      'settings: "header" and "header_prefix" exclude each other',
    ],
  ])("are refused with the settings %j", async (settings, message) => {
    const { status, body } = await put({ settings });
    expect([status, body.error.message]).toStrictEqual([400, message]);
  });

  it("are read by administrators and readers of the system, and changed by administrators alone", async () => {
    await put({});
    const changes = [
      ["PUT", URL],
      ["PATCH", URL],
      ["DELETE", URL],
      ["POST", `${URL}/refresh`],
    ] as const;
    for (const url of [URL, `${PROVIDER}/protocols`]) {
      expect((await service.ask("GET", url, { as: SYSTEM_READER })).status).toBe(200);
      expect((await service.ask("GET", url, { as: null })).status).toBe(401);
      for (const as of [UNSCOPED, inDomain("default", "admin")])
        expect((await service.ask("GET", url, { as })).status).toBe(403);
    }
    for (const [method, url] of changes)
      for (const as of [UNSCOPED, SYSTEM_READER, inDomain("default", "admin")])
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    expect((await service.ask("POST", `${URL}/refresh`)).status).toBe(200);
  });
});
