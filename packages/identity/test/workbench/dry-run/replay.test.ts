/** Replays of recorded logins against new rules. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../databases.js";
import { NAMED } from "../../federation/login-server.js";
import {
  GROUPS,
  MAPPINGS,
  member,
  NAMED_MEMBER,
  workbenchServer,
  type WorkbenchServer,
} from "./workbench-server.js";

let service: WorkbenchServer;
beforeEach(async () => {
  service = await workbenchServer(sqliteDatabases);
  await service.map([NAMED_MEMBER]);
  await service.record(["REMOTE_USER", "GROUPS"]);
  for (const [name, ...groups] of [
    ["kim", "staff"],
    ["sam", "staff", "ops"],
    ["lou", "ops"],
    ["max", "guests"],
  ] as const)
    await service.login(member(name, ...groups));
});
afterEach(() => service.close());

const replay = async (rules: readonly object[], more: object = {}, token?: string) => {
  const { status, body, text } = await service.ask("POST", `${MAPPINGS}/people/replay`, {
    body: { rules, ...more },
    ...(token !== undefined && { token }),
  });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body.replay;
};
const texts = ({ changes }: { changes: { text: string }[] }) => changes.map(({ text }) => text);

describe(`a replay on ${sqliteDatabases.name}`, () => {
  it("finds nothing in the stored rules, also in other words", async () => {
    expect(await replay([NAMED_MEMBER])).toMatchObject({
      logins: 4,
      same: 4,
      left: 0,
      changes: [],
      details: [],
    });
    const byId = {
      local: [{ group: { id: service.groupIds.staff } }],
      remote: [{ type: "GROUPS", any_one_of: ["staff"] }],
    };
    const same = await replay([NAMED, byId]);
    expect(same).toMatchObject({ logins: 4, same: 4, changes: [] });
  });

  it("does not take logins for the same whose users only REMOTE_USER would name, where that is not recorded", async () => {
    await service.record(["GROUPS"]);
    const inGroup = (id: string) => ({
      local: [{ group: { id } }],
      remote: [{ type: "GROUPS", any_one_of: ["staff", "ops"] }],
    });
    await service.map([inGroup(service.groupIds.staff)]);
    await service.login(member("kim", "staff"));
    expect(await replay([inGroup(service.groupIds.root)])).toMatchObject({
      logins: 5,
      // No rule matches guests.
      same: 1,
      refused_by_both: 4,
      changes: [],
      unrecorded: [{ attributes: ["REMOTE_USER"] }],
    });
  });

  it("shows first who would become an administrator, and whose login that is", async () => {
    const ops = {
      local: [{ group: { id: service.groupIds.root } }],
      remote: [{ type: "GROUPS", any_one_of: ["ops"] }],
    };
    const result = await replay([NAMED_MEMBER, ops]);
    expect(result).toMatchObject({ logins: 4, same: 2 });
    expect(texts(result)).toEqual(
      expect.arrayContaining([
        "2 gain admin in project web",
        "2 gain admin on the system",
        "2 join group root",
      ]),
    );
    expect(texts(result).slice(0, 2).toSorted()).toEqual([
      "2 gain admin in project web",
      "2 gain admin on the system",
    ]);
    const admin = result.changes.findIndex(
      ({ text }: { text: string }) => text === "2 gain admin in project web",
    );
    expect(result.changes[admin]).toMatchObject({
      kind: "gains_role",
      role: "admin",
      count: 2,
      target: { kind: "project", id: service.projectId, name: "web", inherited: false },
    });
    const concerned = result.details.filter(({ changes }: { changes: number[] }) => changes.includes(admin));
    expect(concerned.map(({ user }: { user: string }) => user).toSorted()).toEqual(["lou", "sam"]);
    expect(concerned[0]).toMatchObject({ identity_provider_id: "idp", protocol_id: "mapped" });
    // The sealed login that it belongs to.
    const { body } = await service.ask(
      "GET",
      `/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped/recording/logins/${concerned[0].id}`,
    );
    expect(body.recorded_login.attributes.GROUPS).toContain("ops");
  });

  it("shows logins that would be refused, with the rule that came closest", async () => {
    const staff = { ...NAMED, remote: [...NAMED.remote, { type: "GROUPS", any_one_of: ["staff", "ops"] }] };
    const result = await replay([staff]);
    expect(texts(result)).toContain("1 refused (mapping: rule 1: no value is in the list (GROUPS))");
    const refused = result.details.find(({ user }: { user: string }) => user === "max");
    expect(refused).toBeDefined();
    // Groups come with the whitelist of the stored rules alone.
    expect(texts(result)).toContain("2 lose member in project web");
  });

  it("shows logins that would be another user", async () => {
    const renamed = { ...NAMED_MEMBER, local: [{ user: { id: "{0}-2", name: "{0}" } }, GROUPS] };
    expect(texts(await replay([renamed]))).toEqual(["4 would be another user"]);
  });

  it("shows projects that would be created, and roles that are granted no longer", async () => {
    const project = (roles: readonly string[]) => ({
      local: [{ projects: [{ name: "lab", roles: roles.map((name) => ({ name })) }] }],
      remote: [{ type: "GROUPS", any_one_of: ["ops"] }],
    });
    expect(texts(await replay([NAMED_MEMBER, project(["member"])]))).toEqual([
      "2 gain member in project lab",
      "2 create project lab",
    ]);
    await service.map([NAMED_MEMBER, project(["member"])]);
    expect((await service.login(member("sam", "staff", "ops"))).status).toBe(201);
    const fewer = [NAMED_MEMBER, project([])];
    expect(texts(await replay(fewer))).toContain("3 are no longer granted member in project lab");
    expect(texts(await replay(fewer, { schema_version: "3.0" }))).toContain("3 lose member in project lab");
  });

  it("names attributes of the rules that are not recorded", async () => {
    const result = await replay([{ ...NAMED, remote: [{ type: "REMOTE_USER" }, { type: "MAIL" }] }]);
    expect(result.unrecorded).toEqual([
      { identity_provider_id: "idp", protocol_id: "mapped", attributes: ["MAIL"] },
    ]);
    expect(texts(result)).toEqual(['4 refused (mapping: rule 1: the assertion has no "MAIL" (MAIL))']);
  });

  it("changes nothing: no user, no project, no mapping", async () => {
    const state = async () => [
      (await service.ask("GET", "/v3/users")).body.users.length,
      (await service.ask("GET", "/v3/projects")).body.projects.length,
      (await service.ask("GET", `${MAPPINGS}/people`)).text,
    ];
    const before = await state();
    const rule = {
      local: [{ user: { name: "new-{0}" }, projects: [{ name: "p-{0}", roles: [{ name: "admin" }] }] }],
      remote: [{ type: "REMOTE_USER" }],
    };
    expect((await replay([rule])).same).toBe(0);
    expect(await state()).toEqual(before);
  });

  it("is of one protocol, if it is asked for one", async () => {
    expect((await replay([NAMED], { identity_provider_id: "other" })).logins).toBe(0);
    expect((await replay([NAMED], { identity_provider_id: "idp", protocol_id: "mapped" })).logins).toBe(4);
  });

  it("rejects invalid rules with the place of the fault, and mappings that do not exist", async () => {
    await expect(replay([{ local: [], remote: [{}] }])).rejects.toThrow(
      'rules[0].remote[0]: lacks \\"type\\"',
    );
    expect((await service.ask("POST", `${MAPPINGS}/no/replay`, { body: { rules: [NAMED] } })).status).toBe(
      404,
    );
  });

  it("is for those who may change the mapping, and audited", async () => {
    for (const token of [service.reader, service.domainAdmin])
      await expect(replay([NAMED], {}, token)).rejects.toThrow("403");
    const before = service.audits.length;
    await replay([NAMED]);
    expect(service.audits.slice(before)).toMatchObject([
      { action: "identity:replay_mapping", outcome: "done", target: { mapping_id: "people" } },
    ]);
  });
});
