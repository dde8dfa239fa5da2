/** The events of what an identity provider pushes by SCIM. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { insertServiceEvents } from "../../src/events/event-store.js";
import { databases } from "../databases.js";
import { GROUP, operations, scimServer, USER, type ScimServer } from "./scim-server.js";

interface Recorded {
  readonly event: Readonly<Record<string, unknown>>;
  readonly initiator?: { readonly requestId: string };
}

let service: ScimServer;
beforeAll(async () => {
  // The events stay in the database: the receiver never takes them.
  service = await scimServer(databases, {
    env: { IDENTITY_EVENTS_WEBHOOK_URL: "https://192.0.2.1/", IDENTITY_EVENTS_OPT_OUT: "none" },
  });
});
afterAll(() => service.close());

const stored = async (): Promise<Recorded[]> => {
  const order = databases.name === "SQLite" ? sql`rowid` : sql`written_at, ordinal`;
  const { rows } = await sql<{ record: string }>`select record from service_event order by ${order}`.execute(
    service.database.tables(),
  );
  return rows.map(({ record }) => JSON.parse(record) as Recorded);
};

/** The events of some requests. */
async function during(work: () => Promise<unknown>): Promise<Recorded[]> {
  const before = (await stored()).length;
  await work();
  return (await stored()).slice(before);
}
const shown = (events: readonly Recorded[]) => events.map(({ event }) => event);
const userEvent = (operation: string, id: string) => ({ resource: "user", operation, id });
const groupEvent = (operation: string, id: string) => ({ resource: "group", operation, id });
const memberEvent = (id: string, userId: string, operation: "added" | "removed") => ({
  ...groupEvent("updated", id),
  member: { userId, operation },
});

describe(`events of SCIM on ${databases.name}`, () => {
  it("tell of users who are pushed, changed, deactivated and deleted, once and with their request", async () => {
    let id = "";
    const made = await during(async () => {
      id = await service.pushUser("ada", { title: "Dr." });
    });
    expect(shown(made)).toEqual([userEvent("created", id)]);
    expect(made[0]?.initiator?.requestId).toMatch(/^req-/);
    const change = (...all: object[]) => service.push("PATCH", `/Users/${id}`, operations(...all));
    const deactivation = { op: "replace", path: "active", value: false };
    for (const operation of [
      { op: "replace", path: "title", value: "Prof." },
      { op: "replace", path: "displayName", value: "Ada" },
      deactivation,
    ])
      expect(shown(await during(() => change(operation)))).toEqual([userEvent("updated", id)]);
    // What changes nothing, and what is refused.
    expect(await during(() => change(deactivation))).toEqual([]);
    expect(await during(() => change({ op: "replace", path: "userName", value: "" }))).toEqual([]);
    const again = () => service.push("POST", "/Users", { schemas: [USER], userName: "ADA" });
    expect(await during(again)).toEqual([]);
    expect(shown(await during(() => service.push("DELETE", `/Users/${id}`)))).toEqual([
      userEvent("deleted", id),
    ]);
  });

  it("tell of changes that share a transaction, each with its own request", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `together-${index}`);
    const ids = await Promise.all(names.map((name) => service.pushUser(name)));
    const off = operations({ op: "replace", path: "active", value: false });
    const events = await during(() =>
      Promise.all(ids.map((id) => service.push("PATCH", `/Users/${id}`, off))),
    );
    expect(new Set(events.map(({ event }) => event["id"]))).toEqual(new Set(ids));
    expect(new Set(events.map(({ initiator }) => initiator?.requestId)).size).toBe(12);
  });

  it("tell of groups and of each member who joins or leaves", async () => {
    const [one, two, three] = [
      await service.pushUser("one"),
      await service.pushUser("two"),
      await service.pushUser("three"),
    ];
    let id = "";
    const made = await during(async () => {
      id = await service.pushGroup("crew", [one, two]);
    });
    expect(shown(made)).toEqual([
      groupEvent("created", id),
      memberEvent(id, one, "added"),
      memberEvent(id, two, "added"),
    ]);
    const change = (...all: object[]) => service.push("PATCH", `/Groups/${id}`, operations(...all));
    const add = { op: "add", path: "members", value: [{ value: two }, { value: three }] };
    expect(shown(await during(() => change(add)))).toEqual([memberEvent(id, three, "added")]);
    expect(await during(() => change(add))).toEqual([]);
    const remove = { op: "remove", path: `members[value eq "${one}"]` };
    expect(shown(await during(() => change(remove)))).toEqual([memberEvent(id, one, "removed")]);
    const name = { op: "replace", path: "displayName", value: "Crew" };
    expect(shown(await during(() => change(name)))).toEqual([groupEvent("updated", id)]);
    const external = { op: "replace", path: "externalId", value: "g-1" };
    expect(shown(await during(() => change(external)))).toEqual([groupEvent("updated", id)]);
    const replaced = { schemas: [GROUP], displayName: "Crew", members: [{ value: one }] };
    const events = shown(await during(() => service.push("PUT", `/Groups/${id}`, replaced)));
    expect(new Set(events)).toEqual(
      new Set([
        memberEvent(id, one, "added"),
        memberEvent(id, two, "removed"),
        memberEvent(id, three, "removed"),
      ]),
    );
    expect(shown(await during(() => service.push("DELETE", `/Groups/${id}`)))).toEqual([
      groupEvent("deleted", id),
    ]);
  });

  it("tell of logins, and not of the user whom a login creates, as in Keystone", async () => {
    const events = shown(await during(() => service.logIn("new-by-login")));
    expect(events).toMatchObject([{ login: "federated", outcome: "success" }]);
    expect(events).toHaveLength(1);
    const [id] = (events as { federation: { userId: string } }[]).map(({ federation }) => federation.userId);
    const adopted = await during(() => service.pushUser("new-by-login"));
    expect(shown(adopted)).toEqual([userEvent("updated", id ?? "")]);
  });

  it("are stored however many a transaction has", async () => {
    const events = Array.from({ length: 12_000 }, (_, index) => ({
      id: `many-${index}`,
      at: 1,
      type: "identity.user.deleted",
      record: { event: { resource: "user", operation: "deleted", id: String(index) } as const },
    }));
    const added = await during(() =>
      service.database.transaction((transaction) =>
        insertServiceEvents(transaction, events, service.database.kind),
      ),
    );
    expect(added.map(({ event }) => event["id"])).toEqual(events.map((_, index) => String(index)));
  });
});
