/**
 * Dialogues of SCIM clients, written by hand from the forms that their vendors publish.
 *
 * @see https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups Entra ID
 * @see https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20/ Okta
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import {
  ENTERPRISE,
  ERROR,
  GROUP,
  LIST,
  operations,
  PATCH,
  scimServer,
  USER,
  type ScimServer,
} from "./scim-server.js";

let service: ScimServer;
beforeAll(async () => {
  service = await scimServer(sqliteDatabases);
});
afterAll(() => service.close());

const query = (path: string, parameters: Record<string, string>) =>
  service.push("GET", `${path}?${new URLSearchParams(parameters).toString()}`);
const EMPTY = { status: 200, body: { schemas: [LIST], totalResults: 0, Resources: [] } };

describe("Entra ID", () => {
  const anna = {
    schemas: [USER, ENTERPRISE],
    externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    userName: "Anna.Ek@contoso.example",
    active: true,
    addresses: [{ primary: false, type: "work", country: "Sweden", formatted: "Hamngatan 1" }],
    displayName: "Anna Ek",
    emails: [{ primary: true, type: "work", value: "Anna.Ek@contoso.example" }],
    meta: { resourceType: "User" },
    name: { formatted: "Anna Ek", familyName: "Ek", givenName: "Anna" },
    phoneNumbers: [{ primary: true, type: "work", value: "+46 8 123 45 67" }],
    preferredLanguage: "sv-SE",
    roles: [],
    title: "Engineer",
    [ENTERPRISE]: { department: "Radio" },
  };
  let userId: string;
  let groupId: string;

  it("tests the connection with a user who does not exist", async () => {
    const filter = 'userName eq "5e1b52b4-7a9e-4d3f-a6b5-3a0d4b1e2f10"';
    expect(await query("/Users", { filter })).toMatchObject(EMPTY);
    // The flag of the tenant URL comes along.
    expect(await query("/Users", { aadOptscim062020: "", filter })).toMatchObject(EMPTY);
  });

  it("looks a user up, and creates it", async () => {
    expect(await query("/Users", { filter: `externalId eq "${anna.externalId}"` })).toMatchObject(EMPTY);
    const { status, body } = await service.push("POST", "/Users", anna);
    expect([status, body]).toMatchObject([
      201,
      { userName: anna.userName, active: true, emails: anna.emails },
    ]);
    expect(body).not.toHaveProperty("addresses");
    userId = body.id;
    const found = await query("/Users", { filter: `userName eq "${anna.userName.toLowerCase()}"` });
    expect(found.body).toMatchObject({ totalResults: 1, itemsPerPage: 1, Resources: [{ id: userId }] });
  });

  it("changes attributes, each with its path", async () => {
    const { status, body } = await service.push("PATCH", `/Users/${userId}`, {
      schemas: [PATCH],
      Operations: [
        { op: "Replace", path: 'emails[type eq "work"].value', value: "anna.lind@contoso.example" },
        { op: "Replace", path: "name.familyName", value: "Lind" },
        { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+46 70 123 45 67" },
        { op: "Add", path: `${ENTERPRISE}:employeeNumber`, value: "4711" },
        { op: "Add", path: 'addresses[type eq "work"].locality', value: "Stockholm" },
        { op: "Remove", path: "title" },
      ],
    });
    expect([status, body]).toMatchObject([
      200,
      {
        emails: [{ primary: true, type: "work", value: "anna.lind@contoso.example" }],
        name: { familyName: "Lind", givenName: "Anna" },
        phoneNumbers: [{ type: "work" }, { type: "mobile", value: "+46 70 123 45 67" }],
        [ENTERPRISE]: { department: "Radio", employeeNumber: "4711" },
      },
    ]);
    expect(body).not.toHaveProperty("title");
  });

  it("changes attributes in one value with dotted names, as it did by default", async () => {
    const { body } = await service.push(
      "PATCH",
      `/Users/${userId}`,
      operations({
        op: "replace",
        value: {
          displayName: "Anna Lind",
          "name.formatted": "Anna Lind",
          [`${ENTERPRISE}:department`]: "Space",
        },
      }),
    );
    expect(body).toMatchObject({
      displayName: "Anna Lind",
      name: { formatted: "Anna Lind", givenName: "Anna" },
      [ENTERPRISE]: { department: "Space" },
    });
  });

  it("creates a group, and asks for it without members", async () => {
    const group = {
      schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
      displayName: "Cloud users",
      meta: { resourceType: "Group" },
    };
    const parameters = { excludedAttributes: "members", filter: 'displayName eq "Cloud users"' };
    expect(await query("/Groups", parameters)).toMatchObject(EMPTY);
    const { status, body } = await service.push("POST", "/Groups", group);
    expect([status, body.displayName]).toEqual([201, "Cloud users"]);
    groupId = body.id;
    expect((await query("/Groups", parameters)).body.Resources).toEqual([
      expect.not.objectContaining({ members: expect.anything() }),
    ]);
    expect(
      (await service.push("GET", `/Groups/${groupId}?excludedAttributes=members`)).body,
    ).not.toHaveProperty("members");
  });

  it("adds and removes members, and expects no content", async () => {
    const member = [{ $ref: null, value: userId }];
    for (const op of ["Add", "Remove"])
      expect(
        await service.push("PATCH", `/Groups/${groupId}`, operations({ op, path: "members", value: member })),
      ).toMatchObject({ status: 204, body: undefined });
    expect((await service.push("GET", `/Groups/${groupId}`)).body.members).toEqual([]);
    await service.push(
      "PATCH",
      `/Groups/${groupId}`,
      operations({ op: "Add", path: "members", value: member }),
    );
    const filter = `id eq "${groupId}" and members eq "${userId}"`;
    expect((await query("/Groups", { attributes: "id", filter })).body.Resources).toEqual([
      { schemas: [GROUP], id: groupId },
    ]);
    const rename = { op: "Replace", path: "displayName", value: "All cloud users" };
    expect((await service.push("PATCH", `/Groups/${groupId}`, operations(rename))).status).toBe(204);
  });

  it("disables a user by text, deletes it later, and then finds it no more", async () => {
    const disable = operations({ op: "Replace", path: "active", value: "False" });
    expect((await service.push("PATCH", `/Users/${userId}`, disable)).body.active).toBe(false);
    expect((await service.push("DELETE", `/Users/${userId}`)).status).toBe(204);
    expect(await service.push("GET", `/Users/${userId}`)).toMatchObject({
      status: 404,
      body: { schemas: [ERROR] },
    });
    expect((await service.push("GET", `/Groups/${groupId}`)).body.members).toEqual([]);
    expect((await service.push("DELETE", `/Groups/${groupId}`)).status).toBe(204);
  });
});

describe("Okta", () => {
  const bert = {
    schemas: [USER],
    userName: "bert@okta.example",
    name: { givenName: "Bert", familyName: "Ek" },
    emails: [{ primary: true, value: "bert@okta.example", type: "work" }],
    displayName: "Bert Ek",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
  };
  let userId: string;

  it("looks a user up by pages, creates it, and reads it again", async () => {
    const parameters = { filter: 'userName eq "bert@okta.example"', startIndex: "1", count: "100" };
    expect(await query("/Users", parameters)).toMatchObject(EMPTY);
    const { status, body } = await service.push("POST", "/Users", bert, {
      headers: { "content-type": "application/scim+json; charset=utf-8", accept: "application/scim+json" },
    });
    expect(status).toBe(201);
    userId = body.id;
    expect((await service.push("GET", `/Users/${userId}`)).body).toEqual(body);
    expect(JSON.stringify(body)).not.toContain(bert.password);
  });

  it("gets a conflict for a user who exists", async () => {
    expect(await service.push("POST", "/Users", bert)).toMatchObject({
      status: 409,
      body: { schemas: [ERROR], scimType: "uniqueness", status: "409", detail: expect.any(String) },
    });
  });

  it("replaces the profile by PUT, with id and meta", async () => {
    const { status, body } = await service.push("PUT", `/Users/${userId}`, {
      ...bert,
      id: userId,
      name: { ...bert.name, middleName: "Excited" },
      meta: { resourceType: "User", location: "ignored" },
    });
    expect([status, body.name]).toEqual([200, { ...bert.name, middleName: "Excited" }]);
  });

  it("deactivates and activates without a path", async () => {
    for (const active of [false, true])
      expect(
        await service.push("PATCH", `/Users/${userId}`, operations({ op: "replace", value: { active } })),
      ).toMatchObject({ status: 200, body: { active } });
  });

  it("pushes a group with members, renames it with its id, and changes its members", async () => {
    const made = await service.push("POST", "/Groups", {
      schemas: [GROUP],
      displayName: "Okta users",
      members: [{ value: userId, display: "bert@okta.example" }],
    });
    expect(made.status).toBe(201);
    const { id } = made.body;
    const change = (...all: object[]) => service.push("PATCH", `/Groups/${id}`, operations(...all));
    expect((await change({ op: "replace", value: { id, displayName: "Okta people" } })).status).toBe(204);
    await change(
      { op: "remove", path: `members[value eq "${userId}"]` },
      {
        op: "add",
        path: "members",
        value: [{ value: userId, display: "bert@okta.example" }],
      },
    );
    await change({
      op: "replace",
      path: "members",
      value: [{ value: userId, display: "bert@okta.example" }],
    });
    const { body } = await query("/Groups", { startIndex: "1", count: "100" });
    expect(body.Resources).toEqual([
      expect.objectContaining({
        id,
        displayName: "Okta people",
        members: [expect.objectContaining({ value: userId, display: "bert@okta.example" })],
      }),
    ]);
    await service.push("DELETE", `/Groups/${id}`);
  });
});

describe("an extension of Keycloak for SCIM", () => {
  it("creates, replaces and deletes whole users and groups", async () => {
    const headers = { "content-type": "application/scim+json", accept: "application/scim+json" };
    const carl = {
      schemas: [USER],
      externalId: "f:9f5b:carl",
      userName: "carl",
      name: { familyName: "Dahl", givenName: "Carl" },
      displayName: "Carl Dahl",
      active: true,
      emails: [{ value: "carl@kc.example", primary: true }],
      roles: [{ value: "offline_access" }],
      meta: { resourceType: "User" },
    };
    const made = await service.push("POST", "/Users", carl, { headers });
    expect(made.status).toBe(201);
    const { id } = made.body;
    const replaced = await service.push(
      "PUT",
      `/Users/${id}`,
      { ...carl, id, displayName: "C. Dahl" },
      { headers },
    );
    expect(replaced).toMatchObject({ status: 200, body: { displayName: "C. Dahl" } });
    const group = {
      schemas: [GROUP],
      externalId: "kc-1",
      displayName: "kc",
      members: [{ $ref: `Users/${id}`, value: id }],
    };
    const pushed = await service.push("POST", "/Groups", group, { headers });
    expect(pushed.body.members).toHaveLength(1);
    const emptied = await service.push(
      "PUT",
      `/Groups/${pushed.body.id}`,
      { ...group, members: [] },
      { headers },
    );
    expect(emptied).toMatchObject({ status: 200, body: { members: [] } });
    for (const path of [`/Groups/${pushed.body.id}`, `/Users/${id}`])
      expect((await service.push("DELETE", path)).status).toBe(204);
  });
});

describe("authentik", () => {
  const dora = {
    schemas: [USER],
    externalId: "3a5c",
    userName: "dora",
    name: { formatted: "Dora Alm", familyName: "Alm", givenName: "Dora" },
    displayName: "Dora Alm",
    locale: null,
    active: true,
    emails: [{ value: "dora@ak.example", type: "other", primary: true }],
    photos: [],
  };
  beforeEach(async () => {
    const { body } = await query("/Users", { filter: 'userName eq "dora"' });
    for (const { id } of body.Resources) await service.push("DELETE", `/Users/${id}`);
  });

  it("reads what is supported, and falls back to PUT after a conflict", async () => {
    expect((await service.push("GET", "/ServiceProviderConfig")).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0 },
    });
    expect((await service.push("POST", "/Users", dora)).status).toBe(201);
    expect((await service.push("POST", "/Users", dora)).status).toBe(409);
    const { body } = await query("/Users", { filter: 'userName eq "dora"' });
    const { id } = body.Resources[0];
    const put = await service.push("PUT", `/Users/${id}`, { ...dora, id, displayName: "Dora" });
    expect(put).toMatchObject({ status: 200, body: { displayName: "Dora" } });
    expect(put.body).not.toHaveProperty("locale");
  });

  it("updates a group with a null path, and its members in chunks", async () => {
    const { body: user } = await service.push("POST", "/Users", dora);
    const made = await service.push("POST", "/Groups", {
      schemas: [GROUP],
      externalId: "77",
      displayName: "ak",
    });
    const { id } = made.body;
    const value = { id, externalId: "77", displayName: "ak 2", schemas: [GROUP] };
    expect(
      (await service.push("PATCH", `/Groups/${id}`, operations({ op: "replace", path: null, value }))).status,
    ).toBe(204);
    const add = operations({ op: "add", path: "members", value: [{ value: user.id }] });
    expect((await service.push("PATCH", `/Groups/${id}`, add)).status).toBe(204);
    expect((await service.push("GET", `/Groups/${id}`)).body).toMatchObject({
      displayName: "ak 2",
      members: [{ value: user.id }],
    });
    const remove = operations({ op: "remove", path: "members", value: [{ value: user.id }] });
    await service.push("PATCH", `/Groups/${id}`, remove);
    expect((await service.push("GET", `/Groups/${id}`)).body.members).toEqual([]);
  });
});
