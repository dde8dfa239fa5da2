/** Commands for users who are locked out by their multi-factor rules, and for tokens from federated logins. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { listAuditEvents } from "../../src/console/audit/audit-event-store.js";
import { migrations } from "../../src/migrations/migrations.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { commandLine, freePort } from "../command-line.js";
import { databases, type TestDatabase } from "../databases.js";
import { asForwarded, ENV, NAMED } from "../federation/login-server.js";
import { ISSUER, metadata } from "../federation/saml/test-provider.js";
import { ADMIN_PASSWORD } from "../test-app.js";

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/idp";
const TOTP = [["password", "totp"]];

interface Tables {
  readonly project: {
    id: string;
    name: string;
    is_domain: boolean;
    enabled: boolean;
    description: string;
    options: string;
    extra: string;
  };
  readonly user: {
    id: string;
    name: string;
    domain_id: string;
    enabled: boolean;
    options: string;
    extra: string;
    created_at: number;
    failed_logins: number;
    is_federated: boolean;
  };
}

const DEFAULT_DOMAIN = {
  id: "default",
  name: "Default",
  is_domain: true,
  enabled: true,
  description: "",
  options: "{}",
  extra: "{}",
};

describe(`hamkit-identity on ${databases.name}`, () => {
  const { start, finish } = commandLine();
  let place: TestDatabase;
  let env: Record<string, string>;
  beforeEach(async () => {
    place = await databases.create();
    env = { ...ENV, IDENTITY_DATABASE_URL: place.url, IDENTITY_AUDIT_TRAIL_DAYS: "1" };
  });
  afterEach(() => place.remove());

  /** A service in a process of its own, and its administrator. */
  async function serving() {
    const port = await freePort();
    const run = start(["serve"], { ...env, IDENTITY_PORT: String(port) });
    await expect.poll(run.output, { timeout: 20_000 }).toContain('"msg":"serving"');
    const url = `http://127.0.0.1:${port}`;
    async function ask(method: string, path: string, headers: Record<string, string>, body?: object) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        token: answer.headers.get("x-subject-token") ?? "",
        body: text === "" ? undefined : JSON.parse(text),
      };
    }
    const logIn = (user: object, scope?: object) =>
      ask(
        "POST",
        "/v3/auth/tokens",
        {},
        {
          auth: { identity: { methods: ["password"], password: { user } }, scope },
        },
      );
    const administrator = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const { token: admin } = await logIn(administrator, { system: { all: true } });
    return {
      run,
      logIn,
      /** Begins a session of the console. */
      signIn: (user: object) => {
        const auth = { identity: { methods: ["password"], password: { user } }, scope: { unscoped: {} } };
        return ask("POST", "/console/api/session", { "x-console": "1", origin: url }, { auth });
      },
      asAdmin: (method: string, path: string, body?: object) =>
        ask(method, path, { "x-auth-token": admin }, body),
      check: async (subject: string) =>
        (await ask("GET", "/v3/auth/tokens", { "x-auth-token": admin, "x-subject-token": subject })).status,
      atProvider: () =>
        ask("GET", `${PROVIDER}/protocols/mapped/auth`, asForwarded({ REMOTE_USER: "ann", IDP: "x" })),
    };
  }

  it("doctor names users whose rules can't be satisfied, and users clear-mfa-rules allows their login", async () => {
    const service = await serving();
    const add = async (name: string, options: object) => {
      const user = { name, domain_id: "default", password: "a-password", options };
      const { body } = await service.asAdmin("POST", "/v3/users", { user });
      return body.user.id as string;
    };
    const id = await add("locked", { multi_factor_auth_rules: TOTP });
    await add("by another way", { multi_factor_auth_rules: [...TOTP, ["password", "mapped"]] });
    const equipped = await add("with an authenticator", { multi_factor_auth_rules: TOTP });
    const credential = { type: "totp", blob: "JBSWY3DPEHPK3PXP", user_id: equipped };
    expect((await service.asAdmin("POST", "/v3/credentials", { credential })).status).toBe(201);
    const keyless = await add("keyless", { multi_factor_auth_rules: [["webauthn"]] });
    await add("switched off", { multi_factor_auth_rules: TOTP, multi_factor_auth_enabled: false });
    const { body } = await service.asAdmin("GET", "/v3/users?name=admin");
    const admin = body.users[0].id as string;
    const options = { multi_factor_auth_rules: [["totp"]] };
    await service.asAdmin("PATCH", `/v3/users/${admin}`, { user: { options } });
    const locked = { id, password: "a-password" };
    expect((await service.logIn(locked)).status).toBe(401);

    const found = await finish(["doctor"], env);
    expect(found.exit).toBe(0);
    const line = found.output.split("\n").find((each) => each.includes("multi-factor")) ?? "";
    expect(line).toContain("warning  multi-factor     3 can't log in");
    expect(line).toContain(`locked (${id}, domain default): [["password","totp"]]`);
    expect(line).toContain(`keyless (${keyless}, domain default): [["webauthn"]]`);
    expect(line).toContain(`admin (${admin}, domain default): [["totp"]]`);
    expect(line).toMatch(/Run hamkit-identity users clear-mfa-rules USER$/);

    expect(await finish(["users", "clear-mfa-rules", id], env)).toEqual({
      exit: 0,
      output: `Deleted the multi-factor rules of user locked (${id}): [["password","totp"]].\n`,
      errors: "",
    });
    expect(await finish(["users", "clear-mfa-rules", "admin", "--domain", "Default"], env)).toMatchObject({
      exit: 0,
      errors: "",
    });
    await expect
      .poll(async () => (await service.logIn(locked)).status, { timeout: 5000, interval: 50 })
      .toBe(201);
    const administrator = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    expect((await service.logIn(administrator)).status).toBe(201);
    await finish(["users", "clear-mfa-rules", keyless], env);
    expect((await finish(["doctor"], env)).output).not.toContain("multi-factor");
    expect((await finish(["users", "clear-mfa-rules", "admin"], env)).output).toMatch(
      /has no multi-factor rules\.\n$/,
    );
    expect(await finish(["users", "clear-mfa-rules", "unknown"], env)).toEqual({
      exit: 1,
      output: "",
      errors: 'hamkit-identity: No user has the id "unknown", or that name in domain "default"\n',
    });
  }, 60_000);

  it("users ends sessions and resets what a user logs in with", async () => {
    const service = await serving();
    const user = { name: "ada", domain_id: "default", password: "first-secret" };
    const { id } = (await service.asAdmin("POST", "/v3/users", { user })).body.user;
    const ada = (secret: string) => ({ name: "ada", domain: { id: "default" }, password: secret });
    let password = "";
    const list = async () => (await finish(["users", "sessions", "ada"], env)).output;
    expect(await list()).toBe("0 sessions. Tokens are not stored, and so not listed.\n");
    for (let count = 0; count < 2; count++)
      expect((await service.signIn(ada("first-secret"))).status).toBe(200);
    const shown = await list();
    const [session = ""] = shown.split(" ");
    expect(shown.split("\n")[0]).toMatch(/^[\w-]{43} console, by password, until .*Z$/);
    expect(shown).toMatch(/^2 sessions\./m);
    const audits: unknown[] = [];
    const counts: string[] = [];
    for (const [words, line, action] of [
      [
        ["end-session", "ada", session],
        `Ended session ${session} of user ada (${id}), and revoked its tokens.`,
        "end_session",
      ],
      [
        ["end-sessions", "ada"],
        `Ended all sessions of user ada (${id}), and revoked all its tokens.`,
        "end_sessions",
      ],
      [
        ["reset-passkeys", "ada"],
        `Deleted all passkeys of user ada (${id}), and revoked all its tokens.`,
        "reset_passkeys",
      ],
      [
        ["reset-one-time-codes", "ada"],
        `Deleted the secrets of one-time codes of user ada (${id}), and revoked all its tokens.`,
        "reset_one_time_codes",
      ],
      [["reset-password", id], `The password of user ada (${id}) is `, "reset_password"],
    ] as const) {
      const run = await finish(["users", ...words], env);
      expect([run.exit, run.output]).toEqual([0, expect.stringContaining(line)]);
      const target = { user_id: id, ...(action === "end_session" && { session_id: session }) };
      const audit = { action: `identity:${action}`, target, outcome: "done", from: "command line" };
      expect(JSON.parse(run.errors)).toMatchObject({ msg: "audit", audit });
      audits.push({ action: audit.action, address: audit.from, details: { target } });
      counts.push(/^(\d) sessions\./m.exec(await list())?.[1] ?? "");
      if (action === "reset_password")
        password = /is (\S+), and has to be changed/.exec(run.output)?.[1] ?? "";
    }
    const database = openDatabase(place.url);
    const events = await listAuditEvents(database, { address: "command line", limit: 10 });
    await database.close();
    expect(events.toReversed()).toMatchObject(audits);
    expect(counts).toEqual(["1", "0", "0", "0", "0"]);
    for (const hyphened of [`-c${"a".repeat(41)}`, `--${"b".repeat(41)}`, `-h${"c".repeat(20)}`])
      for (const options of [[], ["--domain", "default"]]) {
        const run = await finish(["users", "end-session", "ada", hyphened, ...options], env);
        expect(run.errors).toBe(`hamkit-identity: Could not find session: ${hyphened}.\n`);
      }
    const unknown = await finish(["users", "end-session", "ada", session], env);
    expect([unknown.exit, unknown.errors]).toEqual([
      1,
      `hamkit-identity: Could not find session: ${session}.\n`,
    ]);
    expect((await finish(["users", "end-session", "ada"], env)).errors).toContain(
      "missing required argument 'session'",
    );
    const login = await service.logIn(ada(password));
    expect([login.status, login.body.error.message]).toEqual([
      401,
      expect.stringContaining("The password is expired"),
    ]);
    expect(await finish(["users", "end-sessions", "unknown"], env)).toEqual({
      exit: 1,
      output: "",
      errors: 'hamkit-identity: No user has the id "unknown", or that name in domain "default"\n',
    });
  }, 60_000);

  it("doctor names domains with a directory, and users clear-driver lets locked out administrators in again", async () => {
    const service = await serving();
    const administrator = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
    const config = { identity: { driver: "ldap", list_limit: 5 } };
    expect((await service.asAdmin("PUT", "/v3/domains/default/config", { config })).status).toBe(201);
    expect((await service.logIn(administrator)).status).toBe(401);
    const { output } = await finish(["doctor"], env);
    expect(output).toMatch(
      /domain default has identity.driver "ldap".* run hamkit-identity users clear-driver default$/m,
    );
    expect(await finish(["users", "clear-driver", "unknown"], env)).toEqual({
      exit: 1,
      output: "",
      errors: 'hamkit-identity: No domain has the id or name "unknown"\n',
    });
    expect(await finish(["users", "clear-driver", "Default"], env)).toEqual({
      exit: 0,
      output: 'Deleted identity.driver "ldap" of domain default: its users can log in.\n',
      errors: "",
    });
    await expect
      .poll(async () => (await service.logIn(administrator)).status, { timeout: 5000, interval: 50 })
      .toBe(201);
    expect((await service.asAdmin("GET", "/v3/domains/default/config")).body).toEqual({
      config: { identity: { list_limit: 5 } },
    });
    expect((await finish(["users", "clear-driver"], env)).output).toBe(
      "Users of domain default are in no directory.\n",
    );
  });

  it("doctor and users clear-driver work before an upgrade, on a database without columns of this release", async () => {
    const database = openDatabase(place.url);
    await migrate(
      database,
      migrations.filter(({ name }) => name < "0043"),
    );
    const tables = database.tables<Tables & { readonly domain_config: typeof driver }>();
    await tables.insertInto("project").values(DEFAULT_DOMAIN).execute();
    const driver = { domain_id: "default", group_name: "identity", option_name: "driver", value: '"ldap"' };
    await tables.insertInto("domain_config").values(driver).execute();
    await database.close();
    expect((await finish(["doctor"], env)).output).toContain('domain default has identity.driver "ldap"');
    expect(await finish(["users", "clear-driver", "default"], env)).toMatchObject({ exit: 0, errors: "" });
    expect((await finish(["doctor"], env)).output).not.toContain("identity.driver");
  });

  it("doctor checks no secrets in a database that lacks tables with secrets, before an upgrade", async () => {
    const database = openDatabase(place.url);
    await migrate(
      database,
      migrations.filter(({ name }) => name < "0026"),
    );
    await database.close();
    const { output } = await finish(["doctor"], env);
    expect(output).toContain(
      "warning  secrets          not checked: the database lacks tables of this release",
    );
    expect(output).not.toContain("no such table");
  });

  it("doctor and users clear-mfa-rules work before an upgrade, on the database of an older release", async () => {
    const database = openDatabase(place.url);
    await migrate(
      database,
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name > "0006"),
      ),
    );
    const common = { enabled: true, extra: "{}" };
    const options = JSON.stringify({ multi_factor_auth_rules: TOTP });
    const user = { id: "u1", name: "old", domain_id: "default", options, created_at: 0, failed_logins: 0 };
    const tables = database.tables<Tables>();
    await tables.insertInto("project").values(DEFAULT_DOMAIN).execute();
    await tables
      .insertInto("user")
      .values({ ...user, ...common, is_federated: false })
      .execute();
    await database.close();
    expect((await finish(["doctor"], env)).output).toContain("multi-factor     1 can't log in");
    expect(await finish(["users", "clear-mfa-rules", "old"], env)).toMatchObject({ exit: 0, errors: "" });
    expect((await finish(["doctor"], env)).output).not.toContain("multi-factor");
    const ending = ["providers", "end-sessions", "idp"];
    expect((await finish(ending, env)).errors).toContain("run hamkit-identity migrate");
    expect(await finish(["migrate"], env)).toMatchObject({ exit: 0, errors: "" });
    expect((await finish(ending, env)).errors).toContain("Could not find Identity Provider: idp.");
  }, 60_000);

  it("providers end-sessions ends what a provider has led to, while the service runs", async () => {
    const service = await serving();
    const put = (path: string, body: object) => service.asAdmin("PUT", path, body);
    await put(PROVIDER, { identity_provider: { enabled: true } });
    await put("/v3/OS-FEDERATION/mappings/people", { mapping: { rules: [NAMED] } });
    await put(`${PROVIDER}/protocols/mapped`, { protocol: { mapping_id: "people" } });
    const { token } = await service.atProvider();
    expect(await service.check(token)).toBe(200);
    const ended = await finish(["providers", "end-sessions", "idp"], env);
    expect([ended.exit, ended.output]).toEqual([0, "All tokens from logins through idp are revoked.\n"]);
    expect(JSON.parse(ended.errors)).toMatchObject({
      msg: "audit",
      audit: { action: "identity:end_identity_provider_sessions", target: { idp_id: "idp" } },
    });
    await expect.poll(() => service.check(token), { timeout: 5000, interval: 50 }).toBe(404);
    expect(await service.check((await service.atProvider()).token)).toBe(200);
    expect(await finish(["providers", "end-sessions", "nope"], env)).toEqual({
      exit: 1,
      output: "",
      errors: "hamkit-identity: Could not find Identity Provider: nope.\n",
    });

    // The record of the same by HTTP has a name of its own.
    await service.asAdmin("POST", `${PROVIDER}/end_sessions`);
    await expect
      .poll(() => service.run.lines().flatMap(({ audit }) => audit ?? []))
      .toContainEqual(
        expect.objectContaining({
          action: "identity:end_identity_provider_sessions",
          target: { idp_id: "idp" },
          outcome: "done",
          status: 204,
        }),
      );
  }, 60_000);

  it("doctor fails for a provider that is down, and reads metadata in a thread", async () => {
    const service = await serving();
    const put = async (path: string, body: object) =>
      expect((await service.asAdmin("PUT", `/v3/OS-FEDERATION/${path}`, body)).status).toBe(201);
    await put("mappings/m", { mapping: { rules: [NAMED] } });
    await put("identity_providers/idp", { identity_provider: { enabled: true, remote_ids: [ISSUER] } });
    const settings = { type: "saml2", idp_metadata_xml: metadata() };
    await put("identity_providers/idp/protocols/inline", { protocol: { mapping_id: "m", settings } });
    const passing = await finish(["doctor"], env);
    expect(passing.output).toMatch(
      /^ok {7}providers {8}identity provider "idp", protocol "inline": passed: mapping, references, metadata, remote-ids, bindings, name-id$/m,
    );
    expect(passing.output).toMatch(
      /^warning {2}providers .*protocol "inline": certificates: .* expired at /m,
    );
    expect(passing.exit).toBe(0);
    const down = { type: "openid", issuer: "https://127.0.0.1:1", client_id: "x" };
    await put("identity_providers/idp/protocols/down", { protocol: { mapping_id: "m", settings: down } });
    const { exit, output } = await finish(["doctor"], {
      ...env,
      IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
    });
    expect(output).toMatch(
      /^failure {2}providers {8}identity provider "idp", protocol "down": discovery: request to 127\.0\.0\.1:1: no response \(ECONNREFUSED\): /m,
    );
    expect(exit).toBe(1);
  });
});
