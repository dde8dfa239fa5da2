/** Events: which changes are told to receivers, by whom, in which order, and that none is lost or made up. */
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { createEventStore } from "../../src/events/event-log.js";
import { readConfig } from "../../src/config.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { databases } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";
import { eventService, startWebhook } from "./event-service.js";

const removals: (() => unknown)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

async function service(
  ...given: Parameters<typeof eventService> extends [unknown, ...infer Rest] ? Rest : never
) {
  const started = await eventService(databases, ...given);
  removals.push(() => started.remove());
  return started;
}

const PUBLISH_ALL = { IDENTITY_EVENTS_OPT_OUT: "none" };
const userOf = (name: string, password = "Secret-1-pw") => ({
  user: { name, domain_id: "default", password },
});

describe(`events on ${databases.name}`, () => {
  it("tell of changes in order, with who made them, by which request", async () => {
    const { ask, eventsOnce } = await service(1);
    const user = await ask("POST", "/users", { body: userOf("ada") });
    const { id } = user.body.user as { id: string };
    await ask("PATCH", `/users/${id}`, { body: { user: { description: "x" } } });
    await ask("DELETE", `/users/${id}`);
    const events = await eventsOnce(3);
    expect(events.map(({ type, resource }) => [type, resource?.id])).toEqual([
      ["identity.user.created", id],
      ["identity.user.updated", id],
      ["identity.user.deleted", id],
    ]);
    expect(events[0]?.initiator).toMatchObject({
      user_name: "admin",
      address: "127.0.0.1",
      agent: "test/1",
      request_id: user.headers["x-openstack-request-id"],
    });
  });

  it("tell of members, tags, grants and the domain of a provider as Keystone does", async () => {
    const { ask, eventsOnce } = await service(1);
    const make = async (path: string, name: string, more: object = {}) =>
      (await ask("POST", path, { body: { [name]: { name: "one", ...more } } })).body[name].id as string;
    const project = await make("/projects", "project", { domain_id: "default" });
    const group = await make("/groups", "group", { domain_id: "default" });
    const role = await make("/roles", "role");
    const { body } = await ask("POST", "/users", { body: userOf("ada") });
    const user = body.user.id as string;
    await ask("PUT", `/groups/${group}/users/${user}`);
    await ask("PUT", `/projects/${project}/tags/blue`);
    await ask("PUT", `/projects/${project}/users/${user}/roles/${role}`);
    expect((await ask("DELETE", `/projects/${project}/groups/${group}/roles/${role}`)).status).toBe(404);
    await ask("PUT", `/system/users/${user}/roles/${role}`);
    await ask("PUT", "/OS-FEDERATION/identity_providers/idp", { body: { identity_provider: {} } });
    const events = (await eventsOnce(10)).slice(4);
    expect(events).toMatchObject([
      { type: "identity.group.updated", member: { user_id: user, operation: "added" } },
      { type: "identity.project.updated", resource: { id: project } },
      { type: "identity.project tag.created", resource: { id: "blue" } },
      {
        type: "identity.role_assignment.created",
        outcome: "success",
        grant: { role_id: role, user_id: user, project_id: project, inherited: false },
      },
      { type: "identity.role_assignment.deleted", outcome: "failure", grant: { group_id: group } },
      { type: "identity.domain.created" },
    ]);
    expect(events).toHaveLength(6);
  });

  it("are not told of what failed or was rolled back", async () => {
    const { ask, eventsOnce } = await service(1);
    await ask("POST", "/users", { body: userOf("ada") });
    expect((await ask("POST", "/users", { body: userOf("ada") })).status).toBe(409);
    expect((await ask("POST", "/projects", { body: { project: {} } })).status).toBe(400);
    expect((await ask("DELETE", "/groups/none")).status).toBe(404);
    await ask("POST", "/regions", { body: { region: { id: "last" } } });
    const events = await eventsOnce(2);
    expect(events.map(({ type }) => type)).toEqual(["identity.user.created", "identity.region.created"]);

    const place = await migratedDatabase(databases);
    const config = readConfig({ IDENTITY_DATABASE_URL: place.url, IDENTITY_EVENTS_FILE: "unused" });
    const database = openDatabase(place.url, { eventStore: createEventStore(config, systemClock) });
    removals.push(async () => {
      await database.close();
      await place.remove();
    });
    const failing = database.transaction(async (transaction) => {
      transaction.publish({ resource: "user", operation: "deleted", id: "none" });
      throw new Error("given up");
    });
    await expect(failing).rejects.toThrow("given up");
    const { rows } = await sql`select id from service_event`.execute(database.tables());
    expect(rows).toEqual([]);
  });

  it("tell of logins by password, without names that no user has", async () => {
    const { ask, logIn, eventsOnce, text } = await service(1, { env: PUBLISH_ALL });
    const before = (await eventsOnce(1)).length;
    await ask("POST", "/users", { body: userOf("ada") });
    await ask("POST", "/auth/tokens", { body: logIn("ada", "Secret-1-pw") });
    await ask("POST", "/auth/tokens", { body: logIn("ada", "Wrong-1-pw") });
    await ask("POST", "/auth/tokens", { body: logIn("my-secret-password", "x") });
    const events = (await eventsOnce(before + 4)).slice(before + 1);
    expect(events.map(({ type, outcome, user }) => [type, outcome, user])).toEqual([
      ["identity.authenticate", "success", { id: expect.any(String) as string, name: "ada" }],
      ["identity.authenticate", "failure", { id: expect.any(String) as string, name: "ada" }],
      ["identity.authenticate", "failure", { domain_id: "default" }],
    ]);
    expect(await text()).not.toContain("my-secret-password");
  });

  it("are left out by the names of IDENTITY_EVENTS_OPT_OUT, successful logins by default", async () => {
    const standard = await service(1);
    await standard.ask("POST", "/auth/tokens", { body: standard.logIn("admin", "wrong") });
    expect((await standard.eventsOnce(1)).map(({ type, outcome }) => [type, outcome])).toEqual([
      ["identity.authenticate", "failure"],
    ]);
    const chosen = await service(1, { env: { IDENTITY_EVENTS_OPT_OUT: "identity.region.created" } });
    await chosen.ask("POST", "/regions", { body: { region: { id: "one" } } });
    await chosen.ask("DELETE", "/regions/one");
    expect((await chosen.eventsOnce(2)).map(({ type }) => type)).toEqual([
      "identity.authenticate",
      "identity.region.deleted",
    ]);
  });

  it("of two replicas come once each, those of one subject in order, also when the one that sends ends", async () => {
    const { ask, eventsOnce, replicas } = await service(2);
    const made = await ask("POST", "/projects", { body: { project: { name: "one", domain_id: "default" } } });
    const path = `/projects/${made.body.project.id as string}`;
    const change = (index: number, replica: number) =>
      ask("PATCH", path, { body: { project: { description: String(index) } }, replica });
    for (let index = 0; index < 20; index += 1) await change(index, index % 2);
    await replicas.apps[0]?.close();
    for (let index = 0; index < 10; index += 1) await change(index, 1);
    await ask("DELETE", path, { replica: 1 });
    const events = await eventsOnce(32);
    expect(new Set(events.map(({ id }) => id)).size).toBe(32);
    expect(events.at(0)?.type).toBe("identity.project.created");
    expect(events.at(-1)?.type).toBe("identity.project.deleted");
  });

  it("wait for a receiver that fails, while others go on, and reach it signed and in order", async () => {
    const secret = "a-secret-of-the-webhook";
    const webhook = await startWebhook(secret, [500, 503]);
    removals.push(() => webhook.close());
    const { ask, eventsOnce } = await service(1, {
      env: {
        IDENTITY_EVENTS_WEBHOOK_URL: webhook.url,
        IDENTITY_EVENTS_WEBHOOK_SECRET: secret,
        IDENTITY_EVENTS_WEBHOOK_NETWORKS: "127.0.0.1",
      },
    });
    for (let index = 0; index < 5; index += 1)
      await ask("POST", "/regions", { body: { region: { id: `r${index}` } } });
    const written = await eventsOnce(5);
    const posted = await expect
      .poll(() => webhook.batches.flatMap(({ events }) => events), { timeout: 10_000 })
      .toHaveLength(5)
      .then(() => webhook.batches);
    expect(posted.every(({ isSigned }) => isSigned)).toBe(true);
    expect(posted.flatMap(({ events }) => events)).toEqual(written);
  });

  it("are not stored where no one receives them", async () => {
    const { ask, replicas } = await service(1, { env: { IDENTITY_EVENTS_FILE: "" } });
    await ask("POST", "/regions", { body: { region: { id: "one" } } });
    const { rows } = await sql`select id from service_event`.execute(
      (replicas.apps[0] as App).database.tables(),
    );
    expect(rows).toEqual([]);
  });
});
