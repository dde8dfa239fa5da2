/** Vulnerabilities of Keystone in the validity of tokens. Each test bears the name of the CVE and states what has to hold. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { SYSTEM, type Member } from "../application-credentials/application-credential-server.js";
import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD } from "../test-app.js";
import { trustServer, type TrustServer } from "../trusts/trust-server.js";

let server: TrustServer;
let alice: Member;
beforeAll(async () => {
  server = await trustServer(sqliteDatabases);
});
afterAll(() => server.close());

const byToken = (id: string, scope?: object) =>
  server.authenticate({ methods: ["token"], token: { id } }, scope);
const inProject = ({ projectId }: Member) => ({ project: { id: projectId } });

/** A token of a new user that was obtained by another token. */
async function chained() {
  alice = await server.member();
  const second = await byToken(alice.token, inProject(alice));
  return { ...alice, first: alice.token, second: second.token, body: second.body.token };
}

const change = (kind: string, id: string, attributes: object) =>
  server.ask("PATCH", `/v3/${kind}s/${id}`, { body: { [kind]: attributes } });

/** Whether a token is valid: for validation, and in use. */
async function isValid(token: string): Promise<boolean> {
  const [validated, used] = [await server.validated(token), await server.used(token)];
  expect([validated, used]).toEqual(validated === 200 ? [200, 200] : [404, 401]);
  return validated === 200;
}

describe(`tokens on ${sqliteDatabases.name}`, () => {
  it("CVE-2012-3426, CVE-2012-5563: a token for a token expires with it, and ends with the user's password", async () => {
    server.time.now += 60_000;
    const { id, first, second, body } = await chained();
    const { now } = server.time;
    server.time.now += 1_800_000;
    const third = await byToken(second, { project: { id: alice.projectId } });
    expect(third.body.token.expires_at).toBe(body.expires_at);
    expect(third.body.token.issued_at).not.toBe(body.issued_at);
    server.time.now += 1_800_000;
    for (const token of [first, second, third.token]) expect(await isValidNow(token)).toBe(false);
    server.time.now = now;
    await change("user", id, { password: "another" });
    for (const token of [first, second]) expect(await isValid(token)).toBe(false);
  });

  it("CVE-2012-4413: a role that is taken away ends tokens", async () => {
    const { id, projectId, first, second } = await chained();
    expect(await isValid(second)).toBe(true);
    await server.grant(id, projectId, "member", "DELETE");
    for (const token of [first, second]) expect(await isValid(token)).toBe(false);
  });

  it("CVE-2012-4457, CVE-2013-4222: a disabled project gives no token, and ends those it gave", async () => {
    const { id, projectId, first, second } = await chained();
    const { token: unscoped } = await server.byPassword({ id }, "unscoped");
    await change("project", projectId, { enabled: false });
    for (const token of [first, second]) expect(await isValid(token)).toBe(false);
    expect((await server.byPassword({ id }, { project: { id: projectId } })).status).toBe(401);
    expect((await byToken(unscoped, { project: { id: projectId } })).status).toBe(401);
  });

  it("CVE-2013-2059, CVE-2013-4294, CVE-2013-1865: a deleted user's tokens and revoked tokens end", async () => {
    const { id, first, second } = await chained();
    await server.ask("DELETE", "/v3/auth/tokens", { headers: { "x-subject-token": second } });
    expect(await isValid(second)).toBe(false);
    expect((await byToken(second)).status).toBe(404);
    expect(await isValid(first)).toBe(true);
    await server.ask("DELETE", `/v3/users/${id}`);
    expect(await isValid(first)).toBe(false);
  });

  it("CVE-2014-2237: a trustee's tokens end with the trustee's and the trustor's other tokens", async () => {
    for (const who of ["trustor", "trustee"] as const) {
      const people = { trustor: await server.member(), trustee: await server.member() };
      const id = await server.trust(people.trustor, people.trustee);
      const { token } = await server.logIn(people.trustee, id);
      expect(await isValid(token)).toBe(true);
      await change("user", people[who].id, { password: "another" });
      expect([who, await isValid(token)]).toEqual([who, false]);
    }
  });

  it("CVE-2014-5251, CVE-2014-5252: validation changes no times of a token, which ends to the second", async () => {
    const { first } = await chained();
    const show = async () =>
      (await server.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": first } })).body.token;
    const { issued_at, expires_at } = await show();
    const { now } = server.time;
    server.time.now += 120_000;
    expect(await show()).toMatchObject({ issued_at, expires_at });
    server.time.now = Date.parse(expires_at as string) - 1;
    expect(await isValidNow(first)).toBe(true);
    server.time.now += 1;
    expect(await isValidNow(first)).toBe(false);
    server.time.now = now;
  });

  it("CVE-2014-5253: a disabled domain ends the tokens of its users, and those for it", async () => {
    const domain = await server.create("domain", { name: "to be disabled" });
    const user = await server.create("user", { name: "in it", domain_id: domain, password: "a password" });
    const guest = await server.member();
    const role = await server.roleId("member");
    for (const id of [user, guest.id])
      await server.ask("PUT", `/v3/domains/${domain}/users/${id}/roles/${role}`);
    const tokens = [
      (await server.byPassword({ id: user })).token,
      (await server.byPassword({ id: user }, { domain: { id: domain } })).token,
      (await server.byPassword({ id: guest.id }, { domain: { id: domain } })).token,
    ];
    for (const token of tokens) expect(await isValid(token)).toBe(true);
    await change("domain", domain, { enabled: false });
    for (const token of tokens) expect(await isValid(token)).toBe(false);
  });

  it("CVE-2015-7546: no other text is the same token, so that a revoked one stays revoked", async () => {
    const { first: token } = await chained();
    const texts = [
      `${token}=`,
      token.replace(/=+$/, ""),
      ` ${token}`,
      `${token}\t`,
      token.replaceAll("-", "+").replaceAll("_", "/"),
      token.toLowerCase(),
      `${token}A`,
      `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
    ].filter((text) => text.trim() !== token);
    const auditIds = async (text: string) =>
      (await server.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": text } })).body.token
        ?.audit_ids;
    const own = await auditIds(token);
    // Without its padding it is the same token, by the id that revokes it.
    for (const text of texts) expect([own, undefined]).toContainEqual(await auditIds(text));
    await server.ask("DELETE", "/v3/auth/tokens", { headers: { "x-subject-token": token } });
    for (const text of [token, ...texts]) expect(await server.validated(text)).toBe(404);
  });

  it("CVE-2016-4911: a token for a token has an audit id of its own, and that of the first", async () => {
    const { first, second, body } = await chained();
    const third = (await byToken(second, { project: { id: alice.projectId } })).body.token;
    const { body: shown } = await server.ask("GET", "/v3/auth/tokens", {
      headers: { "x-subject-token": first },
    });
    const [own] = shown.token.audit_ids;
    expect(shown.token.audit_ids).toEqual([own]);
    expect(body.audit_ids).toEqual([expect.any(String), own]);
    expect(third.audit_ids).toEqual([expect.any(String), own]);
    expect(new Set([own, body.audit_ids[0], third.audit_ids[0]]).size).toBe(3);
  });

  it("CVE-2022-2447: a token ends with its application credential, when that expires or is deleted", async () => {
    const user = await server.member();
    const expires_at = new Date(server.time.now + 600_000).toISOString().replace("Z", "");
    const made = [await server.make(user, { expires_at }), await server.make(user, { name: "other" })].map(
      ({ body }) => body.application_credential,
    );
    const logIn = ({ id, secret }: { id: string; secret: string }) =>
      server.authenticate({ methods: ["application_credential"], application_credential: { id, secret } });
    const [expiring, deleted] = await Promise.all(made.map(logIn));
    expect(Date.parse(expiring?.body.token.expires_at)).toBeLessThanOrEqual(server.time.now + 600_000);
    const { now } = server.time;
    server.time.now += 600_001;
    expect(await server.validated(expiring?.token ?? "")).toBe(404);
    expect(await server.validated(deleted?.token ?? "")).toBe(200);
    await server.ask("DELETE", `/v3/users/${user.id}/application_credentials/${made[1].id}`);
    expect(await server.validated(deleted?.token ?? "")).toBe(404);
    server.time.now = now;
  });
});

/** By an administrator who logs in now. */
async function isValidNow(token: string): Promise<boolean> {
  const { token: admin } = await server.byPassword(
    { name: "admin", domain: { id: "default" } },
    SYSTEM,
    ADMIN_PASSWORD,
  );
  const headers = { "x-subject-token": token };
  return (await server.send("GET", "/v3/auth/tokens", { token: admin, headers })).status === 200;
}
