/** The roles of logins by application credentials whose user loses roles. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  credentialServer,
  type CredentialServer,
  type MadeCredential,
} from "../application-credentials/application-credential-server.js";
import { databases } from "../databases.js";

let server: CredentialServer;
beforeAll(async () => {
  server = await credentialServer(databases);
});
afterAll(() => server.close());

describe(`an application credential (implied-roles-are-not-own-roles) on ${databases.name}`, () => {
  // As Keystone: it compares the roles that the credential was given with those of its user, and finds none.
  it("ends with its only role, though another role of its user implies a part of it", async () => {
    const dave = await server.member([]);
    const id = (name: string) => server.create("role", { name });
    const [operator, auditor, watcher] = [await id("operator"), await id("auditor"), await id("watcher")];
    for (const prior of [operator, auditor]) await server.ask("PUT", `/v3/roles/${prior}/implies/${watcher}`);
    await server.grant(dave.id, dave.projectId, "operator");
    await server.grant(dave.id, dave.projectId, "auditor");
    const { token: own } = await server.byPassword({ id: dave.id }, { project: { id: dave.projectId } });
    const credential = async (name: string, ...roles: string[]) => {
      const given = { name, roles: roles.map((each) => ({ name: each })) };
      return (await server.make(dave, given, own)).body.application_credential as MadeCredential & {
        readonly roles: readonly { readonly name: string }[];
      };
    };
    const narrow = await credential("operator", "operator");
    const wide = await credential("operator and watcher", "operator", "watcher");
    const other = await credential("auditor", "auditor");
    expect(narrow.roles.map(({ name }) => name)).toEqual(["operator", "watcher"]);
    const { token } = await server.logIn(narrow);
    expect(await server.validated(token)).toBe(200);

    await server.grant(dave.id, dave.projectId, "operator", "DELETE");
    expect(await server.validated(token)).toBe(404);
    expect((await server.send("GET", "/v3/auth/projects", { token })).status).toBe(401);
    expect((await server.logIn(narrow)).status).toBe(401);
    const rolesOf = async (each: MadeCredential) =>
      ((await server.logIn(each)).body.token.roles as { name: string }[]).map(({ name }) => name);
    expect(await rolesOf(wide)).toEqual(["watcher"]);
    expect(await rolesOf(other)).toEqual(["auditor", "watcher"]);

    await server.grant(dave.id, dave.projectId, "operator");
    expect(await rolesOf(narrow)).toEqual(["operator", "watcher"]);
    // Implied by the role of each of them.
    await server.ask("DELETE", `/v3/roles/${watcher}`);
    for (const each of [narrow, wide, other]) expect((await server.logIn(each)).status).toBe(401);
  });
});
