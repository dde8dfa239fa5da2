/** Single logout with pysaml2 as the provider, both ways and by both bindings; xmlsec1 verifies and makes its signatures. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../../test/databases.js";
import {
  PROTOCOL,
  RETURN_URL,
  samlLogoutService,
  SETTINGS,
  logoutMetadata,
  type SamlLogoutService,
} from "../../../test/federation/logout/saml-logout-service.js";
import { AUDIENCE, ISSUER, PROVIDER } from "../../../test/federation/saml/test-provider.js";
import { askPython } from "../../python.js";

interface Answer {
  readonly query?: string;
  readonly fields?: Record<string, string>;
  readonly status?: string;
  readonly nameId?: string;
  readonly indexes?: readonly string[];
}

describe.each(["redirect", "post"] as const)("single logout with pysaml2 by %s", (binding) => {
  let service: SamlLogoutService;
  let metadata: string;
  beforeAll(async () => {
    service = await samlLogoutService(sqliteDatabases, { now: Date.now() });
    const bindings = [binding === "post" ? "HTTP-POST" : "HTTP-Redirect"];
    const settings = { ...SETTINGS, idp_metadata_xml: logoutMetadata({ bindings }) };
    await service.ask("PATCH", PROTOCOL, { body: { protocol: { mapping_id: "saml", settings } } });
    const { text } = await service.ask("GET", "/v3/OS-FEDERATION/saml2/metadata");
    // The protocol has an entity ID of its own.
    metadata = text
      .replace(/entityID="[^"]*"/, `entityID="${AUDIENCE}"`)
      .replace(/<ds:Signature .*?<\/ds:Signature>/s, "");
  });
  afterAll(() => service.close());

  const ask = (question: object) =>
    askPython("federation/saml/pysaml2-logout.py", {
      binding,
      metadata,
      entityId: ISSUER,
      key: PROVIDER.privateKey.export({ type: "pkcs8", format: "pem" }),
      certificate: PROVIDER.certificate,
      ...question,
    }) as Answer;

  const send = ({ query, fields = {} }: Answer) =>
    query === undefined
      ? service.post(fields)
      : service.ask("GET", `/v3/OS-FEDERATION/saml2/logout?${query}`);

  /** What a browser takes to the provider. */
  function received({ headers, text }: { headers: Readonly<Record<string, unknown>>; text: string }): Answer {
    const { location } = headers;
    if (typeof location === "string") return { query: new URL(location).search.slice(1) };
    return {
      fields: Object.fromEntries(
        Array.from(text.matchAll(/name="(\w+)" value="([^"]*)"/g), ([, name, value]) => [name, value]),
      ),
    };
  }

  it("ends a session by its request, and pysaml2 verifies the response", async () => {
    service.time.now = Date.now();
    const tokens = [
      await service.logIn({ nameId: "alice", index: "p1" }),
      await service.logIn({ nameId: "alice", index: "p2" }),
    ];
    const answer = await send(ask({ do: "request", nameId: "alice", indexes: ["p1"], relayState: "back" }));
    expect(answer.status).toBe(binding === "post" ? 200 : 302);
    expect([await service.check(tokens[0] ?? ""), await service.check(tokens[1] ?? "")]).toEqual([404, 200]);
    expect(ask({ do: "finish", ...received(answer) })).toMatchObject({
      issuer: AUDIENCE,
      status: "urn:oasis:names:tc:SAML:2.0:status:Success",
    });
  });

  it("verifies the service's request, and answers it", async () => {
    service.time.now = Date.now();
    const token = await service.logIn({ nameId: "bob", index: "q1" });
    const begun = await service.post({ token, origin: RETURN_URL }, { url: `${PROTOCOL}/logout` });
    const answer = ask({ do: "answer", ...received(begun), relayState: RETURN_URL });
    expect(answer).toMatchObject({ nameId: "bob", indexes: ["q1"] });
    const back = await send(answer);
    expect([back.status, back.headers["location"]]).toEqual([303, RETURN_URL]);
  });
});
