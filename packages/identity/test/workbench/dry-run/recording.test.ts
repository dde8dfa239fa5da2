/** Recorded logins: only where it is switched on, only what is listed, sealed, bounded, and for those who may change the mapping. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  createLoginRecordings,
  type LoginRecordingsDeps,
} from "../../../src/workbench/recording/login-recordings.js";
import { newId } from "../../../src/platform/ids.js";
import { MasterKeyNotInForce } from "../../../src/platform/secrets/master-key-in-force.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import { resealSecrets } from "../../../src/sealed-secrets.js";
import { sqliteDatabases } from "../../databases.js";
import { ENV } from "../../federation/login-server.js";
import {
  member,
  NAMED_MEMBER,
  RECORDING,
  workbenchServer,
  type WorkbenchServer,
} from "./workbench-server.js";

interface Tables {
  readonly recorded_login: { id: string; recorded_at: number; sealed: Buffer };
}

let service: WorkbenchServer;
beforeEach(async () => {
  service = await workbenchServer(sqliteDatabases);
  await service.map([NAMED_MEMBER]);
});
afterEach(() => service.close());

const logins = async () => {
  const { status, body, text } = await service.ask("GET", `${RECORDING}/logins`);
  if (status !== 200) throw new Error(text);
  return body.recorded_logins as { id: string; recorded_at: string; attributes: object }[];
};
const users = async () =>
  (await logins()).map(({ attributes }) => (attributes as { REMOTE_USER: string }).REMOTE_USER);
const rows = () => service.database.tables<Tables>().selectFrom("recorded_login").selectAll().execute();

const KEY = { idpId: "idp", id: "mapped" };
/** That of the service. */
const MASTER_KEY = toMasterKey(Buffer.alloc(32, 7));

/** The recordings as another process of the service has them. */
const recordingsOf = (changes: Partial<LoginRecordingsDeps>) =>
  createLoginRecordings({
    database: service.database,
    clock: { now: () => service.time.now },
    newId,
    masterKey: MASTER_KEY,
    isAllowed: true,
    protocols: { requireIn: async () => undefined },
    ...changes,
  });

describe(`recorded logins on ${sqliteDatabases.name}`, () => {
  it("are none before someone switches it on for the protocol", async () => {
    expect((await service.login(member("kim", "staff"))).status).toBe(201);
    expect((await service.ask("GET", RECORDING)).status).toBe(404);
    expect((await service.ask("GET", `${RECORDING}/logins`)).status).toBe(404);
    await service.record(["REMOTE_USER"]);
    expect(await logins()).toEqual([]);
  });

  it("have the listed attributes alone, the latest login first", async () => {
    await service.record(["REMOTE_USER", "GROUPS", "ABSENT"]);
    expect((await service.login(member("kim", "staff", "devs"))).status).toBe(201);
    service.time.now += 1000;
    expect((await service.login(member("sam"))).status).toBe(201);
    expect((await logins()).map(({ attributes }) => attributes)).toEqual([
      { REMOTE_USER: "sam", GROUPS: "" },
      { REMOTE_USER: "kim", GROUPS: "staff;devs" },
    ]);
    const [latest] = await logins();
    const one = await service.ask("GET", `${RECORDING}/logins/${latest?.id}`);
    expect(one.body.recorded_login).toEqual(latest);
    expect((await service.ask("GET", `${RECORDING}/logins/no`)).status).toBe(404);
  });

  it("have no attribute that was taken off the list", async () => {
    await service.record(["REMOTE_USER", "GROUPS"]);
    await service.login(member("kim", "staff"));
    expect(await logins()).toHaveLength(1);
    await service.record(["REMOTE_USER", "GROUPS", "MAIL"]);
    expect(await logins()).toHaveLength(1);
    // This login still waits in the buffer.
    await service.login(member("sam", "staff"));
    await service.record(["REMOTE_USER"]);
    expect((await logins()).map(({ attributes }) => attributes)).toEqual([{ REMOTE_USER: "sam" }]);
  });

  it("include those that the mapping rejects, and no forged ones", async () => {
    await service.record(["REMOTE_USER"]);
    expect((await service.login({ ...member("kim"), REMOTE_USER: "" })).status).toBe(401);
    expect((await service.login({ ...member("eve"), IDP: "https://other.example.org" })).status).toBe(403);
    expect(await users()).toEqual([""]);
  });

  it("are sealed at rest, each for its place", async () => {
    await service.record(["REMOTE_USER", "GROUPS"]);
    await service.login(member("a-name-to-find", "staff"));
    await logins();
    const [row] = await rows();
    expect(row?.sealed.length).toBeGreaterThan(40);
    expect(row?.sealed.includes("a-name-to-find")).toBe(false);
    await service.login(member("other"));
    await logins();
    const [one, two] = await rows();
    await service.database
      .tables<Tables>()
      .updateTable("recorded_login")
      .set({ sealed: one?.sealed ?? Buffer.alloc(0) })
      .where("id", "=", two?.id ?? "")
      .execute();
    expect((await service.ask("GET", `${RECORDING}/logins`)).status).toBe(500);
  });

  it("are the last of a number, for a number of days", async () => {
    await service.record(["REMOTE_USER"], { max_logins: 3, keep_days: 2 });
    for (const name of ["a", "b", "c", "d", "e"]) await service.login(member(name));
    expect(await users()).toEqual(expect.arrayContaining(["c", "d", "e"]));
    expect(await rows()).toHaveLength(3);
    service.time.now += 2 * 86_400_000 + 1;
    await service.login(member("f"));
    expect(await users()).toEqual(["f"]);
    // Fewer are kept from now on.
    for (const name of ["g", "h"]) await service.login(member(name));
    await logins();
    await service.record(["REMOTE_USER"], { max_logins: 1 });
    expect(await rows()).toHaveLength(1);
  });

  it("are shown 100 at a time, or as many as asked", async () => {
    await service.record(["REMOTE_USER"]);
    for (let number = 1; number <= 101; number++) await service.login(member("kim"));
    expect(await logins()).toHaveLength(100);
    const { body } = await service.ask("GET", `${RECORDING}/logins?limit=101`);
    expect(body.recorded_logins).toHaveLength(101);
  });

  it.each([
    { attributes: [] },
    { attributes: ["A", "A"] },
    { attributes: ["A"], max_logins: 1001 },
    { attributes: ["A"], keep_days: 31 },
    { attributes: ["A"], keep_days: 0 },
    {},
  ])("are bounded: %j is rejected", async (recording) => {
    const { status } = await service.ask("PUT", RECORDING, { body: { recording } });
    expect(status).toBe(400);
  });

  it("have 7 days and 1,000 logins, if nothing else is said", async () => {
    await service.record(["A"]);
    expect((await service.ask("GET", RECORDING)).body).toEqual({
      recording: { attributes: ["A"], max_logins: 1000, keep_days: 7 },
    });
  });

  it("are read by those alone who may change the mapping, and each read is audited", async () => {
    await service.record(["REMOTE_USER"]);
    await service.login(member("kim"));
    const [login] = await logins();
    const reads = [`${RECORDING}/logins`, `${RECORDING}/logins/${login?.id}`];
    for (const url of reads) {
      for (const token of [service.reader, service.domainAdmin]) {
        const { status, text } = await service.ask("GET", url, { token });
        expect([status, text.includes("kim")]).toEqual([403, false]);
      }
      expect((await service.ask("GET", url, { token: "" })).status).toBe(401);
    }
    const before = service.audits.length;
    await service.ask("GET", reads[0] ?? "");
    await service.ask("GET", reads[1] ?? "");
    expect(service.audits.slice(before)).toMatchObject([
      {
        action: "identity:list_recorded_logins",
        outcome: "done",
        target: { idp_id: "idp", protocol_id: "mapped" },
      },
      { action: "identity:get_recorded_login", outcome: "done", target: { login_id: login?.id } },
    ]);
    expect(
      service.audits.filter(
        ({ outcome, action }) => outcome === "refused" && String(action).includes("recorded"),
      ).length,
    ).toBe(6);
  });

  it("are switched on and off by those who may change the mapping, which is audited", async () => {
    const body = { recording: { attributes: ["REMOTE_USER"] } };
    for (const token of [service.reader, service.domainAdmin]) {
      expect((await service.ask("PUT", RECORDING, { token, body })).status).toBe(403);
      expect((await service.ask("DELETE", RECORDING, { token })).status).toBe(403);
    }
    const before = service.audits.length;
    expect((await service.ask("PUT", RECORDING, { body })).status).toBe(200);
    expect((await service.ask("GET", RECORDING, { token: service.reader })).status).toBe(200);
    await service.login(member("kim"));
    await logins();
    expect((await service.ask("DELETE", RECORDING)).status).toBe(204);
    expect(await rows()).toEqual([]);
    expect((await service.ask("DELETE", RECORDING)).status).toBe(404);
    const actions = service.audits
      .slice(before)
      .map(({ action, outcome }) => `${String(action)} ${String(outcome)}`);
    expect(actions).toEqual(
      expect.arrayContaining([
        "identity:create_login_recording done",
        "identity:delete_login_recording done",
      ]),
    );
    // A login afterwards leaves nothing.
    await service.login(member("kim"));
    await service.record(["REMOTE_USER"]);
    expect(await logins()).toEqual([]);
  });

  it("are deleted with the provider", async () => {
    await service.record(["REMOTE_USER"]);
    await service.login(member("kim"));
    expect(await logins()).toHaveLength(1);
    const { status } = await service.ask("DELETE", "/v3/OS-FEDERATION/identity_providers/idp");
    expect(status).toBe(204);
    expect(await rows()).toEqual([]);
  });

  it("are opened with the next master key once it is in force", async () => {
    await service.record(["REMOTE_USER"]);
    await service.login(member("kim"));
    await logins();
    const next = toMasterKey(Buffer.alloc(32, 8));
    await resealSecrets(service.database, { from: MASTER_KEY, to: next });
    const page = { limit: 10, marker: undefined };
    const [login] = await recordingsOf({ masterKey: next }).logins(KEY, page);
    expect(login?.attributes).toEqual({ REMOTE_USER: "kim" });
    await expect(recordingsOf({ masterKey: MASTER_KEY }).logins(KEY, page)).rejects.toBeInstanceOf(
      MasterKeyNotInForce,
    );
  });

  it("are purged, with the recording, once the operator switches them off", async () => {
    await service.record(["REMOTE_USER"]);
    await service.login(member("kim"));
    expect(await logins()).toHaveLength(1);
    await recordingsOf({ isAllowed: true }).purge();
    expect(await rows()).toHaveLength(1);
    await recordingsOf({ isAllowed: false }).purge();
    expect(await rows()).toEqual([]);
    expect((await service.ask("GET", RECORDING)).status).toBe(404);
  });

  it("are purged after their days, without another login", async () => {
    await service.record(["REMOTE_USER"], { keep_days: 2 });
    await service.login(member("kim"));
    expect(await logins()).toHaveLength(1);
    const later = (days: number) => ({ now: () => service.time.now + days * 86_400_000 });
    await recordingsOf({ clock: later(1.9) }).purge();
    expect(await rows()).toHaveLength(1);
    await recordingsOf({ clock: later(2.1) }).purge();
    expect(await rows()).toEqual([]);
  });

  it("are not made of a protocol that does not exist", async () => {
    const url = RECORDING.replace("mapped", "other");
    const { status } = await service.ask("PUT", url, { body: { recording: { attributes: ["A"] } } });
    expect(status).toBe(404);
  });

  it("are counted in the list of protocols", async () => {
    const protocols = async () =>
      (await service.ask("GET", "/v3/OS-FEDERATION/protocols?mapping_id=people")).body;
    const protocol = { id: "mapped", identity_provider_id: "idp", mapping_id: "people", type: "forwarded" };
    expect(await protocols()).toEqual({
      protocols: [{ ...protocol, recording: null }],
      login_recording: true,
    });
    await service.record(["REMOTE_USER"]);
    await service.login(member("kim"));
    await logins();
    expect((await protocols()).protocols[0].recording).toMatchObject({
      logins: 1,
      attributes: ["REMOTE_USER"],
    });
    expect((await service.ask("GET", "/v3/OS-FEDERATION/protocols?mapping_id=no")).body.protocols).toEqual(
      [],
    );
    const url = "/v3/OS-FEDERATION/protocols";
    expect((await service.ask("GET", url, { token: service.reader })).status).toBe(200);
    expect((await service.ask("GET", url, { token: service.domainAdmin })).status).toBe(403);
  });
});

describe(`a service that records no logins, on ${sqliteDatabases.name}`, () => {
  it("rejects it with the setting, and records nothing", async () => {
    const closed = await workbenchServer(sqliteDatabases, ENV);
    try {
      const { status, body } = await closed.ask("PUT", RECORDING, {
        body: { recording: { attributes: ["A"] } },
      });
      expect([status, body.error.message]).toEqual([
        403,
        "Logins are not recorded by this service: an operator has to set IDENTITY_LOGIN_RECORDING to on.",
      ]);
      expect((await closed.ask("GET", "/v3/OS-FEDERATION/protocols")).body.login_recording).toBe(false);
      await closed.login(member("kim"));
      const kept = await closed.database.tables<Tables>().selectFrom("recorded_login").selectAll().execute();
      expect(kept).toEqual([]);
    } finally {
      await closed.close();
    }
  });
});
