/** Users and groups of a directory that are seen for the first time by many requests at once, on two replicas. */
import { createHash } from "node:crypto";

import { expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import { directoryCloud, DOMAIN, group, person, UNITS } from "./directory-cloud.js";

const USERS = Array.from({ length: 12 }, (_, index) => `user${index}`);
const GROUPS = Array.from({ length: 10 }, (_, index) => `group${index}`);

const publicId = (uid: string) => createHash("sha256").update(`${DOMAIN}user${uid}`).digest("hex");

it.each([sqliteDatabases, postgresDatabases])("are all found, on $name", async (databases) => {
  const members = USERS.map((uid) => `uid=${uid},ou=People,dc=test`);
  const ldif = [
    UNITS,
    ...USERS.map((uid) => person(uid)),
    ...GROUPS.map((name) => group(name, members)),
  ].join("\n");
  const cloud = await directoryCloud(databases, { ldif, replicas: 2 });
  try {
    await cloud.configure();
    const logins = USERS.flatMap((uid) => [0, 1].map((at) => cloud.enter(uid, `pw-${uid}`, { at })));
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(logins.map(() => 201));
    // Each finds all groups.
    const paths = [`/groups?domain_id=${DOMAIN}`, ...USERS.map((uid) => `/users/${publicId(uid)}/groups`)];
    const asked = [0, 1].flatMap((at) => paths.map((path) => cloud.ask("GET", path, { at })));
    for (const { status, body } of await Promise.all(asked))
      expect([status, body.groups?.length]).toEqual([200, GROUPS.length]);
  } finally {
    await cloud.close();
  }
});
