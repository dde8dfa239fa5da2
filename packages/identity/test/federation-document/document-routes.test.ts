/** The document by the API: who may, secrets of the request, and applies beside each other and beside other requests. */
import { afterEach, beforeEach, expect, it } from "vitest";

import { databases } from "../databases.js";
import { loginServer, asserted, ENV, type LoginServer } from "../federation/login-server.js";

const PATH = "/v3/OS-FEDERATION/document";
let server: LoginServer;

beforeEach(async () => {
  server = await loginServer(databases, {
    ...ENV,
    IDENTITY_AUDIT_TRAIL_DAYS: "1",
    IDENTITY_LOGIN_RECORDING: "on",
  });
});
afterEach(() => server.close());

const plan = (document: string, more: object = {}) =>
  server.ask("POST", `${PATH}/plan`, { body: { document, ...more } });
const apply = (document: string, more: object = {}) =>
  server.ask("PUT", PATH, { body: { document, ...more } });
const groups = (...names: string[]) =>
  `version: 1\ngroups:\n${names.map((name) => `  - { domain: Default, name: ${name} }\n`).join("")}`;
const linesOf = async (document: string): Promise<string[]> => (await plan(document)).body.lines as string[];

/** A token of another user with a role in the system. */
async function tokenOf(role: string): Promise<string> {
  const { body: found } = await server.ask("GET", `/v3/roles?name=${role}`);
  const userId = await server.create("users", {
    name: `system-${role}`,
    domain_id: "default",
    password: "secret",
  });
  await server.ask("PUT", `/v3/system/users/${userId}/roles/${found.roles[0].id}`);
  const identity = { methods: ["password"], password: { user: { id: userId, password: "secret" } } };
  const body = { auth: { identity, scope: { system: { all: true } } } };
  return (await server.ask("POST", "/v3/auth/tokens", { token: "", body })).token;
}

it("exports, plans and applies as the command does", async () => {
  const { headers, text } = await server.ask("GET", PATH);
  expect(headers["content-type"]).toContain("application/yaml");
  expect((await plan(text)).body.changes).toEqual([]);
  const planned = await plan(groups("staff"));
  expect(planned.body).toMatchObject({ lines: ["+ group Default/staff"], logins: [] });
  expect(await linesOf(groups("staff"))).toHaveLength(1);
  const { status, body } = await apply(groups("staff"), { revision: planned.body.revision });
  expect([status, body.lines]).toEqual([200, ["+ group Default/staff"]]);
  expect(await linesOf(groups("staff"))).toEqual([]);
});

it("exports one section, or one provider with its mappings", async () => {
  const section = await server.ask("GET", `${PATH}?format=json&section=mappings`);
  expect(Object.keys(section.body as object)).toEqual(["version", "mappings"]);
  const provider = await server.ask("GET", `${PATH}?identity_provider=idp`);
  expect(provider.text).toMatch(/mappings:\n {2}- id: people[\s\S]*identity_providers:\n {2}- id: idp/);
  expect((await plan(provider.text)).body.lines).toEqual([]);
  expect(await server.ask("GET", `${PATH}?identity_provider=none`)).toMatchObject({ status: 404 });
  const mapping = await server.ask("GET", `${PATH}?mapping=people`);
  expect(mapping.text).toMatch(
    /^#[^\n]*\n#[^\n]*\n\nversion: 1\n\nmappings:\n {2}- id: people\n(?: {4,}[^\n]*\n)*$/,
  );
  expect(await server.ask("GET", `${PATH}?mapping=none`)).toMatchObject({ status: 404 });
  const peer = { auth_url: "https://peer.example.org/v3/auth", sp_url: "https://peer.example.org/ecp" };
  await server.ask("PUT", "/v3/OS-FEDERATION/service_providers/peer", { body: { service_provider: peer } });
  const peerText = (await server.ask("GET", `${PATH}?service_provider=peer&format=json`)).text;
  expect(JSON.parse(peerText)).toEqual({
    version: 1,
    service_providers: [{ id: "peer", ...peer, enabled: false }],
  });
  expect(await server.ask("GET", `${PATH}?service_provider=none`)).toMatchObject({ status: 404 });
  expect(await server.ask("GET", `${PATH}?section=users`)).toMatchObject({ status: 400 });
});

it("lets readers of the system export, and administrators of the system alone plan and apply", async () => {
  for (const [role, statuses] of [
    ["reader", [200, 403, 403]],
    ["admin", [200, 200, 200]],
  ] as const) {
    const token = await tokenOf(role);
    const body = { document: groups("staff") };
    expect([
      (await server.ask("GET", PATH, { token })).status,
      (await server.ask("POST", `${PATH}/plan`, { token, body })).status,
      (await server.ask("PUT", PATH, { token, body })).status,
    ]).toEqual(statuses);
  }
  expect(await server.ask("GET", PATH, { token: "" })).toMatchObject({ status: 401 });
});

it("takes secrets from the request alone, and keeps stored ones without", async () => {
  const document = (reference: string) =>
    `version: 1\nidentity_providers:\n  - id: idp\n    domain: people\n    enabled: true\n    remote_ids: [https://idp.example.org]\n    protocols:\n      - id: openid\n        mapping: people\n        settings: { type: openid, issuer: https://idp.example.org, client_id: c, client_secret: ${reference} }\n`;
  for (const [reference, secrets, reason] of [
    ["{ env: PATH }", {}, 'the request\'s "secrets" have no "PATH"'],
    ["{ env: __proto__ }", {}, 'have no "__proto__"'],
    ["{ file: /etc/hostname }", { "/etc/hostname": "x" }, "is a file, expected { env: NAME }"],
    ["{ env: A }", { A: "" }, "is empty"],
    ["{ env: A }", undefined, "the service has no such secret to keep"],
    ["literal", { A: "b" }, "a secret is given by reference"],
  ] as const) {
    const refused = await apply(document(reference), { secrets });
    expect(refused.status).toBe(400);
    expect(refused.text.replaceAll(String.raw`\"`, '"')).toContain(reason);
  }
  const first = await apply(document("{ env: A }"), { secrets: { A: "hush-hush" } });
  expect(first.body.lines).toEqual(["+ protocol idp/openid"]);
  expect((await apply(document("{ env: A }"))).body.lines).toEqual([]);
  const second = await apply(document("{ env: A }"), { secrets: { A: "other-secret" } });
  expect(second.body.changes[0].fields).toEqual([
    { field: "settings.client_secret", secret: true, is_set: true },
  ]);
  expect(JSON.stringify([server.audits, first.body, second.body])).not.toMatch(/hush-hush|other-secret/);
});

it("records each change with the caller, the request and its address", async () => {
  const { headers } = await apply(groups("one", "two"));
  const own = (await trail()).filter(({ request_id: id }) => id === headers["x-openstack-request-id"]);
  expect(own.map(({ action }) => action).toSorted()).toEqual([
    "identity:apply_federation_document",
    "identity:create_group",
    "identity:create_group",
  ]);
  for (const { user_id: user, address } of own)
    expect([typeof user, address]).toEqual(["string", "127.0.0.1"]);
});

interface TrailRow {
  readonly action: string;
  readonly request_id: string;
  readonly user_id: string | null;
  readonly address: string;
}

/** The events of requests are written in batches. */
async function trail(): Promise<TrailRow[]> {
  let rows: TrailRow[] = [];
  await expect
    .poll(async () => {
      const query = server.database.tables<{ audit_event: TrailRow }>().selectFrom("audit_event").selectAll();
      rows = await query.execute();
      return rows.map(({ action }) => action);
    })
    .toContain("identity:apply_federation_document");
  return rows;
}

it("has one of two applies of one plan win, and refuses the other by its revision", async () => {
  const { revision } = (await plan(groups("one", "two"))).body as { revision: string };
  const answers = await Promise.all([
    apply(groups("one", "two"), { revision }),
    apply(groups("one", "two"), { revision }),
  ]);
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.text).toContain(`its revision was ${revision}`);
});

it("refuses a planned apply after any change of what it changes, and changes nothing", async () => {
  const mapped = (name: string) =>
    `version: 1\nmappings:\n  - { id: people, rules: [{ local: [{ user: { name: ${name} } }], remote: [{ type: REMOTE_USER }] }] }\n`;
  const { revision } = (await plan(mapped("planned"))).body as { revision: string };
  await server.map([{ local: [{ user: { name: "changed" } }], remote: [{ type: "REMOTE_USER" }] }]);
  expect(await apply(mapped("planned"), { revision })).toMatchObject({ status: 409 });
  expect((await plan(mapped("changed"))).body.lines).toEqual([]);
});

it("is whole beside writes of the API: each is before it or after it", async () => {
  const document = (enabled: boolean) =>
    `version: 1\nidentity_providers:\n  - { id: idp, domain: people, enabled: ${enabled}, description: d${enabled}, remote_ids: [https://idp.example.org] }\n${groups(...Array.from({ length: 20 }, (_, index) => `g${index}`)).replace("version: 1\n", "")}`;
  const write = (index: number) =>
    server.ask("PATCH", "/v3/OS-FEDERATION/identity_providers/idp", {
      body: { identity_provider: { enabled: index % 2 === 0, description: `d${index % 2 === 0}` } },
    });
  const answers = await Promise.all([
    apply(document(false)),
    ...Array.from({ length: 6 }, (_, index) => write(index)),
    apply(document(true)),
    server.ask("POST", "/v3/groups", { body: { group: { name: "g19", domain_id: "default" } } }),
  ]);
  // The group may have been created first by either; the loser is refused or finds it.
  for (const { status } of answers) expect([200, 201, 409]).toContain(status);
  const { body } = await server.ask("GET", "/v3/OS-FEDERATION/identity_providers/idp");
  const { enabled, description } = body.identity_provider as { enabled: boolean; description: string };
  expect(description).toBe(`d${enabled}`);
  const { body: listed } = await server.ask("GET", "/v3/groups?domain_id=default");
  const names = (listed.groups as { name: string }[]).map(({ name }) => name);
  expect(names.filter((name) => /^g\d+$/.test(name))).toHaveLength(20);
});

it("tells whom a changed mapping affects, by their recorded logins", async () => {
  const recording = await server.ask(
    "PUT",
    "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped/recording",
    {
      body: { recording: { attributes: ["REMOTE_USER"] } },
    },
  );
  expect(recording.status).toBeLessThan(300);
  for (const name of ["anna", "berta"])
    expect(await server.login(asserted(name))).toMatchObject({ status: 201 });
  const document = `version: 1\nmappings:\n  - id: people\n    rules:\n      - { local: [{ user: { name: "{0}" } }], remote: [{ type: REMOTE_USER }, { type: REMOTE_USER, any_one_of: [anna] }] }\n`;
  await expect
    .poll(async () => (await plan(document)).body.logins as unknown)
    .toEqual([{ subject: "mapping people", logins: 2, same: 1, changes: [expect.stringContaining("1 ")] }]);
});
