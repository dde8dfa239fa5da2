/** Failed logins and counts in the database: bounded, shared, and without values of attributes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { AssertionRefusedError } from "../../../src/federation/federation-errors.js";
import {
  createFailedLogins,
  MAX_FAILED_PER_PROVIDER,
  type FailedLogins,
} from "../../../src/federation/failed-logins/failed-logins.js";
import { TooManyError } from "../../../src/platform/errors.js";
import { newId } from "../../../src/platform/ids.js";
import { databases } from "../../databases.js";
import { AUTH, ENV, loginServer, type LoginServer } from "../login-server.js";

const FAILED = "/v3/OS-FEDERATION/failed_logins";
const KEY = { idpId: "idp", id: "mapped" };

describe(`records of logins, with ${databases.name}`, () => {
  let server: LoginServer;
  let records: FailedLogins;
  let isKnown = true;
  beforeAll(async () => {
    server = await loginServer(databases, ENV, { replicas: 2 });
    records = recordsHere();
  });
  afterAll(() => server.close());

  function recordsHere(): FailedLogins {
    const { database, time } = server;
    return createFailedLogins({
      database,
      clock: { now: () => time.now },
      newId,
      isProvider: async () => isKnown,
    });
  }
  const failure = (reason: string) =>
    new AssertionRefusedError({ step: "mapping", reason, attributes: ["mail", "groups"] });
  const sender = (number: number) => ({
    requestId: `req-${number}`,
    clientAddress: `198.51.100.${number % 250}`,
  });
  const list = async (query = "", replica = 0) =>
    (await server.ask("GET", `${FAILED}${query}`, { replica })).body.failed_logins;

  it("shows a failed login by its request id at every replica, with names of attributes alone", async () => {
    const wrong = { IDP: "https://other.example.org", MAIL: "kim@example.org" };
    const rejected = await server.login(wrong);
    expect(rejected.status).toBe(403);
    const requestId = String(rejected.headers["x-openstack-request-id"]);
    await expect
      .poll(() => list(`?request_id=${requestId}`, 1), { timeout: 5000 })
      .toMatchObject([{ idp_id: "idp", protocol_id: "mapped", request_id: requestId, step: "remote-id" }]);
    const [found] = await list(`?request_id=${requestId}`);
    expect(found.reason).toContain('"https://other.example.org" is not among');
    expect(JSON.stringify(found)).not.toContain("kim@example.org");
    expect((await server.ask("GET", `${FAILED}/${found.id}`)).body.failed_login).toEqual(found);
    expect((await server.ask("GET", `${FAILED}/x`)).status).toBe(404);
  });

  it("lists the newest first, in pages, by provider and step", async () => {
    for (let number = 0; number < 5; number++) {
      server.time.now += 1000;
      records.failed(KEY, sender(number), failure(`fault ${number}`));
    }
    await records.flush();
    const found = await list("?step=mapping&idp_id=idp");
    expect(found.map(({ reason }: { reason: string }) => reason)).toEqual(
      [4, 3, 2, 1, 0].map((number) => `fault ${number}`),
    );
    expect(found[0].attributes).toEqual(["mail", "groups"]);
    const page = (await server.ask("GET", `${FAILED}?step=mapping&limit=2`)).body;
    expect(page.failed_logins).toHaveLength(2);
    const marker = new URL(page.links.next).searchParams.get("marker");
    expect(
      (await list(`?step=mapping&limit=2&marker=${marker}`)).map(({ reason }: { reason: string }) => reason),
    ).toEqual(["fault 2", "fault 1"]);
    expect(await list("?idp_id=other")).toEqual([]);
  });

  it("lists the same by the former name of the list", async () => {
    const [found] = await list("?step=mapping");
    const former = "/v3/OS-FEDERATION/refused_logins";
    const { body } = await server.ask("GET", `${former}?step=mapping&limit=1`);
    const { failed_at, links, ...same } = found;
    const self = links.self.replace("failed_logins", "refused_logins");
    expect(body.refused_logins).toEqual([{ ...same, refused_at: failed_at, links: { self } }]);
    expect(body.links.next).toContain("/refused_logins?");
    expect((await server.ask("GET", `${former}/${found.id}`)).body.refused_login).toEqual(
      body.refused_logins[0],
    );
  });

  it("keeps the newest thousand of a provider", async () => {
    for (let batch = 0; batch < 7; batch++) {
      server.time.now += 120_000;
      for (let number = 0; number < 200; number++)
        records.failed(
          KEY,
          { requestId: "", clientAddress: `203.0.${batch}.${number}` },
          failure(`b${batch}`),
        );
      await records.flush();
    }
    const { count } = await server.database
      .tables<{ rejected_login: { id: string } }>()
      .selectFrom("rejected_login")
      .select(({ fn }) => fn.countAll<number | string>().as("count"))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBeLessThanOrEqual(MAX_FAILED_PER_PROVIDER);
    expect(Number(count)).toBeGreaterThan(800);
  });

  it("takes few of one network, whatever it sends, and counts them all", async () => {
    const here = recordsHere();
    const { now } = server.time;
    // A day without other logins. The administrator's token would not outlive it.
    server.time.now += 86_400_000;
    for (let number = 0; number < 5000; number++)
      here.failed(KEY, { requestId: "flood", clientAddress: "198.51.100.7" }, failure("flood"));
    here.failed(KEY, { requestId: "victim", clientAddress: "203.0.113.9" }, failure("a user's own"));
    await here.flush();
    server.time.now = now;
    expect(await list("?request_id=flood")).toHaveLength(20);
    expect(await list("?request_id=victim")).toHaveLength(1);
    const { health } = (await server.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp/health")).body;
    expect(health.protocols[0].logins[0]).toMatchObject({ refused: 5001 });
  });

  it("counts the logins of 5000 protocols at once, and of no further one", async () => {
    const { database, time } = server;
    const at = time.now + 2 * 86_400_000;
    const isProvider = async (id: string) => id === "idp";
    const here = createFailedLogins({ database, clock: { now: () => at }, newId, isProvider });
    here.proved(KEY);
    for (let number = 1; number < 5000; number++) here.proved({ idpId: `flood${number}`, id: "mapped" });
    here.proved(KEY);
    here.proved({ idpId: "idp", id: "late" });
    await here.flush();
    const counted = await database
      .tables<{ login_day: { protocol_id: string; day: number; proved: number } }>()
      .selectFrom("login_day")
      .select(["protocol_id", "proved"])
      .where("day", "=", Math.floor(at / 86_400_000))
      .execute();
    expect(counted).toEqual([{ protocol_id: "mapped", proved: 2 }]);
  });

  it("writes nothing under a provider that only a request names, nor of requests that a limit rejected", async () => {
    const before = (await list()).length;
    isKnown = false;
    records.failed({ idpId: "unknown", id: "mapped" }, sender(1), failure("unknown"));
    await records.flush();
    isKnown = true;
    records.failed(KEY, sender(2), new TooManyError("slow down"));
    const url = AUTH.replace("/idp/", "/nobody/");
    expect((await server.login({ IDP: "x" }, url)).status).toBe(404);
    await records.flush();
    expect((await list()).length).toBe(before);
  });

  it("outlives a database that can't be written, and loses only what it could not write", async () => {
    const broken = createFailedLogins({
      database: { transaction: () => Promise.reject(new Error("gone")) } as never,
      clock: { now: () => server.time.now },
      newId,
      isProvider: async () => true,
    });
    broken.failed(KEY, sender(3), failure("lost"));
    await expect(broken.flush()).resolves.toBeUndefined();
    await expect(broken.close()).resolves.toBeUndefined();
  });

  it("deletes what is older than 30 days", async () => {
    const { now } = server.time;
    server.time.now += 31 * 86_400_000;
    records.failed(KEY, sender(4), failure("new"));
    await records.flush();
    while (await records.purge());
    server.time.now = now;
    expect((await list()).map(({ reason }: { reason: string }) => reason)).toEqual(["new"]);
  });

  it.each([
    ["an administrator", "admin", 200],
    ["a reader of the system", "reader", 200],
    ["a service", "service", 403],
  ])("may be read by whom protocols may be read: %s", async (_, role, status) => {
    const userId = await server.create("users", {
      name: `a ${role}`,
      domain_id: "default",
      password: "secret",
    });
    const { body } = await server.ask("GET", `/v3/roles?name=${role}`);
    await server.ask("PUT", `/v3/system/users/${userId}/roles/${body.roles[0].id}`);
    const identity = { methods: ["password"], password: { user: { id: userId, password: "secret" } } };
    const login = { auth: { identity, scope: { system: { all: true } } } };
    const { token } = await server.ask("POST", "/v3/auth/tokens", { token: "", body: login });
    expect((await server.ask("GET", FAILED, { token })).status).toBe(status);
    expect((await server.ask("GET", "/v3/OS-FEDERATION/refused_logins", { token })).status).toBe(status);
    const health = "/v3/OS-FEDERATION/identity_providers/idp/health";
    expect((await server.ask("GET", health, { token })).status).toBe(status);
    expect((await server.ask("GET", FAILED, { token: "" })).status).toBe(401);
  });

  it("shows whom the provider vouched for, also where the rules reject the login", async () => {
    const local = [{ user: { name: "{0}" } }];
    const ofGroups = (condition: object) => ({
      local,
      remote: [{ type: "MAIL" }, { type: "GROUPS", ...condition }],
    });
    const rules = [
      ofGroups({ any_one_of: ["staff"] }),
      ofGroups({ not_any_of: ["guests"] }),
      { local, remote: [{ type: "MAIL" }, { type: "PHONE" }] },
    ];
    await server.map([...rules, rules[0] ?? {}]);
    const rejected = await server.login({
      IDP: "https://idp.example.org",
      MAIL: "kim@example.org",
      GROUPS: "guests",
    });
    expect(rejected.status).toBe(401);
    const requestId = String(rejected.headers["x-openstack-request-id"]);
    await expect
      .poll(() => list(`?request_id=${requestId}`), { timeout: 5000 })
      .toMatchObject([{ step: "mapping", user_name: "kim@example.org", user_id: null }]);
    expect(await list("?user_name__icontains=KIM")).toMatchObject([{ request_id: requestId }]);
    const [{ reason }] = await list("?user_name__icontains=KIM");
    expect(reason).toBe(
      'mapping "people", rules: no-rule-matched (rules[0].remote[1]: "GROUPS" has no value of any_one_of; ' +
        'rules[1].remote[1]: "GROUPS" has a value of not_any_of; rules[2].remote[1]: "PHONE" is missing; 1 more)',
    );
  });
});
