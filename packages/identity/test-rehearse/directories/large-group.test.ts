/** A group of 10,000 in a directory: its pages, its whole list and the roles of its members, without a long turn of the event loop. */
import { createHash } from "node:crypto";

import { afterAll, beforeAll, expect, it } from "vitest";

import { watchTurns } from "../../test/cpu-time.js";
import { sqliteDatabases } from "../../test/databases.js";
import {
  directoryCloud,
  DOMAIN,
  group,
  person,
  UNITS,
  type DirectoryCloud,
} from "../../test-system/directories/directory-cloud.js";

const MEMBERS = 10_000;
const PAGE = 500;
const MAX_LIST_MS = 5000;
const MAX_TURN_MS = 50;

const GROUP = createHash("sha256").update(`${DOMAIN}groupall`).digest("hex");

let cloud: DirectoryCloud;
beforeAll(async () => {
  const names = Array.from({ length: MEMBERS }, (_, index) => `user${index}`);
  const dns = names.map((name) => `uid=${name},ou=People,dc=test`);
  const entries = [...names.map((name) => person(name)), group("all", dns)];
  cloud = await directoryCloud(sqliteDatabases, { ldif: [UNITS, ...entries].join("\n") });
  await cloud.configure();
  await cloud.ask("GET", `/groups?domain_id=${DOMAIN}`);
});
afterAll(() => cloud.close());

it.each([
  ["in pages", `/groups/${GROUP}/users?limit=${PAGE}`, MEMBERS / PAGE],
  ["in one list", `/groups/${GROUP}/users`, 1],
  ["by a name", `/groups/${GROUP}/users?name=user77`, 1],
])("has its members read %s", async (how, start, pages) => {
  const turns = watchTurns();
  // Once more: compiling is in the first alone.
  const longest: number[] = [];
  const seen = new Set<string>();
  let count = 0;
  let ms = 0;
  for (let run = 0; run < 2; run++) {
    [count, ms] = [0, 0];
    turns.longestMs();
    for (let path = start; path !== ""; count++) {
      const reply = await cloud.ask("GET", path);
      expect(reply.status).toBe(200);
      ms += reply.ms;
      for (const { id } of reply.body.users as { id: string }[]) seen.add(id);
      path = reply.body.links.next === null ? "" : reply.body.links.next.replace(/^.*\/v3/, "");
    }
    longest.push(turns.longestMs());
  }
  turns.stop();
  const turn = Math.min(...longest);
  process.stdout.write(
    `${MEMBERS} members ${how}: ${ms.toFixed(0)} ms, longest turn ${turn.toFixed(0)} ms\n`,
  );
  expect([count, seen.size]).toEqual([pages, how === "by a name" ? 1 : MEMBERS]);
  expect(ms).toBeLessThan(MAX_LIST_MS);
  expect(turn).toBeLessThan(MAX_TURN_MS);
});

it("gives its members the roles that it has", async () => {
  const [role] = (await cloud.ask("GET", "/roles?name=reader")).body.roles;
  await cloud.ask("PUT", `/domains/${DOMAIN}/groups/${GROUP}/roles/${role.id}`);
  const turns = watchTurns();
  const path = `/role_assignments?effective&scope.domain.id=${DOMAIN}`;
  const { body, ms } = await cloud.ask("GET", path);
  const turn = turns.longestMs();
  turns.stop();
  process.stdout.write(
    `roles of ${MEMBERS} members: ${ms.toFixed(0)} ms, longest turn ${turn.toFixed(0)} ms\n`,
  );
  expect(body.role_assignments).toHaveLength(MEMBERS);
  expect(turn).toBeLessThan(MAX_TURN_MS);
});
