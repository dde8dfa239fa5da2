/**
 * Features on a database of the test's own, behind the real guard. The test sends credentials instead of a token, so that each
 * permission can be tried both allowed and denied.
 */
import type { Credentials } from "../src/policy/caller.js";
import { guardRoutes } from "../src/policy/guard.js";
import type { Database } from "../src/platform/database/database.js";
import { openDatabase } from "../src/platform/database/open-database.js";
import { UnauthorizedError } from "../src/platform/errors.js";
import type { HttpServer } from "../src/platform/http/http-server.js";
import { createLinks, type Links } from "../src/platform/http/links.js";
import { newId, type NewId } from "../src/platform/ids.js";
import type { TestDatabases } from "./databases.js";
import { migratedDatabase } from "./migrated-databases.js";
import { PUBLIC_URL, testServer } from "./test-server.js";

/** Dependencies of the features under test. */
export interface FeatureDeps {
  readonly database: Database;
  readonly links: Links;
  readonly newId: NewId;
  readonly defaultPageSize: number | undefined;
  readonly clock: { now(): number };
}

export interface FeatureServer extends FeatureDeps {
  readonly server: HttpServer;
  /** @param options.as The caller; a system administrator if left out, unauthenticated if `null`. @returns The parsed response. */
  ask(method: string, url: string, options?: AskOptions): Promise<FeatureResponse>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly as?: Credentials | null;
  readonly body?: unknown;
}

export interface FeatureResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** The personas that Keystone's documents speak of. */
export const SYSTEM_ADMIN: Credentials = {
  userId: "admin-user",
  roles: ["admin", "manager", "member", "reader"],
  scope: { kind: "system" },
};
export const SYSTEM_READER: Credentials = { ...SYSTEM_ADMIN, userId: "reader-user", roles: ["reader"] };
export const UNSCOPED: Credentials = { userId: "unscoped-user", roles: [], scope: { kind: "unscoped" } };

/** A user with roles on a domain. */
export function inDomain(domainId: string, ...roles: string[]): Credentials {
  return { userId: "domain-user", roles, scope: { kind: "domain", domainId } };
}

/** A user with roles on a project. */
export function inProject(projectId: string, projectDomainId: string, ...roles: string[]): Credentials {
  return { userId: "project-user", roles, scope: { kind: "project", projectId, projectDomainId } };
}

/** @param add Adds the routes of the features under test, and makes their services. */
export async function featureServer(
  databases: TestDatabases,
  add: (server: HttpServer, deps: FeatureDeps) => void | Promise<void>,
  options: { readonly defaultPageSize?: number; readonly now?: () => number } = {},
): Promise<FeatureServer> {
  const place = await migratedDatabase(databases);
  const database = openDatabase(place.url);
  const links = createLinks(PUBLIC_URL);
  const { server } = testServer({ links, bodyLimit: 114_688 });
  const deps = {
    database,
    links,
    newId,
    defaultPageSize: options.defaultPageSize,
    clock: { now: options.now ?? Date.now },
  };
  guardRoutes(server, {
    authenticate: async (token) => {
      if (!token.startsWith("{")) throw new UnauthorizedError("no credentials");
      return JSON.parse(token) as Credentials;
    },
  });
  await add(server, deps);
  await server.ready();
  return {
    ...deps,
    server,
    async ask(method, url, { as = SYSTEM_ADMIN, body } = {}) {
      const answer = await server.inject({
        method: method as "GET",
        url,
        headers: as === null ? {} : { "x-auth-token": JSON.stringify(as) },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      const text = answer.body;
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: text === "" ? undefined : (JSON.parse(text) as unknown),
      };
    },
    async close() {
      await server.close();
      await database.close();
      await place.remove();
    },
  };
}
