/** Service providers. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { federationServer, type FederationServer } from "../federation/federation-server.js";
import { waitForStableRevision } from "../platform/database/stable-revision.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED } from "../feature-server.js";

const OS = "/v3/OS-FEDERATION/service_providers";
const ADDRESSES = { auth_url: "https://sp.example.com/v3/auth", sp_url: "https://sp.example.com/ECP" };

let service: FederationServer;
beforeEach(async () => {
  service = await federationServer(databases);
});
afterEach(() => service.close());

const put = (url: string, provider: object = {}) =>
  service.ask("PUT", url, { body: { service_provider: { ...ADDRESSES, ...provider } } });

describe(`service providers on ${databases.name}`, () => {
  it("are created with the given attributes, and returned with them", async () => {
    const made = await put(`${OS}/a`);
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toStrictEqual({
      service_provider: {
        ...ADDRESSES,
        id: "a",
        enabled: false,
        description: null,
        relay_state_prefix: "ss:mem:",
        links: { self: "http://127.0.0.1:5900/v3/OS-FEDERATION/service_providers/a" },
      },
    });
    expect((await service.ask("GET", `${OS}/a`)).body).toStrictEqual(made.body);
  });

  it.each(["javascript:alert(1)", "mailto:a@b", "ftp://example.com/", "data:text/html,x"])(
    "are not at %s",
    async (address) => {
      const message = (field: string) =>
        `Invalid input for field/attribute ${field}. Value: ${address}. An address begins with http: or https:`;
      for (const field of ["auth_url", "sp_url"]) {
        const { status, body } = await put(`${OS}/a`, { [field]: address });
        expect([status, body.error.message]).toStrictEqual([400, message(field)]);
      }
      await put(`${OS}/a`);
      const body = { service_provider: { auth_url: address } };
      expect((await service.ask("PATCH", `${OS}/a`, { body })).status).toBe(400);
    },
  );

  it.each([
    ["a line feed", "https://sp.example.com/\r\nx-injected: 1"],
    ["a tab", "https://sp.example.com/\t"],
    ["U+007F", "https://sp.example.com/\x7f"],
    ["a letter beyond ASCII", "https://sp.exämple.com/"],
    ["U+202E", "https://sp.example.com/\u202e"],
  ])("are not at an address with %s, which no header could carry", async (_, address) => {
    await put(`${OS}/a`);
    for (const field of ["auth_url", "sp_url"]) {
      const answers = [
        await put(`${OS}/b`, { [field]: address }),
        await service.ask("PATCH", `${OS}/a`, { body: { service_provider: { [field]: address } } }),
      ];
      for (const { status, body } of answers) {
        expect(status).toBe(400);
        expect(body.error.message).toContain(`Invalid input for field/attribute ${field}.`);
      }
    }
    expect((await service.ask("GET", `${OS}/b`)).status).toBe(404);
    expect((await service.ask("GET", `${OS}/a`)).body.service_provider).toMatchObject(ADDRESSES);
  });

  it.each(["/v3/EXT-FEDERATION", "/EXT-FEDERATION"])(
    "are replaced by a second PUT below %s",
    async (prefix) => {
      const url = `${prefix}/service_providers/a`;
      expect((await put(url, { enabled: true, description: "x", relay_state_prefix: "y" })).status).toBe(201);
      expect((await put(`${OS}/a`)).status).toBe(409);
      const second = await put(url, { sp_url: "http://new/" });
      expect(second.status).toBe(200);
      expect(second.body.service_provider).toStrictEqual({
        id: "a",
        auth_url: ADDRESSES.auth_url,
        sp_url: "http://new/",
        enabled: false,
        description: null,
        relay_state_prefix: "ss:mem:",
        links: { self: `http://127.0.0.1:5900${url}` },
      });
    },
  );

  it("are listed for tokens while they are enabled, as soon as that changes", async () => {
    const listed = async () => (await service.serviceProviders.listEnabled()).map(({ id }) => id);
    await put(`${OS}/b`, { enabled: true });
    await put(`${OS}/a`);
    expect(await service.serviceProviders.listEnabled()).toStrictEqual([{ id: "b", ...ADDRESSES }]);
    await service.ask("PATCH", `${OS}/a`, { body: { service_provider: { enabled: true } } });
    expect(await listed()).toStrictEqual(["a", "b"]);
    await service.ask("DELETE", `${OS}/b`);
    expect(await listed()).toStrictEqual(["a"]);
  });

  it("are cached for tokens until a change", async () => {
    await put(`${OS}/a`, { enabled: true });
    await waitForStableRevision(service.database);
    const first = await service.serviceProviders.listEnabled();
    expect(await service.serviceProviders.listEnabled()).toBe(first);
  });

  it.each([
    ["enabled=true", ["on"]],
    ["enabled=0", ["off"]],
    ["id__startswith=o", ["off", "on"]],
  ])("are found by %s", async (question, ids) => {
    await put(`${OS}/on`, { enabled: true });
    await put(`${OS}/off`);
    const { body } = await service.ask("GET", `${OS}?${question}`);
    expect(body.service_providers.map(({ id }: { id: string }) => id)).toStrictEqual(ids);
  });

  it("come in pages", async () => {
    for (const id of ["a", "b", "c"]) await put(`${OS}/${id}`);
    const { body } = await service.ask("GET", `${OS}?limit=2`);
    expect(body.service_providers).toHaveLength(2);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect(next.body.service_providers.map(({ id }: { id: string }) => id)).toStrictEqual(["c"]);
  });

  it("are read by administrators and readers of the system, and changed by administrators alone", async () => {
    await put(`${OS}/a`);
    for (const url of [OS, `${OS}/a`]) {
      expect((await service.ask("GET", url, { as: SYSTEM_READER })).status).toBe(200);
      expect((await service.ask("GET", url, { as: null })).status).toBe(401);
      expect((await service.ask("GET", url, { as: UNSCOPED })).status).toBe(403);
    }
    for (const [method, url] of [
      ["PUT", `${OS}/x`],
      ["PATCH", `${OS}/a`],
      ["DELETE", `${OS}/a`],
    ] as const)
      for (const as of [UNSCOPED, SYSTEM_READER, inDomain("default", "admin"), inProject("p", "d", "member")])
        expect((await service.ask(method, url, { as, body: { nothing: "valid" } })).status).toBe(403);
    const as = inProject("p", "default", "admin");
    expect((await service.ask("DELETE", `${OS}/a`, { as })).status).toBe(204);
  });
});
