/** Clouds of real Keystones, imported: their tokens and logins are answered as those Keystones answered. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { gunzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createApp, type App } from "../../src/app.js";
import { importKeystone } from "../../src/commands/import/keystone-import.js";
import { readConfig } from "../../src/config.js";
import { differencesOf, type ValueDifference } from "../../src/import/verification/response-differences.js";
import { dropImportedKeys } from "../../src/tokens/imported/imported-tokens.js";
import { systemClock } from "../../src/platform/clock.js";
import { newId, newRequestId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import {
  onServer,
  postgresDatabases,
  sqliteDatabases,
  type TestDatabase,
  type TestDatabases,
} from "../../test/databases.js";
import type { GoldenRow } from "../../test/golden.js";
import {
  CLOUD_METHODS,
  cloudFolder,
  cloudIds,
  cloudRows,
  hasClouds,
  type CloudIds,
  type CloudName,
} from "../../test/keystone-cloud.js";

const TEN_YEARS_SECONDS = 315_360_000;

/** The responses that differ on purpose: by the name of the request, the status here. */
const DIFFERENT: Readonly<Record<string, number>> = {
  // hashes-of-all-releases
  "login sha512 of Default": 201,
  "login bsha2 of Default": 201,
  // Keystone reveals that no such application credential exists.
  "app cred login rules2": 401,
};

/** Values that differ on purpose: the section of docs/identity/differences.md. */
const DIFFERENT_VALUES: Readonly<Record<string, (difference: ValueDifference, row: GoldenRow) => boolean>> = {
  "scopes-are-enabled": ({ path, source, target }, row) =>
    (row.path === "/v3/auth/projects" &&
      target === undefined &&
      source?.includes('"enabled":false') === true) ||
    (row.path === "/v3/auth/system" && path === "system/0" && source === undefined),
  "tokens-of-federations-are-like-others": ({ path }, row) =>
    JSON.stringify(row.response_body).includes('"OS-FEDERATION"') &&
    /^token\/roles\/\w+\/(?:domain_id|description|options)$/.test(path),
};

const CASES: readonly (readonly [CloudName, TestDatabases, string])[] = [
  ["head", sqliteDatabases, "http://127.0.0.1:6361"],
  ["zed", postgresDatabases, "http://127.0.0.1:6360"],
];

describe.skipIf(!hasClouds).each(CASES)("the cloud of the Keystone %s", (cloud, databases, publicUrl) => {
  let app: App;
  let place: TestDatabase;
  let source: string;
  const tokens: CloudIds["tokens"] = hasClouds ? cloudIds(cloud).tokens : {};

  beforeAll(async () => {
    source = await restore(cloud);
    place = await databases.create();
    const config = readConfig({
      IDENTITY_DATABASE_URL: place.url,
      IDENTITY_RATE_LIMIT: "off",
      IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      IDENTITY_ADMIN_PASSWORD: "unused",
      IDENTITY_LOCKOUT_ATTEMPTS: "3",
      IDENTITY_LOCKOUT_SECONDS: String(TEN_YEARS_SECONDS),
      IDENTITY_PASSWORD_HISTORY: "5",
      IDENTITY_INACTIVE_DAYS: "36500",
      IDENTITY_ALLOW_REDELEGATION: "on",
      IDENTITY_REMOTE_ID_ATTRIBUTE: "MELLON_IDP",
    });
    const { isDone } = await importKeystone(config, {
      address: source,
      keystoneConf: undefined,
      fernetKeys: `${cloudFolder(cloud)}fernet-keys`,
      credentialKeys: `${cloudFolder(cloud)}credential-keys`,
      authMethods: CLOUD_METHODS,
      tokenExpirationSeconds: TEN_YEARS_SECONDS,
      isDryRun: false,
      isUpdate: false,
      prefer: undefined,
      stderr: { write: () => true },
      isInteractive: false,
    });
    if (!isDone) throw new Error("nothing was imported");
    const log = createLog("silent", { write: () => {} });
    app = await createApp(
      { ...config, publicUrl },
      { log, clock: systemClock, newId, newRequestId, isProcess: false },
    );
  });
  afterAll(async () => {
    await app.close();
    await place.remove();
    await onServer(`drop database ${new URL(source).pathname.slice(1)}`);
  });

  /** How the response to a recorded request differs from the recorded one; nothing if it does not. */
  async function replay(row: GoldenRow): Promise<object | undefined> {
    const headers = Object.entries(row.request_headers).map(([name, value]) => [
      name,
      value.startsWith("$") ? (tokens[value.slice(1)] ?? "") : value,
    ]);
    const answer = await app.server.inject({
      method: row.method as "GET",
      url: row.path,
      headers: Object.fromEntries(headers) as Record<string, string>,
      ...(isObject(row.request_body) && { payload: row.request_body }),
    });
    const body = JSON.parse(answer.body) as unknown;
    const status = DIFFERENT[row.name] ?? row.status;
    // Keystone's own faults.
    if (status >= 500) return undefined;
    const isCompared = status < 400 && row.status < 400;
    const values = isCompared
      ? differencesOf(row.response_body, body).filter((difference) => !isExpected(difference, row))
      : [];
    if (answer.statusCode === status && values.length === 0) return undefined;
    return { request: row.name, status: [status, answer.statusCode], values };
  }

  async function replayAll(file: string): Promise<object[]> {
    const found: object[] = [];
    for (const row of cloudRows(cloud, file)) {
      const difference = await replay(row);
      if (difference !== undefined) found.push(difference);
    }
    return found;
  }

  it("has its tokens, which show what they showed", async () => {
    expect(Object.keys(tokens).length).toBeGreaterThan(30);
    expect(await replayAll("tokens")).toEqual([]);
  });

  it("logs in its users and application credentials, with all kinds of hashes, and refuses the same ones", async () => {
    expect(await replayAll("logins")).toEqual([]);
  });

  it("has tokens that are good for use, rescoping and revocation", async () => {
    const ask = (method: "GET" | "POST" | "DELETE", headers: Record<string, string>, payload?: object) =>
      app.server.inject({ method, url: "/v3/auth/tokens", headers, ...(payload && { payload }) });
    const { ids } = cloudIds(cloud);
    const scope = { project: { id: ids["project:web"] } };
    for (const alias of ["alice_unscoped", "alice", "rescoped"]) {
      const id = tokens[alias] ?? "";
      const own = { "x-auth-token": id, "x-subject-token": id };
      expect((await ask("GET", own)).statusCode).toBe(200);
      const rescoped = await ask(
        "POST",
        {},
        { auth: { identity: { methods: ["token"], token: { id } }, scope } },
      );
      expect(rescoped.statusCode).toBe(201);
      const { token } = rescoped.json<{ token: { audit_ids: string[]; project: { id: string } } }>();
      expect(token.project.id).toBe(ids["project:web"]);
      expect(token.audit_ids).toHaveLength(2);
      expect((await ask("DELETE", own)).statusCode).toBe(204);
      expect((await ask("GET", own)).statusCode).toBe(401);
    }
    // Delegated tokens are not exchanged.
    const id = tokens["appcred_ci"] ?? "";
    const exchanged = await ask("POST", {}, { auth: { identity: { methods: ["token"], token: { id } } } });
    expect(exchanged.statusCode).toBe(403);
  });

  it("ends its tokens with the imported keys", async () => {
    const token = tokens["admin"] ?? "";
    const ask = async () =>
      (await app.server.inject({ url: "/v3/users", headers: { "x-auth-token": token } })).statusCode;
    expect(await ask()).toBe(200);
    await dropImportedKeys(app.database);
    expect(await ask()).toBe(401);
  });
});

/** Loads the dump into a database of its own. @returns Its address. */
async function restore(cloud: CloudName): Promise<string> {
  const name = `keystone_${randomUUID().replaceAll("-", "")}`;
  await onServer(`create database ${name}`);
  const url = new URL(process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test");
  url.pathname = name;
  const dump = gunzipSync(readFileSync(`${cloudFolder(cloud)}postgresql.sql.gz`));
  const { status, stderr } = spawnSync("psql", ["--quiet", "--set=ON_ERROR_STOP=1", url.href], {
    input: dump,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return url.href;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isExpected(difference: ValueDifference, row: GoldenRow): boolean {
  // Values of a token that a login issues.
  if (row.method === "POST" && /^token\/(?:audit_ids|issued_at|expires_at)(?:\/|$)/.test(difference.path))
    return true;
  return Object.values(DIFFERENT_VALUES).some((isExplained) => isExplained(difference, row));
}
