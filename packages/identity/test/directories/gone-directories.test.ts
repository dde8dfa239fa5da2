/** Effective roles of groups whose directory is gone, or that their directory has no more. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createAssignmentService } from "../../src/assignments/assignment-service.js";
import { createCheckedUsers } from "../../src/directories/checked-users.js";
import type { DirectoryReader } from "../../src/directories/directory-reader.js";
import { createDirectoryService } from "../../src/directories/directory-service.js";
import type { DomainDriver } from "../../src/directories/domain-drivers.js";
import type { GroupEntry, UserEntry } from "../../src/directories/entries.js";
import { insertMappings, mappingOf } from "../../src/directories/id-mapping-store.js";
import { insertGrant } from "../../src/grants/grant-store.js";
import { databases } from "../databases.js";
import { roleFixture, type RoleFixture } from "../roles/role-fixture.js";

const GROUP = mappingOf("d1", "group", "staff");
const ANN = mappingOf("d1", "user", "ann").publicId;
const RECHECK_MS = 60_000;

function entryOf(localId: string): UserEntry {
  return {
    dn: `uid=${localId},dc=test`,
    localId,
    name: localId,
    description: undefined,
    enabled: true,
    email: undefined,
    defaultProjectId: undefined,
  };
}

const staff = { ...entryOf("staff"), entry: {} } as unknown as GroupEntry;

let fixture: RoleFixture;
let now: number;
/** Whether the directory has the group. */
let hasGroup: boolean;
const drivers = new Map<string, DomainDriver>();
beforeEach(async () => {
  fixture = await roleFixture(databases);
  now = 1_000_000;
  hasGroup = true;
  openDirectory();
  const roleId = await fixture.role("reader");
  await fixture.database.transaction(async (transaction) => {
    await insertMappings(transaction, [GROUP]);
    await insertGrant(transaction, {
      actor: { groupId: GROUP.publicId },
      target: { kind: "project", projectId: "p" },
      roleId,
      isInherited: false,
    });
  });
});
afterEach(() => fixture.close());

/** One domain has a directory with a user and a group. */
function openDirectory(): void {
  const reader: Partial<DirectoryReader> = {
    groupById: async () => (hasGroup ? staff : undefined),
    groupsOf: async () => (hasGroup ? [staff] : []),
    eachMember: (_group, onUsers) => onUsers([entryOf("ann")]),
    userById: async () => entryOf("ann"),
  };
  drivers.set("d1", {
    domainId: "d1",
    isDefault: false,
    checked: createCheckedUsers(),
    reader: () => reader as DirectoryReader,
  });
}

/** A replica whose caches are empty. @returns The ids of users with effective roles. */
function replica({ usesDirectories = true } = {}) {
  const { database } = fixture;
  const clock = { now: () => now };
  const directories = createDirectoryService({
    database,
    clock,
    drivers: { read: async () => drivers },
    domainConfigs: { listLimitOf: async () => undefined, usesDirectories },
    recheckMs: RECHECK_MS,
  });
  const assignments = createAssignmentService({
    database,
    clock,
    users: {
      async getUser(id, options) {
        const answer = await directories.findUser({ id }, { isFresh: true, ...options });
        if (answer?.item === undefined) throw new Error("unknown");
        return answer.item;
      },
    },
    projects: { getProject: async () => undefined } as never,
    refreshGrantedGroups: (targetIds) => directories.refreshGrantedGroups(targetIds),
  });
  return async (userId?: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const slice of assignments.listEffective({ userId }))
      for (const { actor } of slice) if ("userId" in actor) found.push(actor.userId);
    return found;
  };
}

describe(`effective roles of a directory's groups on ${databases.name}`, () => {
  it("end with the directory of the domain, and are back with it at once", async () => {
    const effective = replica();
    expect(await effective()).toEqual([ANN]);
    drivers.clear();
    expect(await effective()).toEqual([]);
    openDirectory();
    expect(await effective()).toEqual([ANN]);
  });

  it("end while another domain has a directory", async () => {
    const effective = replica();
    expect(await effective()).toEqual([ANN]);
    drivers.set("d2", { ...(drivers.get("d1") as DomainDriver), domainId: "d2" });
    drivers.delete("d1");
    expect(await effective()).toEqual([]);
  });

  it("stay with the rows where domains may have no directories, as with Keystone", async () => {
    expect(await replica()()).toEqual([ANN]);
    drivers.clear();
    expect(await replica({ usesDirectories: false })()).toEqual([ANN]);
  });

  it("end with the group in the directory, when it is asked again", async () => {
    const effective = replica();
    expect(await effective()).toEqual([ANN]);
    hasGroup = false;
    now += RECHECK_MS;
    expect(await effective()).toEqual([]);
  });

  it("of one user are those of the groups that the directory names now", async () => {
    const effective = replica();
    expect(await effective()).toEqual([ANN]);
    expect(await effective(ANN)).toEqual([ANN]);
    hasGroup = false;
    expect(await effective(ANN)).toEqual([]);
  });
});
