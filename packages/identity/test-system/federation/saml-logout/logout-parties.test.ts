/** Single logout with programs of third parties as the provider, begun at either side, by both bindings. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import {
  PROTOCOL,
  RETURN_URL,
  samlLogoutService,
  SETTINGS,
  type SamlLogoutService,
} from "../../../test/federation/logout/saml-logout-service.js";
import { AUDIENCE } from "../../../test/federation/saml/test-provider.js";
import {
  providerMetadata,
  pythonParty,
  type LogoutBinding,
  type LogoutMessage,
  type LogoutParty,
  type StartLogoutParty,
} from "./logout-party.js";
import { nodeSamlParty } from "./node-saml-logout.js";
import { samlifyParty } from "./samlify-logout.js";

const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";

/** xmlsec1 verifies and makes the signatures of pysaml2 and lasso. */
const PARTIES: readonly [string, LogoutBinding, StartLogoutParty][] = [
  ["pysaml2", "redirect", pythonParty("pysaml2-logout.py")],
  ["pysaml2", "post", pythonParty("pysaml2-logout.py")],
  ["lasso", "redirect", pythonParty("lasso-logout.py")],
  ["lasso", "post", pythonParty("lasso-logout.py")],
  ["samlify", "redirect", samlifyParty],
  ["samlify", "post", samlifyParty],
  ["node-saml", "redirect", nodeSamlParty],
];

describe.each(PARTIES)("single logout with %s by %s", (name, binding, start) => {
  let service: SamlLogoutService;
  let party: LogoutParty;
  beforeAll(async () => {
    service = await samlLogoutService(sqliteDatabases, { now: Date.now() });
    const settings = { ...SETTINGS, idp_metadata_xml: providerMetadata(binding) };
    await service.ask("PATCH", PROTOCOL, { body: { protocol: { mapping_id: "saml", settings } } });
    const { text } = await service.ask("GET", "/v3/OS-FEDERATION/saml2/metadata");
    // The protocol has an entity ID of its own.
    const metadata = text
      .replace(/entityID="[^"]*"/, `entityID="${AUDIENCE}"`)
      .replace(/<ds:Signature .*?<\/ds:Signature>/s, "");
    party = start({ binding, metadata });
  });
  afterAll(() => service.close());

  const send = (message: LogoutMessage) =>
    "fields" in message
      ? service.post(message.fields)
      : service.ask("GET", `/v3/OS-FEDERATION/saml2/logout?${message.query}`);

  /** What a browser takes to the provider. */
  function received({
    headers,
    text,
  }: {
    headers: Readonly<Record<string, unknown>>;
    text: string;
  }): LogoutMessage {
    const { location } = headers;
    if (typeof location === "string") return { query: new URL(location).search.slice(1) };
    return {
      fields: Object.fromEntries(
        Array.from(text.matchAll(/name="(\w+)" value="([^"]*)"/g), ([, field, value]) => [field, value]),
      ),
    };
  }

  /** Another message than the signed one. */
  function changed(message: LogoutMessage): LogoutMessage {
    if ("query" in message) return { query: message.query.replace("RelayState=back", "RelayState=other") };
    const xml = Buffer.from(message.fields["SAMLRequest"] ?? "", "base64").toString();
    const SAMLRequest = Buffer.from(xml.replace(">alice<", ">other<")).toString("base64");
    return { fields: { ...message.fields, SAMLRequest } };
  }

  it(`ends a session by its request, and ${name} verifies the response`, async () => {
    service.time.now = Date.now();
    const tokens = [
      await service.logIn({ nameId: "alice", index: "p1" }),
      await service.logIn({ nameId: "alice", index: "p2" }),
    ];
    const statuses = async () => Promise.all(tokens.map((token) => service.check(token)));
    const request = await party.request({ nameId: "alice", index: "p1" });
    expect((await send(changed(request))).status).toBe(400);
    expect(await statuses()).toEqual([200, 200]);
    const answer = await send(request);
    expect(answer.status).toBe(binding === "post" ? 200 : 302);
    expect(await statuses()).toEqual([404, 200]);
    expect(await party.finish(received(answer))).toMatchObject({ issuer: AUDIENCE, status: SUCCESS });
  });

  it("verifies the service's request, and answers it", async () => {
    service.time.now = Date.now();
    const token = await service.logIn({ nameId: "bob", index: "q1" });
    const begun = await service.post({ token, origin: RETURN_URL }, { url: `${PROTOCOL}/logout` });
    const { response, ...session } = await party.answer(received(begun), RETURN_URL);
    expect(session).toEqual({ nameId: "bob", index: "q1" });
    const back = await send(response);
    expect([back.status, back.headers["location"]]).toEqual([303, RETURN_URL]);
  });
});
