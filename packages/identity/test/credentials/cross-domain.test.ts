/** The setting that lets administrators of a domain or project reach the secrets of all users, as in Keystone. */
import { afterEach, describe, expect, it } from "vitest";

import {
  credentialServer,
  PASSWORD,
  type CredentialServer,
} from "../application-credentials/application-credential-server.js";
import { databases } from "../databases.js";

let server: CredentialServer;
afterEach(() => server.close());

describe(`an administrator of a domain on ${databases.name}`, () => {
  it.each([
    ["off", 403, 403],
    ["on", 201, 200],
  ])("with IDENTITY_ALLOW_CROSS_DOMAIN_CREDENTIALS=%s", async (setting, created, shown) => {
    server = await credentialServer(databases, { IDENTITY_ALLOW_CROSS_DOMAIN_CREDENTIALS: setting });
    const domainId = await server.create("domain", { name: "other" });
    const id = await server.create("user", { name: "chief", domain_id: domainId, password: PASSWORD });
    const role = await server.roleId("admin");
    await server.ask("PUT", `/v3/domains/${domainId}/users/${id}/roles/${role}`);
    const { token } = await server.byPassword({ id }, { domain: { id: domainId } });
    const { id: userId } = await server.member();
    const credential = { type: "cert", blob: "x", user_id: userId };
    const made = await server.ask("POST", "/v3/credentials", { body: { credential } });
    const path = `/v3/credentials/${made.body.credential.id}`;
    expect((await server.send("GET", path, { token })).status).toBe(shown);
    expect((await server.send("POST", "/v3/credentials", { token, body: { credential } })).status).toBe(
      created,
    );
    const { body } = await server.send("GET", "/v3/credentials", { token });
    expect(body.credentials).toHaveLength(setting === "on" ? 2 : 0);
  });
});
