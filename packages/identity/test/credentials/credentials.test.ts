/** Credentials of users. */
import { createHash } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { listCredentialsOf } from "../../src/credentials/credential.js";
import { toMasterKey } from "../../src/platform/secrets/sealing.js";
import type { Credentials } from "../../src/policy/caller.js";
import { deleteUser } from "../../src/users/user-store.js";
import { resealSecrets } from "../../src/sealed-secrets.js";
import { databases } from "../databases.js";
import { inDomain, SYSTEM_ADMIN, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import {
  credentialServer,
  MEMBER,
  NEIGHBOR,
  PROJECT_ADMIN,
  type CredentialServer,
} from "./credential-server.js";

const PATH = "/v3/credentials";
const ADMIN_OF_D1 = inDomain("d1", "admin", "manager", "member", "reader");
const ADMIN_OF_D2 = inDomain("d2", "admin", "manager", "member", "reader");

let service: CredentialServer;
beforeEach(async () => {
  service = await credentialServer(databases);
});
afterEach(() => service.close());

function post(attributes: object = {}, as: Credentials = SYSTEM_ADMIN) {
  const credential = { type: "cert", blob: "the secret", user_id: "u1", ...attributes };
  return service.ask("POST", PATH, { as, body: { credential } });
}

async function add(attributes: object = {}): Promise<string> {
  const { status, body } = await post(attributes);
  expect(status).toBe(201);
  return body.credential.id as string;
}

const patch = (id: string, credential: object, as: Credentials = SYSTEM_ADMIN) =>
  service.ask("PATCH", `${PATH}/${id}`, { as, body: { credential } });

const ec2 = (blob: object | string, attributes: object = {}) => ({
  type: "ec2",
  project_id: "p1",
  blob: typeof blob === "string" ? blob : JSON.stringify(blob),
  ...attributes,
});

const idsFor = async (as: Credentials, query = "") =>
  (await service.ask("GET", `${PATH}${query}`, { as })).body.credentials.map(({ id }: { id: string }) => id);

describe(`credentials on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them", async () => {
    const made = await post({ project_id: "p1", blob: "clé ☃", foo: "bar", id: "chosen" }, MEMBER);
    expect(made.status).toBe(201);
    const { id } = made.body.credential;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(made.body).toStrictEqual({
      credential: {
        foo: "bar",
        id,
        user_id: "u1",
        project_id: "p1",
        type: "cert",
        blob: "clé ☃",
        links: { self: `http://127.0.0.1:5900/v3/credentials/${id}` },
      },
    });
    expect((await service.ask("GET", `${PATH}/${id}`, { as: MEMBER })).body).toStrictEqual(made.body);
    expect((await service.ask("GET", PATH, { as: MEMBER })).body.credentials).toStrictEqual([
      made.body.credential,
    ]);
  });

  it.each([
    ["type", { type: undefined }, "'type' is a required property"],
    ["blob", { blob: undefined }, "'blob' is a required property"],
    ["user_id", { user_id: undefined }, "'user_id' is a required property"],
    ["a text as blob", { blob: { a: 1 } }, "is not of type 'string'"],
    ["a type of 255 characters", { type: "t".repeat(256) }, "String length exceeded"],
  ])("need %s", async (_, attributes, message) => {
    const { status, body } = await post(attributes);
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
  });

  it("credentials-have-users-and-projects: belong to a user and a project that exist", async () => {
    const noUser = await post({ user_id: "nope" });
    expect([noUser.status, noUser.body.error.message]).toStrictEqual([404, "Could not find user: nope."]);
    const noProject = await post({ project_id: "nope" });
    expect([noProject.status, noProject.body.error.message]).toStrictEqual([
      404,
      "Could not find project: nope.",
    ]);
  });

  it("are sealed, each for its user, project and type", async () => {
    const id = await add({ blob: "JBSWY3DPEHPK3PXP", type: "totp" });
    const [stored] = await listCredentialsOf(service.database, { userId: "u1", type: "totp" });
    expect(stored?.sealedBlob.includes("JBSWY3DPEHPK3PXP")).toBe(false);
    const tables = service.database.tables<{ credential: { id: string; user_id: string } }>();
    await tables.updateTable("credential").set({ user_id: "u2" }).where("id", "=", id).execute();
    expect((await service.ask("GET", `${PATH}/${id}`)).status).toBe(500);
  });

  it("are resealed with a new master key; a process with the former one answers 503", async () => {
    const id = await add();
    const to = toMasterKey(Buffer.alloc(32, 1));
    expect(await resealSecrets(service.database, { from: service.masterKey, to })).toBe(1);
    expect((await service.ask("GET", `${PATH}/${id}`)).status).toBe(503);
    expect((await post()).status).toBe(503);
    expect(await resealSecrets(service.database, { from: to, to: service.masterKey })).toBe(1);
    expect((await service.ask("GET", `${PATH}/${id}`)).body.credential.blob).toBe("the secret");
  });

  it("change their blob", async () => {
    const id = await add();
    const { status, body } = await patch(id, { blob: "" }, MEMBER);
    expect([status, body.credential.blob]).toStrictEqual([200, ""]);
    expect((await service.ask("GET", `${PATH}/${id}`)).body.credential.blob).toBe("");
  });

  it.each([
    { type: "other" },
    { project_id: "p1" },
    { user_id: "u2" },
    { blob: "x", user_id: "u2" },
    { blob: "x", type: "totp" },
    { blob: "x", project_id: "p1" },
    { blob: "x", id: "other" },
    { blob: "x", trust_id: null },
    { foo: "bar" },
    { blob: null },
    { blob: { a: 1 } },
    {},
  ])("only-blobs-change: reject the change %j", async (change) => {
    const id = await add();
    expect((await patch(id, change)).status).toBe(400);
    expect((await service.ask("GET", `${PATH}/${id}`)).body.credential).toMatchObject({
      type: "cert",
      user_id: "u1",
      project_id: null,
      blob: "the secret",
    });
  });

  it("only-blobs-change: accept what stays as it is beside the blob", async () => {
    const id = await add();
    const unchanged = { id, type: "cert", user_id: "u1", project_id: null };
    const { status, body } = await patch(id, { ...unchanged, blob: "new" }, MEMBER);
    expect([status, body.credential]).toMatchObject([200, { ...unchanged, blob: "new" }]);
  });

  it("are deleted, also with their user and their project", async () => {
    const [one, two, three] = [await add(), await add({ project_id: "p2" }), await add({ user_id: "u3" })];
    expect((await service.ask("DELETE", `${PATH}/${one}`, { as: MEMBER })).status).toBe(204);
    expect((await service.ask("GET", `${PATH}/${one}`)).status).toBe(404);
    await service.database.transaction(async (transaction) => {
      await transaction
        .tables<{ project: { id: string } }>()
        .deleteFrom("project")
        .where("id", "=", "p2")
        .execute();
      await deleteUser(transaction, "u3");
    });
    for (const id of [two, three]) expect((await service.ask("GET", `${PATH}/${id}`)).status).toBe(404);
  });

  it("are found by user and type", async () => {
    const mine = await add({ type: "totp" });
    const other = await add({ user_id: "u2", type: "totp" });
    const cert = await add();
    const sorted = (...ids: string[]) => ids.toSorted();
    expect(await idsFor(SYSTEM_ADMIN, "?type=totp")).toStrictEqual(sorted(mine, other));
    expect(await idsFor(SYSTEM_ADMIN, "?type=totp&user_id=u2")).toStrictEqual([other]);
    expect(await idsFor(SYSTEM_ADMIN, "?user_id=u1")).toStrictEqual(sorted(mine, cert));
    expect(await idsFor(MEMBER, "?user_id=u2")).toStrictEqual([]);
    expect(await idsFor(SYSTEM_ADMIN, "?limit=2")).toHaveLength(2);
  });
});

describe(`credentials of type ec2 on ${databases.name}`, () => {
  it("have the SHA-256 of their access key as id, which is unique in the cloud", async () => {
    const id = await add(ec2({ access: "key", secret: "s" }));
    expect(id).toBe(createHash("sha256").update("key").digest("hex"));
    const again = await post(ec2({ access: "key", secret: "t" }, { user_id: "u3", project_id: "p2" }));
    expect([again.status, again.body.error.message]).toStrictEqual([
      409,
      `Conflict occurred attempting to store credential - Duplicate entry found with ID ${id}.`,
    ]);
    expect(await add(ec2({ access: "other" }, { type: "EC2" }))).toBe(
      createHash("sha256").update("other").digest("hex"),
    );
  });

  it.each([
    ["no project", ec2({ access: "a" }, { project_id: undefined }), "Expecting to find project_id"],
    ["null as project", ec2({ access: "a" }, { project_id: null }), "Expecting to find project_id"],
    ["no access key", ec2({ secret: "s" }), "Expecting to find access in credential."],
    ["a number as access key", ec2({ access: 5 }), "Expecting to find access in credential."],
    ["no JSON", ec2("nojson"), "Invalid blob in credential"],
    ["a list", ec2("[1]"), "Expecting to find blob in credential."],
    ["null", ec2("null"), "Expecting to find blob in credential."],
    ["an empty object", ec2("{}"), "Expecting to find blob in credential."],
  ])("are rejected with %s", async (_, attributes, message) => {
    const { status, body } = await post(attributes);
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
  });

  it("keep the delegation that they are bound to (CVE-2020-12690, CVE-2020-12691)", async () => {
    const bound = await add(ec2({ access: "bound", secret: "s", trust_id: "t1", app_cred_id: "a1" }));
    const free = await add(ec2({ access: "free", secret: "s" }));
    for (const [id, blob, member] of [
      [bound, { access: "bound", secret: "s", app_cred_id: "a1" }, "trust_id"],
      [bound, { access: "bound", secret: "s", trust_id: "t1" }, "app_cred_id"],
      [free, { access: "free", trust_id: "t1" }, "trust_id"],
      [free, { access: "free", access_token_id: "x" }, "access_token_id"],
      [free, { access: "free", access_id: ["x"] }, "access_id"],
    ] as const) {
      const { status, body } = await patch(id, { blob: JSON.stringify(blob) });
      expect([status, body.error?.message]).toStrictEqual([
        400,
        `${member} can not be updated for credential`,
      ]);
    }
    const changed = { access: "free", secret: "new", trust_id: null };
    expect((await patch(free, { blob: JSON.stringify(changed) })).status).toBe(200);
    expect((await patch(free, { blob: "nojson" })).status).toBe(400);
  });
});

describe(`permissions on credentials on ${databases.name}`, () => {
  it("are the owner's and the administrator's; readers of the system read", async () => {
    const id = await add();
    const url = `${PATH}/${id}`;
    const owner = { ...UNSCOPED, userId: "u1" };
    for (const as of [owner, MEMBER, SYSTEM_ADMIN, SYSTEM_READER])
      expect((await service.ask("GET", url, { as })).status).toBe(200);
    for (const as of [UNSCOPED, NEIGHBOR, inDomain("d1", "manager", "member", "reader")]) {
      expect((await service.ask("GET", url, { as })).status).toBe(403);
      expect(await idsFor(as)).toStrictEqual([]);
    }
    for (const as of [UNSCOPED, NEIGHBOR, SYSTEM_READER, inDomain("d1", "manager")]) {
      expect((await post({}, as)).status).toBe(403);
      expect((await patch(id, { blob: "x" }, as)).status).toBe(403);
      expect((await service.ask("DELETE", url, { as })).status).toBe(403);
    }
    for (const as of [owner, SYSTEM_ADMIN]) {
      expect((await post({}, as)).status).toBe(201);
      expect((await patch(id, { blob: "x" }, as)).status).toBe(200);
    }
    expect((await service.ask("DELETE", url, { as: owner })).status).toBe(204);
    for (const [method, path] of [
      ["GET", PATH],
      ["GET", url],
      ["POST", PATH],
      ["PATCH", url],
      ["DELETE", url],
    ] as const)
      expect((await service.ask(method, path, { as: null })).status).toBe(401);
  });

  it("secrets-stay-in-the-domain: an administrator of a domain or project reaches the domain's users alone", async () => {
    const here = await add({ user_id: "u2" });
    const elsewhere = await add({ user_id: "u3" });
    for (const as of [ADMIN_OF_D1, PROJECT_ADMIN]) {
      expect(await idsFor(as)).toStrictEqual([here]);
      expect(await idsFor(as, "?user_id=u3")).toStrictEqual([]);
      expect((await service.ask("GET", `${PATH}/${here}`, { as })).status).toBe(200);
      expect((await patch(here, { blob: "x" }, as)).status).toBe(200);
      expect((await post({ user_id: "u2" }, as)).status).toBe(201);
      expect((await service.ask("GET", `${PATH}/${elsewhere}`, { as })).status).toBe(403);
      expect((await patch(elsewhere, { blob: "x" }, as)).status).toBe(403);
      expect((await service.ask("DELETE", `${PATH}/${elsewhere}`, { as })).status).toBe(403);
      expect((await post({ user_id: "u3" }, as)).status).toBe(403);
      for (const { id } of (await service.credentials.listOf("u2", "cert")).filter(
        (each) => each.id !== here,
      ))
        await service.credentials.delete(id);
    }
    expect(await idsFor(ADMIN_OF_D2)).toStrictEqual([elsewhere]);
    expect(await idsFor({ ...ADMIN_OF_D2, userId: "u2" })).toStrictEqual([here, elsewhere].toSorted());
    for (const as of [SYSTEM_ADMIN, SYSTEM_READER])
      expect(await idsFor(as)).toStrictEqual([here, elsewhere].toSorted());
  });

  it("are reached by administrators of any domain and project where IDENTITY_ALLOW_CROSS_DOMAIN_CREDENTIALS is on", async () => {
    const here = await add({ user_id: "u2" });
    const elsewhere = await add({ user_id: "u3" });
    const member = { ...MEMBER, reachesAllSecrets: true };
    expect((await service.ask("GET", `${PATH}/${elsewhere}`, { as: member })).status).toBe(403);
    expect((await post({ user_id: "u3" }, member)).status).toBe(403);
    for (const narrow of [ADMIN_OF_D1, PROJECT_ADMIN]) {
      const as = { ...narrow, reachesAllSecrets: true };
      expect(await idsFor(as)).toStrictEqual([here, elsewhere].toSorted());
      expect((await service.ask("GET", `${PATH}/${elsewhere}`, { as })).status).toBe(200);
      expect((await patch(elsewhere, { blob: "x" }, as)).status).toBe(200);
      const { status, body } = await post({ user_id: "u3" }, as);
      expect(status).toBe(201);
      const { id } = body.credential as { readonly id: string };
      expect((await service.ask("DELETE", `${PATH}/${id}`, { as })).status).toBe(204);
      const delegated = {
        ...as,
        delegation: { kinds: ["application_credential"], by: {}, isRestricted: false },
      };
      expect((await service.ask("GET", `${PATH}/${elsewhere}`, { as: delegated })).status).toBe(403);
    }
  });

  it("answer 404 for an unknown id to those who may see any, and 403 to others", async () => {
    const url = `${PATH}/${"f".repeat(32)}`;
    for (const as of [SYSTEM_ADMIN, SYSTEM_READER, PROJECT_ADMIN, ADMIN_OF_D1])
      expect((await service.ask("GET", url, { as })).status).toBe(404);
    for (const as of [MEMBER, UNSCOPED]) expect((await service.ask("GET", url, { as })).status).toBe(403);
  });

  it("depend on the stored owner, not on one that the request names (CVE-2026-42999)", async () => {
    const id = await add({ user_id: "u2" });
    const target = { credential: { user_id: "u1" } };
    for (const body of [{ target }, { credential: { user_id: "u1", blob: "x" }, target }])
      for (const method of ["PATCH", "DELETE"])
        expect((await service.ask(method, `${PATH}/${id}`, { as: MEMBER, body })).status).toBe(403);
    const credential = { type: "cert", blob: "x", user_id: "u2", target };
    expect((await service.ask("POST", PATH, { as: MEMBER, body: { credential, target } })).status).toBe(403);
  });
});

describe(`the limit of credentials on ${databases.name}`, () => {
  it("is exact for concurrent requests", async () => {
    const limited = await credentialServer(databases, { maxPerUser: 3 });
    try {
      const credential = { type: "cert", blob: "b", user_id: "u1" };
      const made = await Promise.all(
        Array.from({ length: 8 }, () => limited.ask("POST", PATH, { body: { credential } })),
      );
      expect(made.map(({ status }) => status).toSorted((one, other) => one - other)).toStrictEqual([
        201, 201, 201, 403, 403, 403, 403, 403,
      ]);
      const key = await limited.ask("POST", "/v3/users/u1/credentials/OS-EC2", { body: { tenant_id: "p1" } });
      expect([key.status, key.body.error.message]).toStrictEqual([
        403,
        "Unable to create additional credentials, maximum of 3 already exceeded for user.",
      ]);
    } finally {
      await limited.close();
    }
  });
});
