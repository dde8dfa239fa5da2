/** Limit routes on a database of the test's own, with stubs of the features that limits refer to. */
import { addEffectiveLimitRoutes } from "../../src/limits/effective-limits.js";
import type { EnforcementModel } from "../../src/limits/tree/enforcement.js";
import type { LimitCatalog, LimitProjects } from "../../src/limits/limit-references.js";
import { addLimitRoutes } from "../../src/limits/limit-routes.js";
import { createLimitServices } from "../../src/limits/index.js";
import { addTransferRoutes } from "../../src/limits/transfer/transfer-routes.js";
import { addLimitTreeRoutes } from "../../src/limits/tree/limit-tree-routes.js";
import { addRegisteredLimitRoutes } from "../../src/limits/registered-limit-routes.js";
import type { Queries } from "../../src/platform/database/database.js";
import { NotFoundError } from "../../src/platform/errors.js";
import type { NewId } from "../../src/platform/ids.js";
import type { TestDatabases } from "../databases.js";
import { featureServer, type FeatureServer } from "../feature-server.js";

/** Ids of services. */
export const COMPUTE = "c".repeat(32);
export const VOLUME = "d".repeat(32);

interface Tables {
  readonly service: { id: string; type: string; name: string; enabled: boolean; extra: string };
  readonly region: { id: string; description: string; extra: string };
  readonly project: {
    id: string;
    domain_id: string | null;
    parent_id: string | null;
    is_domain: boolean;
    name: string;
    enabled: boolean;
    options: string;
    extra: string;
  };
}

export interface LimitServerOptions {
  readonly model?: EnforcementModel;
  readonly defaultPageSize?: number;
  readonly newId?: NewId;
}

/** A server with the routes of limits only. */
export function limitServer(
  databases: TestDatabases,
  { model = "flat", newId, ...options }: LimitServerOptions = {},
): Promise<FeatureServer> {
  return featureServer(
    databases,
    (server, given) => {
      const services = createLimitServices({
        database: given.database,
        newId: newId ?? given.newId,
        ...standIns(given.database),
        enforcementModel: model,
      });
      const deps = { ...given, ...services };
      addRegisteredLimitRoutes(server, deps);
      addLimitRoutes(server, deps);
      addEffectiveLimitRoutes(server, deps);
      addLimitTreeRoutes(server, deps);
      addTransferRoutes(server, deps);
    },
    options,
  );
}

/** Stubs of the catalog and of projects that read their tables. */
export function standIns(database: Queries): {
  readonly catalog: LimitCatalog;
  readonly projects: LimitProjects;
} {
  const db = database.tables<Tables>();
  const get = (table: "service" | "region") => async (id: string) => {
    const row = await db.selectFrom(table).select("id").where("id", "=", id).executeTakeFirst();
    if (row === undefined) throw new NotFoundError(`Could not find ${table}: ${id}.`);
  };
  return {
    catalog: { getService: get("service"), getRegion: get("region") },
    projects: {
      async listProjectsById(ids) {
        return db
          .selectFrom("project")
          .select(["id", "domain_id as domainId", "is_domain as isDomain"])
          .where("id", "in", ids)
          .execute();
      },
    },
  };
}

/** Adds what limits rest on. */
export async function addService(database: Queries, id: string): Promise<void> {
  const row = { id, type: "any", name: "", enabled: true, extra: "{}" };
  await database.tables<Tables>().insertInto("service").values(row).execute();
}

export async function addRegion(database: Queries, id: string): Promise<void> {
  const row = { id, description: "", extra: "{}" };
  await database.tables<Tables>().insertInto("region").values(row).execute();
}

/** A project of a domain, or, without one, a domain. */
export async function addProject(
  database: Queries,
  {
    id,
    domainId = null,
    name = id,
  }: { readonly id: string; readonly domainId?: string | null; readonly name?: string },
): Promise<void> {
  const place = { domain_id: domainId, parent_id: domainId, is_domain: domainId === null };
  const row = { id, name, ...place, enabled: true, options: "{}", extra: "{}" };
  await database.tables<Tables>().insertInto("project").values(row).execute();
}

/** Ends something that limits rest on, as the feature does that it belongs to. */
export async function remove(
  database: FeatureServer["database"],
  table: keyof Tables,
  id: string,
): Promise<void> {
  await database.transaction((transaction) =>
    transaction.tables<Tables>().deleteFrom(table).where("id", "=", id).execute(),
  );
}
