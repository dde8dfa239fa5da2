/** Identity providers: behavior that the recordings of Keystone don't cover. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { federationServer, type FederationServer } from "../federation/federation-server.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED } from "../feature-server.js";

const OS = "/v3/OS-FEDERATION/identity_providers";
const EXTENSION = ["/v3/EXT-FEDERATION/identity_providers", "/EXT-FEDERATION/identity_providers"];

let service: FederationServer;
beforeEach(async () => {
  service = await federationServer(databases, ["default", "other"]);
});
afterEach(() => service.close());

const put = (url: string, provider: object = {}) =>
  service.ask("PUT", url, { body: { identity_provider: provider } });

describe(`identity providers on ${databases.name}`, () => {
  it("are made with a domain of their own, and come back so", async () => {
    const { status, body } = await put(`${OS}/a`);
    expect(status).toBe(201);
    const { domain_id: domainId } = body.identity_provider;
    expect(body).toStrictEqual({
      identity_provider: {
        id: "a",
        domain_id: domainId,
        enabled: false,
        description: null,
        remote_ids: [],
        authorization_ttl: null,
        links: { self: "http://127.0.0.1:5900/v3/OS-FEDERATION/identity_providers/a" },
      },
    });
    expect(await service.domainIds()).toContain(domainId);
    expect(await service.ask("GET", `${OS}/a`)).toMatchObject({ status: 200, body });
  });

  it("leave no domain behind when they are refused", async () => {
    await put(`${OS}/a`, { remote_ids: ["x"] });
    const before = await service.domainIds();
    const { status, body } = await put(`${OS}/b`, { remote_ids: ["y", "x"] });
    expect(status).toBe(409);
    expect(body.error.message).toBe(
      "Conflict occurred attempting to store identity_provider - Duplicate remote ID: x.",
    );
    expect(await service.domainIds()).toStrictEqual(before);
  });

  it("have remote ids without white space around them, so that no two differ by that alone", async () => {
    const { body } = await put(`${OS}/a`, { remote_ids: [" https://idp.example.org\n", "x y"] });
    expect(body.identity_provider.remote_ids).toStrictEqual(["https://idp.example.org", "x y"]);
    expect((await put(`${OS}/b`, { remote_ids: ["https://idp.example.org "] })).status).toBe(409);
    expect((await put(`${OS}/b`, { remote_ids: ["y", " y"] })).status).toBe(400);
    const change = { identity_provider: { remote_ids: ["\tz "] } };
    const changed = await service.ask("PATCH", `${OS}/a`, { body: change });
    expect(changed.body.identity_provider.remote_ids).toStrictEqual(["z"]);
  });

  it("have remote ids without invisible characters", async () => {
    const { status, body } = await put(`${OS}/a`, { remote_ids: ["https://idp.example.org\u200B"] });
    expect([status, body.error.message]).toStrictEqual([
      400,
      "Invalid input for field/attribute remote_ids. Value: https://idp.example.org\u200B. " +
        "It contains the format character U+200B",
    ]);
  });

  it("may be held to domains, which are shown, kept by other changes, and lifted by null", async () => {
    const ask = async (method: string, provider?: object) =>
      (await service.ask(method, `${OS}/a`, provider && { body: { identity_provider: provider } })).body
        .identity_provider as { authorized_domains?: unknown };
    expect((await put(`${OS}/a`, { authorized_domains: ["other", "default"] })).status).toBe(201);
    expect((await ask("GET")).authorized_domains).toStrictEqual(["other", "default"]);
    expect((await ask("PATCH", { enabled: true })).authorized_domains).toStrictEqual(["other", "default"]);
    expect((await ask("PATCH", { authorized_domains: [] })).authorized_domains).toStrictEqual([]);
    const { body } = await service.ask("GET", OS);
    expect(body.identity_providers[0].authorized_domains).toStrictEqual([]);
    expect(await ask("PATCH", { authorized_domains: null })).not.toHaveProperty("authorized_domains");
    expect(await ask("GET")).not.toHaveProperty("authorized_domains");
  });

  it("are held to no domain that does not exist", async () => {
    const refusal = [
      400,
      "Invalid input for field/attribute authorized_domains. Value: nowhere. The domain does not exist",
    ];
    const put400 = await put(`${OS}/a`, { authorized_domains: ["default", "nowhere"] });
    expect([put400.status, put400.body.error.message]).toStrictEqual(refusal);
    await put(`${OS}/a`, { authorized_domains: ["default"] });
    const body = { identity_provider: { authorized_domains: ["nowhere"] } };
    const patched = await service.ask("PATCH", `${OS}/a`, { body });
    expect([patched.status, patched.body.error.message]).toStrictEqual(refusal);
    expect((await put(`${OS}/b`, { authorized_domains: ["default", "default"] })).status).toBe(400);
    expect((await put(`${OS}/b`, { authorized_domains: "default" })).status).toBe(400);
  });

  it("have remote ids as long as the issuer of Entra ID, which Keystone rejects, and up to 255 characters", async () => {
    const entra = "https://login.microsoftonline.com/8eaef023-2b34-4da1-9baa-8bc8c9d6a490/v2.0";
    const remote_ids = [entra, `https://idp.example.org/${"x".repeat(231)}`];
    expect((await put(`${OS}/a`, { remote_ids })).body.identity_provider.remote_ids).toStrictEqual(
      remote_ids,
    );
    const { status, body } = await put(`${OS}/b`, { remote_ids: [`${remote_ids[1]}x`] });
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/field\/attribute 0\. .* is too long$/),
    ]);
  });

  it("keep the order of their remote ids, however many there are", async () => {
    const remote_ids = Array.from(
      { length: 10_000 },
      (_, index) => `https://idp${10_000 - index}.example.org`,
    );
    expect((await put(`${OS}/a`, { remote_ids })).status).toBe(201);
    expect((await service.ask("GET", `${OS}/a`)).body.identity_provider.remote_ids).toStrictEqual(remote_ids);
  });

  it("are shown with links of the prefix that is asked for", async () => {
    await put(`${OS}/a b`.replace(" ", "%20"));
    for (const prefix of [OS, ...EXTENSION]) {
      const { body } = await service.ask("GET", prefix);
      const self = `http://127.0.0.1:5900${prefix}/a%20b`;
      expect(body.identity_providers[0].links).toStrictEqual({ self, protocols: `${self}/protocols` });
      expect(body.links.self).toBe(`http://127.0.0.1:5900${prefix}`);
    }
  });

  it("are refused a second time below OS-FEDERATION", async () => {
    await put(`${OS}/a`, { description: "first" });
    expect((await put(`${OS}/a`, { description: "second" })).status).toBe(409);
    expect((await service.ask("GET", `${OS}/a`)).body.identity_provider.description).toBe("first");
  });

  it.each(EXTENSION)("are replaced as a whole by a second PUT below %s", async (prefix) => {
    const first = await put(`${prefix}/a`, { enabled: true, description: "x", remote_ids: ["1", "2"] });
    expect(first.status).toBe(201);
    const second = await put(`${prefix}/a`, { remote_ids: ["2", "3"], authorization_ttl: 5 });
    expect(second.status).toBe(200);
    expect(second.body.identity_provider).toMatchObject({
      domain_id: first.body.identity_provider.domain_id,
      enabled: false,
      description: null,
      remote_ids: ["2", "3"],
      authorization_ttl: 5,
    });
    expect((await service.ask("GET", `${prefix}/a`)).body).toStrictEqual(second.body);
    expect(service.ended).toStrictEqual([]);
  });

  it("are checked when they are replaced as when they are made", async () => {
    const [prefix = ""] = EXTENSION;
    await put(`${prefix}/a`);
    await put(`${prefix}/b`, { remote_ids: ["taken"] });
    expect((await put(`${prefix}/a`, { remote_ids: ["taken"] })).status).toBe(409);
    expect((await put(`${prefix}/a`, { domain_id: "nowhere" })).status).toBe(404);
    expect((await put(`${prefix}/a`, { nothing: "known" })).status).toBe(400);
  });

  it("end their users when they move to another domain", async () => {
    const [prefix = ""] = EXTENSION;
    await put(`${prefix}/a`, { domain_id: "default" });
    const { status, body } = await put(`${prefix}/a`, { domain_id: "other" });
    expect([status, body.identity_provider.domain_id]).toStrictEqual([200, "other"]);
    expect(service.tokensRevoked).toStrictEqual(["user of a", { identityProviderId: "a" }]);
  });

  it("end their protocols, users and tokens with them", async () => {
    const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "REMOTE_USER" }] }];
    await service.ask("PUT", "/v3/OS-FEDERATION/mappings/m", { body: { mapping: { rules } } });
    await put(`${OS}/a`);
    await service.ask("PUT", `${OS}/a/protocols/p`, { body: { protocol: { mapping_id: "m" } } });
    const before = service.database.revision("revocations");
    expect((await service.ask("DELETE", `${OS}/a`)).status).toBe(204);
    expect((await service.ask("GET", `${OS}/a/protocols/p`)).status).toBe(404);
    expect(service.ended).toStrictEqual([{ identityProviderId: "a" }]);
    expect(service.tokensRevoked).toStrictEqual(["user of a", { identityProviderId: "a" }]);
    expect(service.database.revision("revocations")).not.toBe(before);
  });

  it.each([
    ["enabled=true", ["on"]],
    ["enabled=no", ["off"]],
    ["enabled", ["on"]],
    ["enabled=true&enabled=false", []],
    ["id=on", ["on"]],
    ["id__icontains=F", ["off"]],
    ["enabled=false&id=on", []],
  ])("are found by %s", async (question, ids) => {
    await put(`${OS}/on`, { enabled: true });
    await put(`${OS}/off`);
    const { body } = await service.ask("GET", `${OS}?${question}`);
    expect(body.identity_providers.map(({ id }: { id: string }) => id)).toStrictEqual(ids);
  });

  it("come in pages, each with all their remote ids", async () => {
    for (const id of ["a", "b", "c"]) await put(`${OS}/${id}`, { remote_ids: [`${id}1`, `${id}2`] });
    const { body } = await service.ask("GET", `${OS}?limit=2`);
    const found = body.identity_providers as { id: string; remote_ids: string[] }[];
    expect(found.map(({ remote_ids }) => remote_ids)).toStrictEqual([
      ["a1", "a2"],
      ["b1", "b2"],
    ]);
    expect(body.truncated).toBe(true);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect(next.body.identity_providers.map(({ id }: { id: string }) => id)).toStrictEqual(["c"]);
  });

  it("are read by administrators and readers of the system, and changed by administrators alone", async () => {
    await put(`${OS}/a`);
    const changes = [
      ["PUT", `${OS}/x`],
      ["PATCH", `${OS}/a`],
      ["POST", `${OS}/a/end_sessions`],
      ["DELETE", `${OS}/a`],
    ] as const;
    for (const url of [OS, `${OS}/a`]) {
      expect((await service.ask("GET", url, { as: SYSTEM_READER })).status).toBe(200);
      expect((await service.ask("GET", url, { as: null })).status).toBe(401);
    }
    for (const as of [UNSCOPED, inDomain("default", "admin"), inProject("p", "default", "member")])
      for (const [method, url] of [["GET", OS], ["GET", `${OS}/a`], ...changes] as const)
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    for (const [method, url] of changes)
      expect((await service.ask(method, url, { as: SYSTEM_READER, body: {} })).status).toBe(403);
    const as = inProject("p", "default", "admin");
    for (const prefix of [OS, ...EXTENSION]) {
      expect((await service.ask("POST", `${prefix}/a/end_sessions`, { as: null })).status).toBe(401);
      expect((await service.ask("POST", `${prefix}/a/end_sessions`, { as })).status).toBe(204);
    }
    expect((await service.ask("DELETE", `${OS}/a`, { as })).status).toBe(204);
  });
});
