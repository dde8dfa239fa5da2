/** The users of the default domain in the directory that the service's settings name, on two replicas. */
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { createApp, type App } from "../../src/app.js";
import { DEFAULT_BOOTSTRAP } from "../../src/bootstrap-settings.js";
import { runBootstrap } from "../../src/commands/bootstrap/run-bootstrap.js";
import { readConfig } from "../../src/config.js";
import { systemClock } from "../../src/platform/clock.js";
import { newId, newRequestId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import { servedDatabases, sqliteDatabases } from "../../test/databases.js";
import { migratedDatabase } from "../../test/migrated-databases.js";
import { group, person, UNITS } from "./directory-cloud.js";
import { SERVICE_DN, SERVICE_PASSWORD, startSlapd } from "./slapd-server.js";

const ADMIN_PASSWORD = "adminpw";

const publicId = (uid: string) => createHash("sha256").update(`defaultuser${uid}`).digest("hex");

it.each(servedDatabases(sqliteDatabases))(
  "has the users of its directory on every replica, and other domains have their own, on $name",
  async (databases) => {
    const slapd = await startSlapd(
      UNITS + person("alva") + person("bero") + group("staff", ["uid=bero,ou=People,dc=test"]),
    );
    onTestFinished(() => slapd.remove());
    const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const passwordFile = join(folder, "ldap-password");
    await writeFile(passwordFile, `${SERVICE_PASSWORD}\n`);
    const place = await migratedDatabase(databases);
    onTestFinished(() => place.remove());
    const config = readConfig({
      IDENTITY_DATABASE_URL: place.url,
      IDENTITY_RATE_LIMIT: "off",
      IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
      IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on",
      IDENTITY_LDAP_RECHECK: "0",
      IDENTITY_DRIVER: "ldap",
      IDENTITY_LDAP_URL: slapd.url,
      IDENTITY_LDAP_USER: SERVICE_DN,
      IDENTITY_LDAP_PASSWORD_FILE: passwordFile,
      IDENTITY_LDAP_USER_TREE_DN: "ou=People,dc=test",
      IDENTITY_LDAP_USER_ID_ATTRIBUTE: "uid",
      IDENTITY_LDAP_USER_NAME_ATTRIBUTE: "uid",
      IDENTITY_LDAP_GROUP_TREE_DN: "ou=Groups,dc=test",
      IDENTITY_LDAP_GROUP_NAME_ATTRIBUTE: "cn",
    });
    const requested = { settings: DEFAULT_BOOTSTRAP, password: undefined, isGiven: false };
    await runBootstrap(config, { isReset: false, requested });
    // A user of the directory becomes an administrator.
    const alva = { ...requested, settings: { ...DEFAULT_BOOTSTRAP, username: "alva" }, isGiven: true };
    await runBootstrap(config, { isReset: false, requested: alva });

    const log = createLog("silent", { write: () => {} });
    const deps = {
      log,
      newId,
      newRequestId,
      isProcess: false,
      clock: systemClock,
      publicUrl: "http://identity.test",
    };
    const apps: App[] = [await createApp(config, deps), await createApp(config, deps)];
    onTestFinished(async () => void (await Promise.all(apps.map((app) => app.close()))));

    let admin = "";
    const ask = async (method: "GET" | "POST" | "PUT" | "DELETE", url: string, body?: object, at = 0) => {
      const headers = { ...(admin !== "" && { "x-auth-token": admin }) };
      const response = await apps[at]?.server.inject({
        method,
        url: `/v3${url}`,
        headers,
        ...(body && { payload: body }),
      });
      if (response === undefined) throw new Error(`no replica ${at}`);
      const { statusCode: status, body: text } = response;
      const token = String(response.headers["x-subject-token"] ?? "");
      return { status, token, body: text === "" ? undefined : JSON.parse(text) };
    };
    const logIn = (user: object, password: string, at = 0, scope?: object) => {
      const identity = { methods: ["password"], password: { user: { ...user, password } } };
      return ask("POST", "/auth/tokens", { auth: { identity, ...(scope && { scope }) } }, at);
    };
    const domain = { id: "default" };
    const entered = await logIn({ name: "alva", domain }, "pw-alva", 1, {
      project: { name: "admin", domain },
    });
    expect(entered).toMatchObject({ status: 201, body: { token: { user: { id: publicId("alva") } } } });
    admin = entered.token;

    const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name).toSorted();
    for (const at of [0, 1]) {
      expect((await logIn({ name: "bero", domain }, "pw-bero", at)).status).toBe(201);
      expect((await logIn({ name: "bero", domain }, "wrong", at)).status).toBe(401);
      // The one in the database has lost its name to the directory.
      expect((await logIn({ name: "admin", domain }, ADMIN_PASSWORD, at)).status).toBe(401);
      // As in Keystone, a list that names no domain is that of the default driver.
      expect(namesOf((await ask("GET", "/users", undefined, at)).body.users)).toEqual(["alva", "bero"]);
      expect(namesOf((await ask("GET", "/groups?domain_id=default", undefined, at)).body.groups)).toEqual([
        "staff",
      ]);
    }
    expect((await ask("POST", "/users", { user: { name: "new", domain_id: "default" } })).status).toBe(403);

    // Another domain is not in the directory.
    const other = (await ask("POST", "/domains", { domain: { name: "other" } })).body.domain.id;
    const draft = { user: { name: "own", domain_id: other, password: "pw-own" } };
    expect((await ask("POST", "/users", draft)).status).toBe(201);
    expect((await logIn({ name: "own", domain: { id: other } }, "pw-own", 1)).status).toBe(201);
    expect(namesOf((await ask("GET", `/users?domain_id=${other}`)).body.users)).toEqual(["own"]);
    expect((await ask("GET", `/users/${publicId("bero")}/groups`, undefined, 1)).body.groups).toHaveLength(1);

    // A configuration of the domain's own takes its place: without a driver, the database.
    const own = { config: { identity: { list_limit: 5 } } };
    expect((await ask("PUT", "/domains/default/config", own)).status).toBe(201);
    expect((await logIn({ name: "admin", domain }, ADMIN_PASSWORD)).status).toBe(201);
    await expect
      .poll(async () => (await logIn({ name: "admin", domain }, ADMIN_PASSWORD, 1)).status)
      .toBe(201);
    expect((await logIn({ name: "bero", domain }, "pw-bero")).status).toBe(401);
  },
);
