/** Vulnerabilities of Keystone in rights that users pass on: trusts, EC2 keys, application credentials, federated logins. */
import { createHmac } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Member } from "../application-credentials/application-credential-server.js";
import { sqliteDatabases } from "../databases.js";
import { asserted, loginServer } from "../federation/login-server.js";
import { trustServer, TRUSTS, type TrustServer } from "../trusts/trust-server.js";

let server: TrustServer;
let nova: Member;
beforeAll(async () => {
  server = await trustServer(sqliteDatabases);
  nova = await server.member(["service"]);
});
afterAll(() => server.close());

interface Key {
  readonly access: string;
  readonly secret: string;
}

async function addKey(user: Member, projectId = user.projectId): Promise<Key> {
  const path = `/v3/users/${user.id}/credentials/OS-EC2`;
  const { body } = await server.send("POST", path, { token: user.token, body: { tenant_id: projectId } });
  return body.credential as Key;
}

/** A request of a service with what a client has signed by signature version 2. */
async function validateSigned({ access, secret }: Key, signedAt = server.time.now) {
  const params: Record<string, string> = {
    AWSAccessKeyId: access,
    Action: "DescribeInstances",
    SignatureMethod: "HmacSHA256",
    SignatureVersion: "2",
    Timestamp: new Date(signedAt).toISOString(),
  };
  const query = Object.entries(params).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const text = ["GET", "nova.example.com", "/services/Cloud", query.join("&")].join("\n");
  const signature = createHmac("sha256", secret).update(text).digest("base64");
  const credentials = {
    access,
    signature,
    host: "nova.example.com",
    verb: "GET",
    path: "/services/Cloud",
    params,
  };
  return server.send("POST", "/v3/ec2tokens", { token: nova.token, body: { credentials } });
}

const change = (kind: string, id: string, attributes: object) =>
  server.ask("PATCH", `/v3/${kind}s/${id}`, { body: { [kind]: attributes } });

describe(`EC2 keys on ${sqliteDatabases.name}`, () => {
  it("CVE-2012-5571: give no token once the user has no role on the project", async () => {
    const user = await server.member();
    const key = await addKey(user);
    expect((await validateSigned(key)).status).toBe(200);
    await server.grant(user.id, user.projectId, "member", "DELETE");
    expect((await validateSigned(key)).status).toBe(401);
  });

  it("CVE-2013-0282: give no token while the user, the project or the domain is disabled", async () => {
    const user = await server.member();
    const key = await addKey(user);
    const domain = await server.create("domain", { name: "of an EC2 user" });
    const id = await server.create("user", { name: "ec2", domain_id: domain, password: "a password" });
    await server.grant(id, user.projectId, "member");
    const { token } = await server.byPassword({ id }, { project: { id: user.projectId } });
    const foreign = await addKey({ ...user, id, token });
    for (const [kind, disabled, of] of [
      ["user", user.id, key],
      ["project", user.projectId, key],
      ["domain", domain, foreign],
    ] as const) {
      expect((await validateSigned(of)).status).toBe(200);
      await change(kind, disabled, { enabled: false });
      expect([kind, (await validateSigned(of)).status]).toEqual([kind, 401]);
      await change(kind, disabled, { enabled: true });
    }
  });

  it("CVE-2013-6391: are not made with the token of a trust", async () => {
    const [trustor, trustee] = [await server.member(["admin"]), await server.member()];
    const id = await server.trust(trustor, trustee, { impersonation: true, roles: [{ name: "member" }] });
    const { token } = await server.logIn(trustee, id);
    for (const user of [trustor, trustee]) {
      const path = `/v3/users/${user.id}/credentials/OS-EC2`;
      const body = { tenant_id: trustor.projectId };
      expect((await server.send("POST", path, { token, body })).status).toBe(403);
      expect((await server.send("GET", path, { token })).status).toBe(403);
    }
  });

  it("CVE-2020-12692: sign requests that are accepted for a quarter of an hour", async () => {
    const key = await addKey(await server.member());
    const { now } = server.time;
    expect((await validateSigned(key, now - 899_000)).status).toBe(200);
    expect((await validateSigned(key, now - 901_000)).status).toBe(401);
  });
});

describe(`trusts on ${sqliteDatabases.name}`, () => {
  it("CVE-2014-3476: their tokens get no more: no other trust, application credential or token", async () => {
    const [trustor, trustee, third] = [
      await server.member(["admin"]),
      await server.member(),
      await server.member(),
    ];
    const id = await server.trust(trustor, trustee, { impersonation: true, roles: [{ name: "member" }] });
    const { token } = await server.logIn(trustee, id);
    for (const roles of [[{ name: "admin" }], [{ name: "member" }]])
      expect((await server.attempt(trustor, third, { roles }, token)).status).toBe(403);
    const body = { application_credential: { name: "robot" } };
    const path = `/v3/users/${trustor.id}/application_credentials`;
    expect((await server.send("POST", path, { token, body })).status).toBe(403);
    for (const scope of [undefined, { project: { id: trustor.projectId } }, { "OS-TRUST:trust": { id } }])
      expect((await server.authenticate({ methods: ["token"], token: { id: token } }, scope)).status).toBe(
        403,
      );
  });

  it("CVE-2014-3520: their tokens are for their project, whatever else the request names", async () => {
    const [trustor, trustee] = [await server.member(), await server.member()];
    const id = await server.trust(trustor, trustee);
    await server.grant(trustor.id, trustee.projectId, "admin");
    const named = { id: trustee.id };
    const trust = { "OS-TRUST:trust": { id } };
    expect((await server.byPassword(named, trust)).body.token.project.id).toBe(trustor.projectId);
    const both = await server.byPassword(named, { ...trust, project: { id: trustee.projectId } });
    expect([400, 401]).toContain(both.status);
  });

  it("CVE-2026-80184: application credentials and EC2 keys manage none", async () => {
    const user = await server.member();
    const { body } = await server.make(user, { unrestricted: true });
    const { id, secret } = body.application_credential;
    const credential = { methods: ["application_credential"], application_credential: { id, secret } };
    const { token } = await server.authenticate(credential);
    expect((await server.attempt(user, nova, {}, token)).status).toBe(403);
    expect((await server.send("GET", `${TRUSTS}?trustor_user_id=${user.id}`, { token })).status).toBe(403);
    const { token: signed } = await validateSigned(await addKey(user));
    expect((await server.attempt(user, nova, {}, signed)).status).toBe(403);
  });
});

describe(`federated logins on ${sqliteDatabases.name}`, () => {
  it("CVE-2017-2673, CVE-2026-44394: give roles of the own groups alone, and are not renewed by another scope", async () => {
    const service = await loginServer(sqliteDatabases);
    try {
      const [own, foreign] = [
        await service.create("projects", { name: "own", domain_id: "default" }),
        await service.create("projects", { name: "foreign", domain_id: "default" }),
      ];
      const group = await service.create("groups", { name: "staff", domain_id: "default" });
      const role = (await service.ask("GET", "/v3/roles?name=member")).body.roles[0].id as string;
      await service.ask("PUT", `/v3/projects/${own}/groups/${group}/roles/${role}`);
      const local = [{ user: { name: "{0}" } }, { group: { id: group } }];
      await service.map([{ local, remote: [{ type: "REMOTE_USER" }] }]);
      const login = await service.login(asserted("kim"));
      expect(login.status).toBe(201);
      const rescope = (id: string, token: string) =>
        service.ask("POST", "/v3/auth/tokens", {
          body: {
            auth: { identity: { methods: ["token"], token: { id: token } }, scope: { project: { id } } },
          },
        });
      service.time.now += 1_800_000;
      const scoped = await rescope(own, login.token);
      expect(scoped.status).toBe(201);
      expect(scoped.body.token.roles.map(({ name }: { name: string }) => name)).toContain("member");
      expect(scoped.body.token.expires_at).toBe(login.body.token.expires_at);
      expect((await rescope(own, scoped.token)).body.token.expires_at).toBe(login.body.token.expires_at);
      expect((await rescope(foreign, login.token)).status).toBe(401);
    } finally {
      await service.close();
    }
  });
});
