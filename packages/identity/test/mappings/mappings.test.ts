/** Stored mappings and dry runs. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { federationServer, type FederationServer } from "../federation/federation-server.js";
import { inDomain, SYSTEM_READER, UNSCOPED } from "../feature-server.js";

const OS = "/v3/OS-FEDERATION/mappings";
const PREFIXES = ["/v3/OS-FEDERATION", "/v3/EXT-FEDERATION", "/EXT-FEDERATION"];
const RULES = [
  {
    local: [{ user: { name: "{0}" } }, { group: { id: "staff" } }],
    remote: [{ type: "MAIL" }, { type: "ORG", any_one_of: ["Staff"] }],
  },
];

let service: FederationServer;
beforeEach(async () => {
  service = await federationServer(databases);
});
afterEach(() => service.close());

const put = (url: string, mapping: object = { rules: RULES }) =>
  service.ask("PUT", url, { body: { mapping } });

describe(`mappings on ${databases.name}`, () => {
  it("are made and come back with their rules as they were sent", async () => {
    const made = await put(`${OS}/a`);
    const links = { self: "http://127.0.0.1:5900/v3/OS-FEDERATION/mappings/a" };
    expect(made.status).toBe(201);
    expect(made.body).toStrictEqual({ mapping: { id: "a", rules: RULES, schema_version: "1.0", links } });
    expect((await service.ask("GET", `${OS}/a`)).body).toStrictEqual(made.body);
  });

  it.each([
    [{ rules: [{ local: [], remote: [{}] }] }, 'rules[0].remote[0]: lacks "type"'],
    [
      { rules: [{ local: [], remote: [{ type: "A", any_one_of: ["("], regex: true }] }] },
      'rules[0].remote[0].any_one_of[0]: invalid pattern "(": missing ), unterminated subpattern at position 0',
    ],
    [
      { rules: RULES, schema_version: "4.0" },
      'schema_version: expected one of "1.0", "2.0", "3.0", found "4.0"',
    ],
  ])("are refused with the place of the fault: %j", async (mapping, message) => {
    await put(`${OS}/a`);
    for (const method of ["PUT", "PATCH"]) {
      const { status, body } = await service.ask(method, `${OS}/a`, { body: { mapping } });
      expect([status, body.error.message]).toStrictEqual([400, message]);
    }
    expect((await service.ask("GET", `${OS}/a`)).body.mapping.rules).toStrictEqual(RULES);
  });

  it("are refused a second time below OS-FEDERATION, and replaced below the extension", async () => {
    await put(`${OS}/a`, { rules: RULES, schema_version: "2.0" });
    expect((await put(`${OS}/a`)).status).toBe(409);
    for (const prefix of PREFIXES.slice(1)) {
      const { status, body } = await put(`${prefix}/mappings/a`);
      expect([status, body.mapping.schema_version]).toStrictEqual([200, "1.0"]);
      expect(body.mapping.links.self).toBe(`http://127.0.0.1:5900${prefix}/mappings/a`);
      await service.ask("PATCH", `${OS}/a`, { body: { mapping: { rules: RULES, schema_version: "2.0" } } });
    }
  });

  it("come in pages", async () => {
    for (const id of ["a", "b", "c"]) await put(`${OS}/${id}`);
    const { body } = await service.ask("GET", `${OS}?limit=2`);
    expect(body.mappings).toHaveLength(2);
    const next = await service.ask("GET", body.links.next.replace("http://127.0.0.1:5900", ""));
    expect(next.body.mappings.map(({ id }: { id: string }) => id)).toStrictEqual(["c"]);
  });

  it.each(PREFIXES)("report below %s the result of an assertion, and why", async (prefix) => {
    await put(`${OS}/a`);
    const assertion = { MAIL: "kim@example.org", ORG: "Guest;Staff" };
    const { status, body } = await service.ask("POST", `${prefix}/mappings/a/evaluate`, {
      body: { assertion },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: {
        user: { name: "kim@example.org", type: "ephemeral" },
        group_ids: ["staff"],
        group_names: [],
        projects: [],
      },
      error: null,
      trace: [
        {
          rule: 0,
          matched: true,
          conditions: [
            { condition: 0, type: "MAIL", matched: true, reason: "the assertion has it" },
            { condition: 1, type: "ORG", matched: true, reason: "a value is in the list" },
          ],
          values: [
            {
              place: "rules[0].local[0].user.name",
              template: "{0}",
              from: [0],
              value: "kim@example.org",
              note: null,
            },
            { place: "rules[0].local[1].group.id", template: "staff", from: [], value: "staff" },
          ],
        },
      ],
    });
  });

  it("report why a login is rejected", async () => {
    await put(`${OS}/a`);
    const ask = () => service.ask("POST", `${OS}/a/evaluate`, { body: { assertion: { MAIL: "x" } } });
    expect((await ask()).body).toMatchObject({
      result: null,
      error: {
        reason: "no-rule-matched",
        message: "no rule matched, or the matching rules assign nothing",
      },
      trace: [{ matched: false, conditions: [{}, { reason: 'the assertion has no "ORG"' }] }],
    });
    // What was changed counts at once.
    const rules = [{ ...RULES[0], remote: [{ type: "MAIL" }] }];
    await service.ask("PATCH", `${OS}/a`, { body: { mapping: { rules } } });
    expect((await ask()).body.result.user.name).toBe("x");
  });

  it("can be tried before they are stored", async () => {
    const ask = (body: object) => service.ask("POST", `${OS}/evaluate`, { body });
    const rules = [
      {
        local: [{ user: { name: "{0}" }, projects: [{ name: "p", roles: [], domain: { id: "d" } }] }],
        remote: [{ type: "A" }],
      },
    ];
    const { status, body } = await ask({ rules, schema_version: "2.0", assertion: { A: "kim" } });
    expect(status).toBe(200);
    expect(body.result).toStrictEqual({
      user: { name: "kim", type: "ephemeral", domain: null },
      group_ids: [],
      group_names: [],
      projects: [{ name: "p", roles: [], domain: { id: "d" } }],
    });
    const refused = await ask({ rules, assertion: {} });
    expect([refused.status, refused.body.error.message]).toStrictEqual([
      400,
      'rules[0].local[0].projects[0]: unknown member "domain", expected one of name, roles',
    ]);
    expect((await service.ask("GET", OS)).body.mappings).toStrictEqual([]);
  });

  it("are evaluated where there are some, and with an assertion alone", async () => {
    expect((await service.ask("POST", `${OS}/no/evaluate`, { body: { assertion: {} } })).status).toBe(404);
    await put(`${OS}/a`);
    for (const body of [{}, { assertion: "x" }, { assertion: {}, rules: [] }])
      expect((await service.ask("POST", `${OS}/a/evaluate`, { body })).status).toBe(400);
  });

  it("are read and tried by administrators and readers of the system, and changed by administrators alone", async () => {
    await put(`${OS}/a`);
    const reads = [
      ["GET", OS, undefined],
      ["GET", `${OS}/a`, undefined],
      ["POST", `${OS}/a/evaluate`, { assertion: {} }],
      ["POST", `${OS}/evaluate`, { assertion: {}, rules: RULES }],
    ] as const;
    for (const [method, url, body] of reads) {
      expect((await service.ask(method, url, { as: SYSTEM_READER, body })).status).toBe(200);
      expect((await service.ask(method, url, { as: null, body })).status).toBe(401);
      for (const as of [UNSCOPED, inDomain("default", "admin")])
        expect((await service.ask(method, url, { as, body })).status).toBe(403);
    }
    for (const method of ["PUT", "PATCH", "DELETE"])
      for (const as of [UNSCOPED, SYSTEM_READER, inDomain("default", "admin")])
        expect((await service.ask(method, `${OS}/a`, { as, body: {} })).status).toBe(403);
    expect((await service.ask("DELETE", `${OS}/a`)).status).toBe(204);
  });
});
