/** Room for another user of workloads: when a protocol at its bound is searched for unused users. */
import { beforeEach, describe, expect, it } from "vitest";

import type { Workload } from "../../../src/federation/assertion-verifier.js";
import type { AppliedLogin } from "../../../src/federation/mapped/login-plan.js";
import { createWorkloadRoom, type WorkloadRoom } from "../../../src/federation/mapped/workload-login.js";
import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import { TooManyWorkloadsError } from "../../../src/users/federated/workload-users.js";
import type { ShadowUser } from "../../../src/users/federated/shadow-users.js";

const USER: ShadowUser = {
  idpId: "ci",
  protocolId: "jobs",
  uniqueId: "job",
  name: "job",
  email: undefined,
  domainId: "default",
  isDomainFixed: true,
  groupIds: [],
  groupsLifetimeMs: 0,
};
const WORKLOAD: Workload = { subject: "job", isStored: true, maxUsers: 1, unusedDays: 30 };
const APPLIED: AppliedLogin = { userId: "u", groupIds: [], isComplete: true, validUntil: Infinity };

describe("a protocol at its bound", () => {
  let now: number;
  let room: number;
  let searches: (() => number)[];
  let workloadRoom: WorkloadRoom;
  beforeEach(() => {
    now = 0;
    room = 0;
    searches = [];
    const deleteUnused = async () => {
      const deleted = searches.shift()?.() ?? 0;
      room += deleted;
      return deleted;
    };
    const hasUnused = async () => searches.length > 0;
    const shadowUsers = { deleteUnused, hasUnused };
    workloadRoom = createWorkloadRoom({ clock: { now: () => now }, shadowUsers });
  });

  const fail = () => {
    throw new DatabaseUnavailable();
  };
  const login = async () =>
    workloadRoom.apply(
      async () => {
        if (room === 0) throw new TooManyWorkloadsError();
        room -= 1;
        return APPLIED;
      },
      USER,
      WORKLOAD,
    );
  const noRoom = { facts: { step: "workload" } };

  it("is searched once a minute, however many log in", async () => {
    searches = [() => 0, () => 1];
    for (let logins = 0; logins < 3; logins += 1) await expect(login()).rejects.toMatchObject(noRoom);
    expect(searches).toHaveLength(1);
    now += 60_000;
    expect(await login()).toBe(APPLIED);
  });

  it("is searched by the next login after a search that failed, which made 800 of 1000 users stay for a minute", async () => {
    searches = [fail, () => 1];
    await expect(login()).rejects.toThrow(DatabaseUnavailable);
    expect(await login()).toBe(APPLIED);
  });
});
