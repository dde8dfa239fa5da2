/** Users of workloads that are no longer used. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { deleteAllUnusedWorkloads } from "../../../src/federation/protocols/openid/workload/unused-workloads.js";
import { PROTOCOL_TYPES } from "../protocol-types.js";
import { createProtocolSettings } from "../../../src/identity-providers/protocols/protocol-settings.js";
import { createProtocolService } from "../../../src/identity-providers/protocols/protocol-service.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { createShadowUsers } from "../../../src/users/federated/shadow-users.js";
import { findUser } from "../../../src/users/user-store.js";
import { databases } from "../../databases.js";
import { ADMIN_PASSWORD } from "../../test-app.js";
import { workloadServer, type WorkloadServer } from "./workload-server.js";

const DAY_MS = 86_400_000;

// Time passes: the administrator's token expires with it.
let server: WorkloadServer;
beforeEach(async () => {
  server = await workloadServer(databases);
});
afterEach(() => server.close());

const branch = (name: string) => ({ sub: `repo:octo-org/octo-repo:ref:refs/heads/${name}` });
const login = async (changes = {}) => server.bear(await server.token(changes));

/** The background task on the same database, with what it logs and revokes. */
function purge() {
  const { database, time } = server;
  const lines: object[] = [];
  const revoked: object[] = [];
  const write = (facts: object) => lines.push(facts);
  const never = async () => {
    throw new Error("not used");
  };
  const options = {
    protocols: createProtocolService({
      database,
      mappings: { exists: never },
      settings: createProtocolSettings(PROTOCOL_TYPES),
      masterKey: toMasterKey(new Uint8Array(32)),
      checkMetadata: never,
      checkProtocol: never,
      clock: { now: () => time.now },
      endShadowUsers: never,
      revokeTokens: never,
    }),
    shadowUsers: createShadowUsers({
      database,
      clock: { now: () => time.now },
      rules: { inactiveDays: undefined },
      revokeTokens: async (_transaction, of) => void revoked.push(of),
      onUserDeleted: async () => {},
    }),
    log: { info: write, error: write } as never,
  };
  return { options, lines, revoked };
}

describe(`users of unused workloads on ${databases.name}`, () => {
  it("are deleted when unused, and make room", async () => {
    await server.put({ max_users: 2, unused_days: 10 });
    const unused = (await login(branch("unused"))).body.token.user.id as string;
    await login(branch("used"));
    server.time.now += 9 * DAY_MS;
    await login(branch("used"));
    expect((await login(branch("new"))).status).toBe(403);
    server.time.now += 2 * DAY_MS;
    expect((await login(branch("new"))).status).toBe(201);
    const left = await server.userIds();
    expect(left).toHaveLength(2);
    expect(left).not.toContain(unused);
  });

  it("are kept by a test login, which says what a login would do at the bound", async () => {
    await server.put({ max_users: 1, unused_days: 10 });
    await login(branch("unused"));
    const test = async () => {
      const path = "/v3/OS-FEDERATION/identity_providers/ci/protocols/jobs/test_logins";
      const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
      const auth = {
        identity: { methods: ["password"], password: { user } },
        scope: { system: { all: true } },
      };
      const { token } = await server.ask("POST", "/v3/auth/tokens", { token: "", body: { auth } });
      const body = { test_login: { access_token: await server.token(branch("new")) } };
      return (await server.ask("POST", path, { token, body })).body.test_login;
    };
    const full = await test();
    expect(full.status).toBe("failed");
    expect(full.result.steps.at(-1)).toMatchObject({ status: "failed" });
    expect(JSON.stringify(full.result.steps.at(-1))).toContain("the protocol has 1 users");
    server.time.now += 11 * DAY_MS;
    const passed = await test();
    expect(passed.status).toBe("passed");
    expect(passed.result.changes[0]).toEqual({
      action: "delete",
      resource: "user",
      name: "unused workloads",
    });
    expect(await server.userIds()).toHaveLength(1);
  });

  it("are deleted in the background, whose tokens stay revoked", async () => {
    await server.put({ unused_days: 1 });
    const { body } = await login(branch("unused"));
    const { id } = body.token.user;
    const { options, lines, revoked } = purge();
    await deleteAllUnusedWorkloads(options);
    expect(await server.userIds()).toEqual([id]);
    server.time.now += 2 * DAY_MS;
    await deleteAllUnusedWorkloads(options);
    expect(await server.userIds()).toEqual([]);
    expect(lines).toEqual([{ federation: { idpId: "ci", protocolId: "jobs" }, users: 1, unusedDays: 1 }]);
    expect(revoked).toEqual([{ userId: id }]);
    expect((await login(branch("unused"))).body.token.user.id).toBe(id);
  });

  it("are not deleted if they log in otherwise", async () => {
    const { body } = await server.login({ REMOTE_USER: "kim", IDP: "https://idp.example.org" });
    const { id } = body.token.user;
    server.time.now += 400 * DAY_MS;
    const { shadowUsers } = purge().options;
    expect(await shadowUsers.deleteUnused({ idpId: "idp", protocolId: "mapped", unusedDays: 1 })).toBe(0);
    expect(await findUser(server.database, id)).toMatchObject({ id, name: "kim" });
  });
});
