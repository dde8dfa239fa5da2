/** Users whom an identity provider pushes by SCIM. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { ENTERPRISE, ERROR, LIST, operations, scimServer, USER, type ScimServer } from "./scim-server.js";

let service: ScimServer;
beforeAll(async () => {
  service = await scimServer(databases);
});
afterAll(() => service.close());

const find = (filter: string, more = "") =>
  service.push("GET", `/Users?filter=${encodeURIComponent(filter)}${more}`);

describe(`pushed users on ${databases.name}`, () => {
  it("are created in the provider's domain, and shown with their location and version", async () => {
    const { status, headers, body } = await service.push("POST", "/Users", {
      schemas: [USER, ENTERPRISE],
      userName: "Anna@example.org",
      externalId: "ext-anna",
      name: { givenName: "Anna", familyName: "Ek" },
      emails: [{ value: "anna@example.org", type: "work", primary: true }],
      active: true,
      [ENTERPRISE]: { department: "Sales", manager: { value: "26118915" } },
      password: "never-stored",
      roles: [{ value: "admin" }],
      unknown: { deep: [1] },
    });
    expect(status).toBe(201);
    const location = `http://127.0.0.1:5900/scim/v2/idp/Users/${body.id}`;
    expect(headers).toMatchObject({
      location,
      etag: 'W/"1"',
      "content-type": "application/scim+json; charset=utf-8",
    });
    expect(body).toEqual({
      schemas: [USER, ENTERPRISE],
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      externalId: "ext-anna",
      userName: "Anna@example.org",
      name: { givenName: "Anna", familyName: "Ek" },
      emails: [{ value: "anna@example.org", type: "work", primary: true }],
      active: true,
      [ENTERPRISE]: { department: "Sales", manager: { value: "26118915" } },
      meta: {
        resourceType: "User",
        created: expect.any(String),
        lastModified: expect.any(String),
        location,
        version: 'W/"1"',
      },
    });
    expect((await service.push("GET", `/Users/${body.id}`)).body).toEqual(body);
    const { user } = (await service.ask("GET", `/v3/users/${body.id}`)).body;
    const { identity_provider: provider } = (
      await service.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp")
    ).body;
    expect(user).toMatchObject({
      name: "Anna@example.org",
      email: "anna@example.org",
      enabled: true,
      domain_id: provider.domain_id,
    });
  });

  it("are found by userName in any case, by externalId in its own, and by terms joined with and", async () => {
    const id = await service.pushUser("Bert@Example.org", { externalId: "ext-Bert" });
    const foundBy = async (filter: string) =>
      (await find(filter)).body.Resources.map((each: { id: string }) => each.id);
    expect(await foundBy('userName eq "bert@example.ORG"')).toEqual([id]);
    expect(await foundBy('USERNAME Eq "bert@example.org"')).toEqual([id]);
    expect(
      await foundBy('urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bert@example.org"'),
    ).toEqual([id]);
    expect(await foundBy('externalId eq "ext-Bert"')).toEqual([id]);
    expect(await foundBy('externalId eq "ext-bert"')).toEqual([]);
    expect(await foundBy(`id eq "${id}" and active eq true`)).toEqual([id]);
    expect(await foundBy('userName eq "bert@example.org" and active eq false')).toEqual([]);
    expect(await foundBy('userName sw "bert@"')).toEqual([id]);
  });

  it("are found by any attribute, if more slowly", async () => {
    const id = await service.pushUser("mail", { emails: [{ value: "Post@example.org", type: "work" }] });
    for (const filter of [
      'emails[type eq "work"].value eq "post@example.org"',
      'emails[type eq "work" and value co "post@"]',
      'emails.value eq "post@example.org"',
      'emails eq "post@example.org"',
      'userName eq "mail" or userName eq "nobody"',
      'not (userName ne "mail")',
    ])
      expect([filter, (await find(filter)).body]).toMatchObject([
        filter,
        { totalResults: 1, Resources: [{ id }] },
      ]);
  });

  it("refuse filters that can't be read, and unknown attributes", async () => {
    for (const filter of ["userName", 'userName eq "x', "userName eq x", '(userName eq "x"', 'shoes eq "x"'])
      expect([filter, await find(filter)]).toMatchObject([
        filter,
        { status: 400, body: { schemas: [ERROR], status: "400", scimType: "invalidFilter" } },
      ]);
  });

  it("are listed in pages from index 1", async () => {
    const { body } = await service.push("GET", "/Users?startIndex=2&count=1");
    expect(body).toMatchObject({ schemas: [LIST], startIndex: 2, itemsPerPage: 1 });
    const { totalResults: total } = body;
    expect(total).toBeGreaterThan(2);
    const ids = new Set<string>();
    for (let startIndex = 1; startIndex <= total; startIndex += 2)
      for (const { id } of (await service.push("GET", `/Users?startIndex=${startIndex}&count=2`)).body
        .Resources)
        ids.add(id);
    expect(ids.size).toBe(total);
    expect((await service.push("GET", "/Users?count=0")).body).toMatchObject({
      totalResults: total,
      itemsPerPage: 0,
    });
    expect((await service.push("GET", "/Users?startIndex=-5&count=-1")).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 0,
    });
    expect((await service.push("GET", `/Users?startIndex=${total + 1}`)).body.Resources).toEqual([]);
  });

  it("have unique userNames, whatever their case, and unique externalIds", async () => {
    await service.pushUser("carl", { externalId: "ext-carl" });
    for (const user of [{ userName: "CARL" }, { userName: "other", externalId: "ext-carl" }])
      expect(await service.push("POST", "/Users", user)).toMatchObject({
        status: 409,
        body: { scimType: "uniqueness", status: "409" },
      });
  });

  it("are changed with a path, without one, and by names in any case", async () => {
    const id = await service.pushUser("dora", { title: "Dr" });
    const change = async (...all: object[]) => {
      const { status, body } = await service.push("PATCH", `/Users/${id}`, operations(...all));
      expect([status, body]).toEqual([200, expect.any(Object)]);
      return body;
    };
    expect(await change({ op: "Replace", path: "active", value: "False" })).toMatchObject({ active: false });
    expect(await change({ op: "Add", path: "Active", value: "True" })).toMatchObject({ active: true });
    expect(
      await change({ op: "replace", value: { "name.familyName": "Lind", displayName: "Dora", id: "x" } }),
    ).toMatchObject({ id, name: { familyName: "Lind" }, displayName: "Dora" });
    expect(await change({ op: "add", path: "name.givenName", value: "Dora" })).toMatchObject({
      name: { familyName: "Lind", givenName: "Dora" },
    });
    expect(
      await change({ op: "Add", path: 'emails[type eq "work"].value', value: "d@example.org" }),
    ).toMatchObject({ emails: [{ type: "work", value: "d@example.org" }] });
    expect(
      await change({ op: "Replace", path: 'emails[type eq "work"].value', value: "dora@example.org" }),
    ).toMatchObject({ emails: [{ type: "work", value: "dora@example.org" }] });
    expect(
      await change(
        { op: "Add", path: `${ENTERPRISE}:department`, value: "Ops" },
        {
          op: "Add",
          path: `${ENTERPRISE}:manager`,
          value: "boss",
        },
      ),
    ).toMatchObject({ [ENTERPRISE]: { department: "Ops", manager: { value: "boss" } } });
    expect(
      await change({
        op: "replace",
        value: { [ENTERPRISE]: { department: "Lab" }, [`${ENTERPRISE}:division`]: "North" },
      }),
    ).toMatchObject({ [ENTERPRISE]: { department: "Lab", division: "North", manager: { value: "boss" } } });
    const left = await change(
      { op: "Remove", path: "title" },
      { op: "remove", path: 'emails[type eq "work"]' },
      { op: "remove", path: ENTERPRISE },
      { op: "remove", path: "shoes" },
    );
    expect(left).not.toHaveProperty("title");
    expect(left).not.toHaveProperty("emails");
    expect(left.schemas).toEqual([USER]);
  });

  it("refuse operations that make no sense", async () => {
    const id = await service.pushUser("emil");
    for (const [operation, scimType] of [
      [{ op: "jump", path: "active" }, "invalidSyntax"],
      [{ op: "replace", value: "x" }, "invalidSyntax"],
      [{ op: "remove" }, "noTarget"],
      [{ op: "replace", path: "emails[", value: "x" }, "invalidPath"],
      [{ op: "replace", path: "id", value: "x" }, "mutability"],
      [{ op: "replace", path: "active", value: "maybe" }, "invalidValue"],
      [{ op: "remove", path: "userName" }, "invalidValue"],
      [{ op: "replace", path: 'emails[value co "x"].type', value: "home" }, "noTarget"],
    ] as const)
      expect([operation, await service.push("PATCH", `/Users/${id}`, operations(operation))]).toMatchObject([
        operation,
        { status: 400, body: { scimType } },
      ]);
    expect((await service.push("PATCH", `/Users/${id}`, { Operations: [] })).status).toBe(400);
  });

  it("are replaced: attributes that the body lacks are gone, active and externalId stay", async () => {
    const id = await service.pushUser("finn", { externalId: "ext-finn", title: "Mr", active: false });
    const { status, body } = await service.push("PUT", `/Users/${id}`, {
      schemas: [USER],
      id,
      userName: "finn2",
      displayName: "Finn",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      userName: "finn2",
      displayName: "Finn",
      externalId: "ext-finn",
      active: false,
    });
    expect(body).not.toHaveProperty("title");
  });

  it("change only in the version that the client names", async () => {
    const id = await service.pushUser("gina");
    const rename = (title: string, version: string) =>
      service.push("PATCH", `/Users/${id}`, operations({ op: "add", path: "title", value: title }), {
        headers: { "if-match": version },
      });
    expect((await rename("one", 'W/"1"')).headers["etag"]).toBe('W/"2"');
    expect(await rename("two", 'W/"1"')).toMatchObject({
      status: 412,
      body: { schemas: [ERROR], status: "412" },
    });
    expect((await rename("two", "*")).status).toBe(200);
    expect((await rename("two", "*")).headers["etag"]).toBe('W/"3"');
    const read = (version: string) =>
      service.push("GET", `/Users/${id}`, undefined, { headers: { "if-none-match": version } });
    expect([(await read('W/"3"')).status, (await read('W/"2"')).status]).toEqual([304, 200]);
    const stale = await service.push("DELETE", `/Users/${id}`, undefined, { headers: { "if-match": '"9"' } });
    expect(stale.status).toBe(412);
  });

  it("are shown with the attributes that the client wants", async () => {
    const id = await service.pushUser("hans", {
      title: "Mr",
      name: { familyName: "H", givenName: "Hans" },
      emails: [{ value: "h@example.org", type: "work" }],
    });
    const shown = async (query: string) => (await service.push("GET", `/Users/${id}?${query}`)).body;
    expect(await shown("attributes=userName,NAME.familyName,emails.value,shoes")).toEqual({
      schemas: [USER],
      id,
      userName: "hans",
      name: { familyName: "H" },
      emails: [{ value: "h@example.org" }],
    });
    const rest = await shown("excludedAttributes=title,emails,name.givenName,id");
    expect(rest).toMatchObject({ id, userName: "hans", name: { familyName: "H" } });
    expect(Object.keys(rest).toSorted()).toEqual(["active", "id", "meta", "name", "schemas", "userName"]);
  });

  it("are gone after their deletion, with their grants", async () => {
    const id = await service.pushUser("ida");
    const { body: roles } = await service.ask("GET", "/v3/roles?name=member");
    const project = await service.create("projects", { name: "of-ida", domain_id: "default" });
    const grant = `/v3/projects/${project}/users/${id}/roles/${roles.roles[0].id}`;
    expect((await service.ask("PUT", grant)).status).toBe(204);
    expect((await service.push("DELETE", `/Users/${id}`)).status).toBe(204);
    for (const method of ["GET", "DELETE", "PATCH"])
      expect(
        (
          await service.push(
            method,
            `/Users/${id}`,
            method === "PATCH" ? operations({ op: "add", value: {} }) : undefined,
          )
        ).status,
      ).toBe(404);
    expect((await service.ask("GET", `/v3/users/${id}`)).status).toBe(404);
    const { body } = await service.ask("GET", `/v3/role_assignments?scope.project.id=${project}`);
    expect(body.role_assignments).toEqual([]);
    expect(await service.pushUser("ida")).toBe(id);
  });
});
