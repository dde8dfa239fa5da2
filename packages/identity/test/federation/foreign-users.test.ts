/** A federated login never takes over a user of another provider or domain. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { loginServer, NAMED, asserted, type LoginServer } from "./login-server.js";

const FORBIDDEN = {
  error: {
    code: 403,
    message: "You are not authorized to perform the requested action.",
    title: "Forbidden",
  },
};

describe(`a user of another provider or domain on ${sqliteDatabases.name}`, () => {
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases);
  });
  afterAll(() => service.close());

  it("rejects a shadow user of another provider of the domain", async () => {
    await service.map([NAMED]);
    const { body } = await service.login(asserted("dora"));
    const rival = { enabled: true, domain_id: body.token.user.domain.id as string };
    await service.ask("PUT", "/v3/OS-FEDERATION/identity_providers/rival", {
      body: { identity_provider: rival },
    });
    const path = "/v3/OS-FEDERATION/identity_providers/rival/protocols/mapped";
    await service.ask("PUT", path, { body: { protocol: { mapping_id: "people" } } });
    const { status, body: refused } = await service.login(asserted("dora"), `${path}/auth`);
    expect([status, refused]).toEqual([403, FORBIDDEN]);
    expect(service.refusals.at(-1)).toMatchObject({
      idpId: "rival",
      step: "user",
      reason: `the user's id "dora" belongs to a user of identity provider "idp", in the same domain "${rival.domain_id}": give each provider a domain of its own, or put its name before the id in the rules, as in "id": "name-of-the-provider/{0}"`,
    });
    // The page names no user to the caller.
    expect(JSON.stringify(refused)).not.toMatch(/dora|idp/);
  });

  it("has users stay in the domain that they came to, where a mapping gives all of them another one", async () => {
    await service.map([NAMED]);
    const { user } = (await service.login(asserted("stay"))).body.token;
    await service.map([
      { local: [{ user: { name: "{0}", domain: { id: "default" } } }], remote: [{ type: "REMOTE_USER" }] },
    ]);
    const later = await service.login(asserted("stay"));
    expect(later.body.token.user).toMatchObject({ id: user.id, domain: user.domain });
    expect((await service.login(asserted("new"))).body.token.user.domain.id).toBe("default");
    await service.map([NAMED]);
  });

  it("does not log in as a user of another domain that rules name for some users only", async () => {
    const inDomain = (id: string, organization: string) => ({
      local: [{ user: { name: "{0}", domain: { id } } }],
      remote: [{ type: "REMOTE_USER" }, { type: "ORGANIZATION", any_one_of: [organization] }],
    });
    const green = await service.create("domains", { name: "green" });
    await service.map([inDomain("default", "ours"), inDomain(green, "theirs")]);
    expect((await service.login(asserted("pat", { ORGANIZATION: "ours" }))).status).toBe(201);
    expect((await service.login(asserted("pat", { ORGANIZATION: "theirs" }))).status).toBe(403);
    expect(service.refusals.at(-1)?.reason).toBe(
      `the user's id "pat" belongs to a user of domain "default", and the mapping names domain "${green}" for this login: put the domain before the id in the rules, as in "id": "{1}/{0}", if they are two users`,
    );
    await service.map([NAMED]);
  });

  it("does not log in as a user of the same name in another domain", async () => {
    const domains = ["red", "blue"];
    for (const name of domains) await service.create("domains", { name });
    const domained = {
      local: [{ user: { name: "{0}", domain: { name: "{1}" } } }],
      remote: [{ type: "REMOTE_USER" }, { type: "DOMAIN" }],
    };
    await service.map([domained]);
    const first = await service.login(asserted("twin", { DOMAIN: "red" }));
    expect([first.status, first.body.token.user.domain.name]).toEqual([201, "red"]);
    const second = await service.login(asserted("twin", { DOMAIN: "blue" }));
    expect([second.status, second.body]).toEqual([403, FORBIDDEN]);
    expect(service.refusals.at(-1)).toMatchObject({ idpId: "idp", step: "user" });
    expect((await service.login(asserted("twin", { DOMAIN: "red" }))).status).toBe(201);
    // With their domains in their ids they are two.
    const apart = { user: { id: "{1}/{0}", name: "{0}", domain: { name: "{1}" } } };
    await service.map([{ ...domained, local: [apart] }]);
    const twins = [];
    for (const name of domains)
      twins.push((await service.login(asserted("twin", { DOMAIN: name }))).body.token.user);
    expect(twins.map(({ name, domain }) => [name, domain.name])).toEqual([
      ["twin", "red"],
      ["twin", "blue"],
    ]);
    expect(twins[0].id).not.toBe(twins[1].id);
    await service.map([NAMED]);
  });
});
