/** Consumers of OAuth 1.0a. Expected responses are Keystone's unless a test states otherwise. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { CONSUMERS, oauth1Server, type OAuth1Server } from "./oauth1-server.js";

let server: OAuth1Server;
beforeAll(async () => {
  server = await oauth1Server(databases);
});
afterAll(() => server.close());

const create = (consumer: unknown) => server.ask("POST", CONSUMERS, { body: { consumer } });

describe(`consumers of OAuth 1.0a on ${databases.name}`, () => {
  it("show their secret once, which the service makes", async () => {
    const { status, body } = await create({ description: "mine", secret: "x", foo: "bar" });
    expect(status).toBe(201);
    const { id, secret } = body.consumer;
    const links = { self: expect.stringMatching(`${CONSUMERS}/${id}$`) };
    expect(body.consumer).toEqual({ id, secret, description: "mine", foo: "bar", links });
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(secret).toMatch(/^[0-9a-f]{32}$/);
    const shown = { id, description: "mine", foo: "bar", links };
    expect((await server.ask("GET", `${CONSUMERS}/${id}`)).body).toEqual({ consumer: shown });
    expect((await server.ask("GET", CONSUMERS)).body.consumers).toContainEqual(shown);
  });

  it("need no attributes, nor the member that holds them", async () => {
    for (const body of [{}, { consumer: {} }])
      expect(await server.ask("POST", CONSUMERS, { body })).toMatchObject({
        status: 201,
        body: { consumer: { description: null } },
      });
    for (const consumer of [null, { description: 5 }, "x"])
      expect(await create(consumer)).toMatchObject({ status: 400 });
  });

  it("change all but their secret", async () => {
    const { id } = (await create({ description: "old", foo: 1 })).body.consumer;
    const change = (consumer: object, key = id as string) =>
      server.ask("PATCH", `${CONSUMERS}/${key}`, { body: { consumer } });
    expect(await change({ description: "new", bar: 2 })).toMatchObject({
      status: 200,
      body: { consumer: { id, description: "new", foo: 1, bar: 2 } },
    });
    expect((await change({ description: "new" })).body.consumer).not.toHaveProperty("secret");
    expect((await change({ secret: "x" })).status).toBe(400);
    expect((await change({})).status).toBe(400);
    expect((await change({ description: "x" }, "f".repeat(32))).status).toBe(404);
  });

  it("are administrators' to write, and readers' of the system to read", async () => {
    const { id } = (await create({})).body.consumer;
    const alice = await server.member(["member"]);
    const admin = await server.member(["admin"]);
    const requests = [
      ["GET", CONSUMERS, undefined, 200],
      ["GET", `${CONSUMERS}/${id}`, undefined, 200],
      ["POST", CONSUMERS, { consumer: {} }, 201],
      ["PATCH", `${CONSUMERS}/${id}`, { consumer: { description: "x" } }, 200],
      ["DELETE", `${CONSUMERS}/${id}`, undefined, 204],
    ] as const;
    for (const [method, url, body, status] of requests) {
      const by = async (token: string) =>
        (await server.send(method, url, { token, ...(body && { body }) })).status;
      expect([method, await by("")]).toEqual([method, 401]);
      expect([method, await by(alice.token)]).toEqual([method, 403]);
      expect([method, await by(admin.token)]).toEqual([method, status]);
    }
    expect((await server.ask("DELETE", `${CONSUMERS}/${id}`)).status).toBe(404);
    expect((await server.ask("GET", `${CONSUMERS}/${id}`)).status).toBe(404);
  });
});
