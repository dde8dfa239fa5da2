/** Floods of failing federated logins. */
import { describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD } from "../test-app.js";
import { attackedService, authPath, authUrl, DASHBOARD, type AttackedService } from "./attacked-service.js";
import { AUDIENCE, startProvider } from "./openid/test-provider.js";
import { NOW } from "./saml/test-provider.js";

describe(`floods of logins on ${sqliteDatabases.name}`, () => {
  it("are ended per provider and address, those of others go on, and good ones cost nothing", async () => {
    let now = NOW;
    const op = await startProvider(authUrl("openid"));
    const env = { IDENTITY_RATE_LIMIT: "on" };
    const service = await attackedService(sqliteDatabases, { now: () => now, issuer: op.issuer, env });
    const login = async (token: string, address = "192.0.2.7") =>
      service.send({ url: authPath("openid"), headers: { authorization: `Bearer ${token}` }, address });
    const good = await op.keys.sign(claims(op.issuer));
    const statuses: number[] = [];
    for (let index = 0; index < 110; index++) statuses.push((await login(good)).status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const before = op.asked.length;
    for (let index = 0; index < 100; index++) expect((await login(`guess-${index}`)).status).toBe(401);
    const { status, headers } = await login("guess-100");
    expect([status, headers["retry-after"]]).toEqual([429, "1"]);
    expect((await login(good)).status).toBe(429);
    // The provider is not asked any more, for that address.
    expect(op.asked.length - before).toBe(100);
    expect((await login(good, "192.0.2.8")).status).toBe(201);
    // Passwords behind the same address have limits of their own.
    expect((await passwordLogin(service, ADMIN_PASSWORD)).status).toBe(201);
    now += 1000;
    expect((await login(good)).status).toBe(201);
    await service.close();
    await op.close();
  });

  it("that are begun are ended per address, in whatever way they begin, and those that come back go on", async () => {
    let now = NOW;
    const op = await startProvider(authUrl("openid"));
    const env = { IDENTITY_RATE_LIMIT: "on" };
    const service = await attackedService(sqliteDatabases, { now: () => now, issuer: op.issuer, env });
    const begin = async (url: string, address = "192.0.2.7") => service.send({ url, address });
    const websso = `/v3/auth/OS-FEDERATION/identity_providers/acme/protocols/openid/websso?origin=${DASHBOARD}`;
    const statuses: number[] = [];
    for (let index = 0; index < 70; index++)
      for (const url of [authPath("openid"), websso, authPath("saml2")])
        statuses.push((await begin(url)).status);
    expect(statuses.slice(0, 200)).toEqual(Array<number>(200).fill(302));
    expect(statuses.slice(200)).toEqual(Array<number>(10).fill(429));
    const refused = await begin(authPath("openid"));
    expect([refused.headers["retry-after"], refused.headers["set-cookie"]]).toEqual(["1", undefined]);
    expect((await begin(authPath("openid"), "192.0.2.8")).status).toBe(302);
    // A completed login costs no pending login, and its failure does not count either.
    const token = { iss: op.issuer, sub: "kim", aud: AUDIENCE, scope: "a", exp: NOW / 1000 + 300 };
    const authorization = `Bearer ${await op.keys.sign(token)}`;
    const ended = await service.send({
      url: authPath("openid"),
      headers: { authorization },
      address: "192.0.2.7",
    });
    expect(ended.status).toBe(201);
    now += 200;
    expect((await begin(authPath("openid"))).status).toBe(302);
    expect((await begin(authPath("openid"))).status).toBe(429);
    await service.close();
    await op.close();
  });

  it("by password don't refuse a provider's users behind the same address", async () => {
    const op = await startProvider(authUrl("openid"));
    const env = { IDENTITY_RATE_LIMIT: "on", IDENTITY_LOGIN_NETWORK_FAILURES: "5" };
    const service = await attackedService(sqliteDatabases, { now: () => NOW, issuer: op.issuer, env });
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++)
      statuses.push((await passwordLogin(service, "wrong", `user-${guess}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const headers = { authorization: `Bearer ${await op.keys.sign(claims(op.issuer))}` };
    expect((await service.send({ url: authPath("openid"), headers })).status).toBe(201);
    await service.close();
    await op.close();
  });
});

const claims = (issuer: string) => ({
  iss: issuer,
  sub: "kim",
  aud: AUDIENCE,
  scope: "openid email",
  email: "k",
  exp: NOW / 1000 + 300,
});

function passwordLogin(service: AttackedService, password: string, name = "admin") {
  const user = { name, domain: { id: "default" }, password };
  const payload = JSON.stringify({ auth: { identity: { methods: ["password"], password: { user } } } });
  const headers = { "content-type": "application/json" };
  return service.send({ method: "POST", url: "/v3/auth/tokens", headers, payload });
}
