/** Users of OpenID Connect and SAML providers log in to a copy that a document made, while it runs, as they do to the original. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase, type TestDatabases } from "../databases.js";
import { loginServer, type LoginServer } from "../federation/login-server.js";
import { AUDIENCE, CLIENT_SECRET, KIM } from "../federation/openid/test-provider.js";
import { inEnvelope, NOW, signedResponse } from "../federation/saml/test-provider.js";
import { migratedDatabase } from "../migrated-databases.js";
import {
  OPENID_AUTH,
  SAML_AUTH,
  testLoginServer,
  type TestLoginServer,
} from "../workbench/test-login/test-login-service.js";
import { documentsAt } from "./federation-file.js";

let original: TestLoginServer;
let copy: LoginServer;

beforeAll(async () => {
  const places: TestDatabase[] = [];
  const noted: TestDatabases = {
    ...sqliteDatabases,
    async create() {
      const place = await migratedDatabase(sqliteDatabases);
      places.push(place);
      return place;
    },
  };
  original = await testLoginServer({ ...noted, isShared: true }, NOW);
  const env = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8" };
  copy = await loginServer({ ...noted, isShared: true }, env, { now: NOW });
  const [from, to] = places.map((place) => documentsAt(place, env));
  await to?.apply((await from?.export()) ?? "", { env: { OP_OPENID_CLIENT_SECRET: CLIENT_SECRET } });
});
afterAll(async () => {
  await copy.close();
  await original.close();
});

/** Who logged in, and what the token has in the project, without ids. */
async function login(service: LoginServer, url: string, headers: Record<string, string>, form?: object) {
  const unscoped = await service.ask("POST", url, {
    token: "",
    headers,
    ...(form !== undefined && { body: form }),
  });
  expect(unscoped).toMatchObject({ status: 201 });
  const identity = { methods: ["token"], token: { id: unscoped.token } };
  const scope = { project: { name: "atelier", domain: { name: "Default" } } };
  const body = { auth: { identity, scope } };
  const scoped = await service.ask("POST", "/v3/auth/tokens", { token: "", body });
  expect(scoped).toMatchObject({ status: 201 });
  const { user, roles } = scoped.body.token;
  const { groups } = unscoped.body.token.user["OS-FEDERATION"];
  const names: string[] = [];
  for (const { id } of groups as { id: string }[]) {
    const { body: found } = await service.ask("GET", `/v3/groups/${id}`);
    names.push(found.group.name as string);
  }
  const { identity_provider, protocol } = user["OS-FEDERATION"];
  return {
    user: [user.id, user.name, user.domain.name],
    roles: (roles as { name: string }[]).map(({ name }) => name).toSorted(),
    groups: names,
    provider: [identity_provider.id, protocol.id],
  };
}

it("gives users of OpenID Connect the same id, groups and roles", async () => {
  const now = NOW / 1000;
  const token = await original.op.keys.sign({
    iss: original.op.issuer,
    sub: KIM.sub,
    aud: AUDIENCE,
    iat: now,
    exp: now + 300,
    preferred_username: "kim.example",
    groups: ["staff"],
  });
  const headers = { authorization: `Bearer ${token}` };
  const there = await login(original, new URL(OPENID_AUTH).pathname, headers);
  expect(there).toMatchObject({ groups: ["staff"], roles: ["member", "reader"], provider: ["op", "openid"] });
  expect(await login(copy, new URL(OPENID_AUTH).pathname, headers)).toEqual(there);
});

it("gives users of SAML the same id, groups and roles", async () => {
  const xml = signedResponse({
    recipient: SAML_AUTH,
    destination: SAML_AUTH,
    attributes:
      '<saml:Attribute Name="groups"><saml:AttributeValue>staff</saml:AttributeValue></saml:Attribute>',
  });
  const headers = { "content-type": "application/vnd.paos+xml" };
  const send = (service: LoginServer) =>
    login(service, new URL(SAML_AUTH).pathname, headers, inEnvelope(xml) as unknown as object);
  const there = await send(original);
  expect(there).toMatchObject({
    groups: ["staff"],
    roles: ["member", "reader"],
    provider: ["acme", "saml2"],
  });
  expect(await send(copy)).toEqual(there);
});
