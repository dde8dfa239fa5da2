/** EC2 keys of users. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ec2CredentialId } from "../../src/credentials/ec2-blob.js";
import type { Credentials } from "../../src/policy/caller.js";
import { databases } from "../databases.js";
import { inDomain, SYSTEM_ADMIN, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import {
  credentialServer,
  MEMBER,
  NEIGHBOR,
  PROJECT_ADMIN,
  READER,
  type CredentialServer,
} from "./credential-server.js";

const pathOf = (user: string, access = "") =>
  `/v3/users/${user}/credentials/OS-EC2${access === "" ? "" : `/${access}`}`;

let service: CredentialServer;
beforeEach(async () => {
  service = await credentialServer(databases);
});
afterEach(() => service.close());

const create = (user = "u1", body: unknown = { tenant_id: "p1" }, as: Credentials = SYSTEM_ADMIN) =>
  service.ask("POST", pathOf(user), { as, body });
const addKey = async (user = "u1", project = "p1"): Promise<string> =>
  (await create(user, { tenant_id: project })).body.credential.access as string;

describe(`EC2 keys on ${databases.name}`, () => {
  it("are pairs of 32 hexadecimal digits", async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    const { access, secret } = body.credential;
    expect([access, secret].every((text) => /^[0-9a-f]{32}$/.test(text as string))).toBe(true);
    expect(access).not.toBe(secret);
    expect(body).toStrictEqual({
      credential: {
        user_id: "u1",
        tenant_id: "p1",
        access,
        secret,
        trust_id: null,
        links: { self: `http://127.0.0.1:5900${pathOf("u1", access as string)}` },
      },
    });
    expect((await service.ask("GET", pathOf("u1", access as string), { as: MEMBER })).body).toStrictEqual(
      body,
    );
  });

  it("ignore an access key, secret and trust that the request names", async () => {
    const draft = { tenant_id: "p1", access: "mine", secret: "mine", trust_id: "t" };
    const { credential } = (await create("u1", draft)).body;
    expect([credential.access, credential.secret]).not.toContain("mine");
    expect(credential.trust_id).toBeNull();
  });

  it("are credentials, and credentials of their type are keys", async () => {
    const access = await addKey();
    const { body } = await service.ask("GET", `/v3/credentials/${ec2CredentialId(access)}`);
    expect(body.credential).toMatchObject({ type: "ec2", user_id: "u1", project_id: "p1" });
    expect(JSON.parse(body.credential.blob as string)).toMatchObject({ access, trust_id: null });
    const blob = JSON.stringify({ access: "chosen", secret: "s", trust_id: "t" });
    const credential = { type: "ec2", blob, user_id: "u1", project_id: "p1" };
    await service.ask("POST", "/v3/credentials", { body: { credential } });
    await service.ask("POST", "/v3/credentials", { body: { credential: { ...credential, type: "cert" } } });
    const listed = await service.ask("GET", pathOf("u1"), { as: MEMBER });
    expect(listed.body.credentials).toHaveLength(2);
    const key = await service.ask("GET", pathOf("u1", "chosen"), { as: MEMBER });
    expect(key.body.credential).toMatchObject({ access: "chosen", secret: "s", trust_id: "t" });
    expect(listed.body.credentials).toContainEqual(key.body.credential);
  });

  it("come in pages", async () => {
    for (let count = 0; count < 3; count++) await addKey();
    const { body } = await service.ask("GET", `${pathOf("u1")}?limit=2`);
    expect(body.credentials).toHaveLength(2);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect(next.body.credentials).toHaveLength(1);
  });

  it.each([
    [{ tenant_id: "nope" }, "Could not find project: nope."],
    [{}, "Could not find project: None."],
    [{ tenant_id: null }, "Could not find project: None."],
    [{ tenant_id: 5 }, "Could not find project: 5."],
  ])("need a project that exists, not %j", async (body, message) => {
    const made = await create("u1", body);
    expect([made.status, made.body.error.message]).toStrictEqual([404, message]);
    expect((await service.ask("POST", pathOf("u1"))).status).toBe(404);
  });

  it("need a user who exists", async () => {
    const access = await addKey();
    for (const [method, url] of [
      ["GET", pathOf("nope")],
      ["POST", pathOf("nope")],
      ["GET", pathOf("nope", access)],
      ["DELETE", pathOf("nope", access)],
    ] as const) {
      const { status, body } = await service.ask(method, url, { body: { tenant_id: "p1" } });
      expect([status, body.error.message]).toStrictEqual([404, "Could not find user: nope."]);
    }
  });

  it("are gone after they were deleted, at once also in the cache", async () => {
    const access = await addKey();
    expect((await service.ec2Keys.find(access))?.userId).toBe("u1");
    expect((await service.ask("DELETE", pathOf("u1", access), { as: MEMBER })).status).toBe(204);
    expect(await service.ec2Keys.find(access)).toBeUndefined();
    const { status, body } = await service.ask("GET", pathOf("u1", access), { as: MEMBER });
    expect([status, body.error.message]).toStrictEqual([
      404,
      `Could not find credential: ${ec2CredentialId(access)}.`,
    ]);
  });

  it("have a new secret at once after a change of the credential", async () => {
    const access = await addKey();
    await service.ec2Keys.find(access);
    const blob = JSON.stringify({ access, secret: "new" });
    await service.ask("PATCH", `/v3/credentials/${ec2CredentialId(access)}`, {
      body: { credential: { blob } },
    });
    expect((await service.ec2Keys.find(access))?.secret).toBe("new");
  });
});

describe(`permissions on EC2 keys on ${databases.name}`, () => {
  it("to read are the owner's, administrators' and readers' of the system", async () => {
    const access = await addKey();
    const owner = { ...UNSCOPED, userId: "u1" };
    for (const url of [pathOf("u1"), pathOf("u1", access)]) {
      for (const as of [owner, READER, SYSTEM_ADMIN, SYSTEM_READER, PROJECT_ADMIN])
        expect((await service.ask("GET", url, { as })).status).toBe(200);
      for (const as of [UNSCOPED, NEIGHBOR, inDomain("d1", "admin", "reader"), inDomain("d1", "manager")])
        expect((await service.ask("GET", url, { as })).status).toBe(403);
      expect((await service.ask("GET", url, { as: null })).status).toBe(401);
    }
  });

  it("to change are the owner's as a member, and administrators' (CVE-2026-33551)", async () => {
    const owner = { ...UNSCOPED, userId: "u1" };
    for (const as of [MEMBER, SYSTEM_ADMIN, PROJECT_ADMIN]) {
      const made = await create("u1", { tenant_id: "p1" }, as);
      expect(made.status).toBe(201);
      const url = pathOf("u1", made.body.credential.access as string);
      for (const other of [owner, READER, UNSCOPED, NEIGHBOR, SYSTEM_READER, inDomain("d1", "admin")])
        expect((await service.ask("DELETE", url, { as: other })).status).toBe(403);
      expect((await service.ask("DELETE", url, { as })).status).toBe(204);
    }
    for (const as of [owner, READER, UNSCOPED, NEIGHBOR, SYSTEM_READER, inDomain("d1", "admin")])
      expect((await create("u1", { tenant_id: "p1" }, as)).status).toBe(403);
  });

  it("depend on the key's owner, not on the user in the path", async () => {
    const access = await addKey("u1");
    const url = pathOf("u2", access);
    expect((await service.ask("GET", url, { as: NEIGHBOR })).status).toBe(403);
    expect((await service.ask("DELETE", url, { as: NEIGHBOR })).status).toBe(403);
    expect((await service.ask("GET", url, { as: MEMBER })).body.credential.user_id).toBe("u1");
  });

  it("secrets-stay-in-the-domain: an administrator of a project reaches keys of the domain's users alone", async () => {
    const access = await addKey("u3", "p2");
    for (const url of [pathOf("u3"), pathOf("u3", access)])
      expect((await service.ask("GET", url, { as: PROJECT_ADMIN })).status).toBe(403);
    expect((await service.ask("DELETE", pathOf("u3", access), { as: PROJECT_ADMIN })).status).toBe(403);
    expect((await create("u3", { tenant_id: "p2" }, PROJECT_ADMIN)).status).toBe(403);
  });
});
