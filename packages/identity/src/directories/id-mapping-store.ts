/** The public ids of users and groups of directories in the database: computed, so that they are the same as in Keystone. */
import { createHash } from "node:crypto";

import { sql, type SqlBool } from "kysely";

import type { Queries } from "../platform/database/database.js";

export type EntityKind = "user" | "group";

export interface IdMapping {
  readonly publicId: string;
  readonly domainId: string;
  readonly localId: string;
  readonly kind: EntityKind;
}

interface Tables {
  readonly id_mapping: { public_id: string; domain_id: string; local_id: string; entity_type: string };
}

/** Mappings of one query. */
export const MAX_MAPPINGS = 400;

export function mappingOf(domainId: string, kind: EntityKind, localId: string): IdMapping {
  const publicId = createHash("sha256")
    .update(domainId + kind + localId)
    .digest("hex");
  return { publicId, domainId, localId, kind };
}

export async function findMapping(queries: Queries, publicId: string): Promise<IdMapping | undefined> {
  const [found] = await findMappings(queries, [publicId]);
  return found;
}

export async function isAnyMapped(queries: Queries): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("id_mapping")
    .select("public_id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findMappings(queries: Queries, publicIds: readonly string[]): Promise<IdMapping[]> {
  const found: IdMapping[] = [];
  for (let at = 0; at < publicIds.length; at += MAX_MAPPINGS) {
    const rows = await queries
      .tables<Tables>()
      .selectFrom("id_mapping")
      .selectAll()
      .where("public_id", "in", publicIds.slice(at, at + MAX_MAPPINGS))
      .execute();
    found.push(...rows.map(toMapping));
  }
  return found;
}

export async function insertMappings(queries: Queries, mappings: readonly IdMapping[]): Promise<void> {
  for (let at = 0; at < mappings.length; at += MAX_MAPPINGS) {
    const rows = mappings.slice(at, at + MAX_MAPPINGS).map(({ publicId, domainId, localId, kind }) => ({
      public_id: publicId,
      domain_id: domainId,
      local_id: localId,
      entity_type: kind,
    }));
    await queries
      .tables<Tables>()
      .insertInto("id_mapping")
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Conditions on mappings; none, if left out. */
export interface MappingSelection {
  readonly domainId?: string | undefined;
  readonly publicId?: string | undefined;
  readonly localId?: string | undefined;
  readonly kind?: EntityKind | undefined;
}

/** The mappings that meet all conditions, in the order of domains, kinds and local ids. */
export async function selectMappings(queries: Queries, selection: MappingSelection): Promise<IdMapping[]> {
  const { domainId, publicId, localId, kind } = selection;
  let rows = queries.tables<Tables>().selectFrom("id_mapping").selectAll();
  if (domainId !== undefined) rows = rows.where("domain_id", "=", domainId);
  if (publicId !== undefined) rows = rows.where("public_id", "=", publicId);
  if (localId !== undefined) rows = rows.where("local_id", "=", localId);
  if (kind !== undefined) rows = rows.where("entity_type", "=", kind);
  return (await rows.orderBy("domain_id").orderBy("entity_type").orderBy("local_id").execute()).map(
    toMapping,
  );
}

/** The next mappings of a domain in the order of public ids. */
export async function mappingsBehind(
  queries: Queries,
  {
    domainId,
    kind,
    after,
    limit,
  }: { readonly domainId: string; readonly kind: EntityKind; readonly after: string; readonly limit: number },
): Promise<IdMapping[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("id_mapping")
    .selectAll()
    .where("domain_id", "=", domainId)
    .where("entity_type", "=", kind)
    .where("public_id", ">", after)
    .orderBy("public_id")
    .limit(limit)
    .execute();
  return rows.map(toMapping);
}

export async function deleteMappings(queries: Queries, publicIds: readonly string[]): Promise<void> {
  await queries.tables<Tables>().deleteFrom("id_mapping").where("public_id", "in", publicIds).execute();
}

/**
 * The groups of directories to which roles are granted.
 *
 * @param targetIds On one of these projects and domains; anywhere, if left out.
 */
export async function mappedGroupsWithGrants(
  queries: Queries,
  targetIds?: readonly string[],
): Promise<IdMapping[]> {
  const isWanted =
    targetIds === undefined ? sql`group_id is not null` : sql`target_id in (${sql.join(targetIds)})`;
  const rows = await queries
    .tables<Tables>()
    .selectFrom("id_mapping")
    .selectAll()
    .where("entity_type", "=", "group")
    .where(sql<SqlBool>`public_id in (select group_id from assignment where ${isWanted})`)
    .execute();
  return rows.map(toMapping);
}

function toMapping({ public_id, domain_id, local_id, entity_type }: Tables["id_mapping"]): IdMapping {
  const kind = entity_type === "group" ? "group" : "user";
  return { publicId: public_id, domainId: domain_id, localId: local_id, kind };
}
