/** Logins of one user at the same time: how often a plan is made and applied. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createLoginWriter, type DesiredUser } from "../../../src/federation/mapped/login-plan.js";
import type { Database, Queries, Topic } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { ForeignUserError } from "../../../src/users/federated/shadow-users.js";

const DESIRED: DesiredUser = {
  user: {
    idpId: "acme",
    protocolId: "saml2",
    uniqueId: "kim",
    name: "kim",
    email: undefined,
    domainId: "d",
    isDomainFixed: true,
    groupIds: [],
    groupsLifetimeMs: 0,
  },
  references: {
    domainId: "d",
    groupIds: [],
    projects: [],
    isComplete: true,
    missingGroups: [],
    unusableNames: [],
  },
  hasExactProjects: false,
  deadline: 1000,
};

let database: Database;
beforeEach(() => {
  database = openDatabase("sqlite::memory:");
});
afterEach(() => database.close());

interface Step {
  readonly isNew: boolean;
  /** Without any, the plan has nothing to write. */
  readonly changes?: readonly Topic[];
  readonly run?: () => Promise<void>;
}

const EFFECT = { action: "update", resource: "user" } as const;

/** The logins of a user, whose plan a function makes; `plans` records where. */
function loginOf(makePlan: (isInTransaction: boolean, count: number) => Step) {
  const unexpected = async () => {
    throw new Error("unexpected");
  };
  const plans: ("before" | "within")[] = [];
  const login = createLoginWriter({
    database,
    clock: { now: () => 1000 },
    newId: () => "id",
    revocations: { positionIn: unexpected },
    shadowUsers: {
      plan: async (queries: Queries) => {
        plans.push(queries === database ? "before" : "within");
        const { isNew, changes, run = async () => {} } = makePlan(queries !== database, plans.length);
        return {
          userId: "kim",
          isNew,
          steps: changes ? [{ effect: EFFECT, changes, run }] : [],
          validUntil: 2000,
        };
      },
    },
    projects: { findProjectsIn: unexpected, createProjectIn: unexpected },
    grants: { projectGrantsOf: unexpected, grantIn: unexpected, revokeIn: unexpected },
  });
  return { plans, login: () => login(DESIRED) };
}

describe("a federated login", () => {
  it("of a known user writes nothing if nothing changed", async () => {
    const { plans, login } = loginOf(() => ({ isNew: false }));
    expect(await login()).toMatchObject({ userId: "kim", validUntil: 2000 });
    expect(plans).toEqual(["before"]);
  });

  it("of a new user applies its plan without reading in the transaction", async () => {
    const { plans, login } = loginOf(() => ({ isNew: true, changes: [] }));
    await login();
    expect(plans).toEqual(["before"]);
  });

  it("of a new user whom another login creates first is planned again, then in the transaction", async () => {
    const { plans, login } = loginOf((_, count) => ({
      isNew: true,
      changes: [],
      run: async () => {
        if (count === 1)
          throw new ForeignUserError({ wanted: { uniqueId: "u", domainId: "d" }, domainId: "d", idpIds: [] });
      },
    }));
    await login();
    expect(plans).toEqual(["before", "before", "within"]);
  });

  it("passes on any other failure, and is not planned again", async () => {
    const run = async () => {
      throw new Error("disk full");
    };
    const { plans, login } = loginOf(() => ({ isNew: true, changes: [], run }));
    await expect(login()).rejects.toThrow("disk full");
    expect(plans).toEqual(["before"]);
  });

  it("is given up when its plan has grown five times in the transaction", async () => {
    const { plans, login } = loginOf((isInTransaction) => ({
      isNew: false,
      changes: isInTransaction ? ["facts"] : [],
    }));
    await expect(login()).rejects.toThrow("Concurrent logins changed the user 5 times; retry");
    expect(plans).toEqual(Array.from({ length: 5 }, () => ["before", "within"]).flat());
  });
});
