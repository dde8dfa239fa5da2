/** Two replicas, and many changes at once: tokens end on both, and no change of a group is lost. */
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { operations, scimServer, type ScimServer } from "./scim-server.js";

let service: ScimServer;
beforeAll(async () => {
  service = await scimServer(databases, { replicas: 2 });
});
afterAll(() => service.close());

const other = (replica: number) => 1 - replica;
const replicas = [0, 1] as const;
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const deactivation = operations({ op: "Replace", path: "active", value: "False" });
const membersOf = async (id: string): Promise<string[]> =>
  (await service.push("GET", `/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value);

describe(`two replicas on ${databases.name}`, () => {
  it("accept no token of a deactivated user a second later, whichever of them was told", async () => {
    const users = await Promise.all(
      numbers(10).map(async (number) => {
        const id = await service.pushUser(`leaver-${number}`);
        const { token } = await service.logIn(`leaver-${number}`, { replica: number % 2 });
        // Both have the token in their caches.
        for (const replica of replicas) expect(await service.isValid(token, replica)).toBe(true);
        return { id, token, replica: number % 2 };
      }),
    );
    const stays = await service.pushUser("stays");
    const { token: kept } = await service.logIn("stays");
    // One of them is refused, and takes none of the others with it.
    const statuses = await Promise.all([
      ...users.map(async ({ id, token, replica }) => {
        const { status } = await service.push("PATCH", `/Users/${id}`, deactivation, { replica });
        expect(await service.isValid(token, replica)).toBe(false);
        return status;
      }),
      service
        .push("PATCH", `/Users/${stays}`, deactivation, { headers: { "if-match": 'W/"7"' } })
        .then(({ status }) => status),
      service.push("PATCH", "/Users/nobody", deactivation).then(({ status }) => status),
    ]);
    expect(statuses).toEqual([...users.map(() => 200), 412, 404]);
    await delay(1000);
    for (const { token, replica } of users) expect(await service.isValid(token, other(replica))).toBe(false);
    for (const replica of replicas) expect(await service.isValid(kept, replica)).toBe(true);
  });

  it("lose no member of one group whose members both change at once", async () => {
    const ids = await Promise.all(numbers(24).map((number) => service.pushUser(`member-${number}`)));
    const [removed, added] = [ids.slice(0, 12), ids.slice(12)];
    const group = await service.pushGroup("busy", removed);
    const answers = await Promise.all([
      ...added.map((value, at) =>
        service.push(
          "PATCH",
          `/Groups/${group}`,
          operations({ op: "Add", path: "members", value: [{ value }] }),
          { replica: at % 2 },
        ),
      ),
      ...removed.map((value, at) =>
        service.push(
          "PATCH",
          `/Groups/${group}`,
          operations({ op: "Remove", path: `members[value eq "${value}"]` }),
          { replica: at % 2 },
        ),
      ),
      service.push(
        "PATCH",
        `/Groups/${group}`,
        operations({ op: "Add", path: "members", value: [{ value: "nobody" }] }),
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([...ids.map(() => 204), 400]);
    expect((await membersOf(group)).toSorted()).toEqual(added.toSorted());
    // Each change has a version of its own.
    const versions = answers.flatMap(({ headers }) => (headers["etag"] as string | undefined) ?? []);
    expect(new Set(versions).size).toBe(24);
    expect((await service.push("GET", `/Groups/${group}`)).headers["etag"]).toBe('W/"25"');
  });

  it("accept one of several changes that demand the same version", async () => {
    const group = await service.pushGroup("contended");
    const answers = await Promise.all(
      numbers(6).map((number) =>
        service.push(
          "PATCH",
          `/Groups/${group}`,
          operations({ op: "replace", path: "displayName", value: `contended ${number}` }),
          { replica: number % 2, headers: { "if-match": 'W/"1"' } },
        ),
      ),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual([
      "204",
      ...numbers(5).map(() => "412"),
    ]);
  });
});
