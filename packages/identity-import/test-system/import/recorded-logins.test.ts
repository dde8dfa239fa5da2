/** Clouds of real Keystones, imported: their tokens and logins are answered as those Keystones answered. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../../identity/src/app.js";
import { explainDifferences } from "../../src/import/verification/known-differences.js";
import type { ValueDifference } from "../../src/import/verification/response-differences.js";
import { dropImportedKeys } from "../../../identity/src/tokens/imported/imported-tokens.js";
import type { GoldenRow } from "../../../identity/test/golden.js";
import { cloudIds, cloudRows, hasClouds, type CloudIds } from "../../../identity/test/keystone-cloud.js";
import { IMPORTED_CLOUDS, startImportedCloud, type ImportedCloud } from "./imported-cloud.js";
import { startMariadb, type MariadbServer } from "./mariadb-server.js";

/** The responses that differ on purpose: by the name of the request, the status here. */
const DIFFERENT: Readonly<Record<string, number>> = {
  // hashes-of-all-releases
  "login sha512 of Default": 201,
  "login bsha2 of Default": 201,
  // Keystone reveals that no such application credential exists.
  "app cred login rules2": 401,
};

let mariadb: MariadbServer;
beforeAll(async () => {
  if (hasClouds) mariadb = await startMariadb();
}, 120_000);
afterAll(async () => {
  if (hasClouds) await mariadb.remove();
});

describe.skipIf(!hasClouds).each(IMPORTED_CLOUDS)("the cloud of the Keystone %s on %s", (...made) => {
  const [cloud, kind, databases] = made;
  let imported: ImportedCloud;
  let app: App;
  const tokens: CloudIds["tokens"] = hasClouds ? cloudIds(cloud).tokens : {};
  beforeAll(async () => {
    imported = await startImportedCloud({ cloud, kind, databases, mariadb });
    app = imported.app;
  }, 120_000);
  afterAll(() => imported.remove());

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
      ? explainDifferences({ path: row.path, body: row.response_body }, body).unknown.filter(
          (difference) => !isExpected(difference, row),
        )
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

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isExpected(difference: ValueDifference, row: GoldenRow): boolean {
  // Values of a token that a login issues.
  return row.method === "POST" && /^token\/(?:audit_ids|issued_at|expires_at)(?:\/|$)/.test(difference.path);
}
