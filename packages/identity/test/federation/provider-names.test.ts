/** Names from assertions: allowed characters, maximum length, and what is stored. */
import { createHash } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../databases.js";
import { loginServer, NAMED, asserted, type LoginServer } from "./login-server.js";

const remote = [...NAMED.remote, { type: "MORE" }];

describe(`names from assertions on ${sqliteDatabases.name}`, () => {
  let service: LoginServer;
  beforeAll(async () => {
    service = await loginServer(sqliteDatabases);
  });
  afterAll(() => service.close());

  const reason = () => service.refusals.at(-1)?.["reason"];
  const namesOf = async (path: string) =>
    Object.values((await service.ask("GET", `/v3/${path}`)).body as object)[0] as { name: string }[];

  it.each([
    ["ad\u200Bmin", "the user's name contains the format character U+200B"],
    ["admin\u202E", "the user's name contains the bidirectional control character U+202E"],
    ["admin\n", "the user's name contains the control character U+000A"],
    ["admin\u{F0000}", "the user's name contains the private-use character U+F0000"],
    ["admin\u0378", "the user's name contains the unassigned character U+0378"],
    ["admin\uFE0F", "the user's name contains the invisible character U+FE0F"],
    ["a".repeat(256), "the user's name has more than 255 characters"],
    [" ", "the user's name is nothing but white space"],
  ])("are refused for a user, case %#", async (name, why) => {
    await service.map([NAMED]);
    const before = await namesOf("users");
    expect([(await service.login(asserted(name))).status, reason()]).toEqual([401, why]);
    expect(await namesOf("users")).toEqual(before);
  });

  it("keep white space within, lose it around, and are in normalization form C", async () => {
    await service.map([NAMED]);
    const { body } = await service.login(asserted(" Zoe\u0308  Smith "));
    const { user } = body.token as { user: { id: string; name: string; domain: { id: string } } };
    expect(user.name).toBe("Zo\u00EB  Smith");
    // The id is made of what the provider sends, as in Keystone.
    const sent = `${user.domain.id}user%20Zoe%CC%88%20%20Smith%20`;
    expect(user.id).toBe(createHash("sha256").update(sent).digest("hex"));
    // To the provider this is another user, who must not get this user's roles.
    const other = await service.login(asserted("Zo\u00EB  Smith"));
    expect(other.body.token.user).toMatchObject({ name: "Zo\u00EB  Smith" });
    expect(other.body.token.user.id).not.toBe(user.id);
  });

  it.each([
    ["a".repeat(500_000), "the user's e-mail address has more than 255 characters"],
    [
      "kim@example.org\u202E",
      "the user's e-mail address contains the bidirectional control character U+202E",
    ],
  ])("are refused for an e-mail address, case %#", async (MORE, why) => {
    await service.map([{ local: [{ user: { name: "{0}", email: "{1}" } }], remote }]);
    expect([(await service.login(asserted(`mel ${MORE.length}`, { MORE }))).status, reason()]).toEqual([
      401,
      why,
    ]);
    expect(await namesOf("users?name__startswith=mel")).toEqual([]);
    expect((await service.login(asserted("nell", { MORE: "n".repeat(255) }))).status).toBe(201);
  });

  it("are ignored for groups, and the log has the reason", async () => {
    const staff = await service.create("groups", { name: "staff", domain_id: "default" });
    const crew = await service.create("groups", { name: "caf\u00E9", domain_id: "default" });
    await service.map([{ local: [...NAMED.local, { groups: "{1}", domain: { id: "default" } }], remote }]);
    const MORE = ["staff", "sta\u200Bff", "x".repeat(256), "cafe\u0301"].join(";");
    const { body } = await service.login(asserted("gus", { MORE }));
    expect(body.token.user["OS-FEDERATION"].groups).toEqual([{ id: staff }, { id: crew }]);
    expect(service.refusals.slice(-2)).toMatchObject([
      { idpId: "idp", step: "names", reason: "the name of a group contains the format character U+200B" },
      { idpId: "idp", step: "names", reason: "the name of a group has more than 255 characters" },
    ]);
  });

  it("are refused for a project, and normalized", async () => {
    const giving = { projects: [{ name: "{1}", roles: [{ name: "member" }] }] };
    await service.map([{ local: [...NAMED.local, giving], remote }]);
    expect((await service.login(asserted("pia", { MORE: "lab\u202E" }))).status).toBe(401);
    expect(reason()).toBe("the name of a project contains the bidirectional control character U+202E");
    expect((await service.login(asserted("pia", { MORE: " cafe\u0301 lab " }))).status).toBe(201);
    expect((await namesOf("projects")).map(({ name }) => name)).toContain("caf\u00E9 lab");
  });

  it("are reported where a user's mixes scripts, once while nothing changes", async () => {
    await service.map([NAMED]);
    const count = service.refusals.length;
    expect((await service.login(asserted("\u0430dmin"))).status).toBe(201);
    expect((await service.login(asserted("\u0430dmin"))).status).toBe(201);
    const reported = service.refusals.slice(count);
    const told = { step: "names", reason: "the user's name mixes scripts (UTS 39): Cyrillic, Latin" };
    expect(reported[0]).toMatchObject(told);
    expect(reported.length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(reported)).not.toContain("dmin");
    const quiet = service.refusals.length;
    expect((await service.login(asserted("田中 Taro"))).status).toBe(201);
    expect(service.refusals.length).toBe(quiet);
  });
});
