/** The hierarchy of projects, without their other attributes, in queries of bounded size. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { sql, type RawBuilder } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { MAX_IDS } from "../platform/database/table.js";

/** A project or a domain in the hierarchy. */
export interface ProjectNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly domainId: string | null;
}

interface NodeRow {
  id: string;
  parent_id: string | null;
  domain_id: string | null;
}

interface Tables {
  readonly project: NodeRow;
}

/** The ids of a domain and of its projects, as a subquery. */
export function idsWithinDomain(domainId: string): RawBuilder<string> {
  return sql<string>`(select id from project where id = ${domainId} or domain_id = ${domainId})`;
}

/** The first {@link MAX_IDS} ids of projects of a domain, from an id on. */
export async function projectIdsOf(
  queries: Queries,
  { domainId, from }: { readonly domainId: string; readonly from: string },
): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("project")
    .select("id")
    .where("domain_id", "=", domainId)
    .where("id", ">=", from)
    .orderBy("id")
    .limit(MAX_IDS)
    .execute();
  return rows.map(({ id }) => id);
}

/** A project and its ancestors, from itself to its domain. */
export async function nodesAbove(queries: Queries, projectId: string): Promise<ProjectNode[]> {
  const rows = await queries
    .tables<Tables & { node: NodeRow }>()
    .withRecursive("node", (db) =>
      db
        .selectFrom("project")
        .select(["id", "parent_id", "domain_id"])
        .where("id", "=", projectId)
        .union(
          db
            .selectFrom("project")
            .innerJoin("node", "node.parent_id", "project.id")
            .select(["project.id", "project.parent_id", "project.domain_id"]),
        ),
    )
    .selectFrom("node")
    .selectAll()
    .execute();
  return rows.map(toNode);
}

/** The descendants of a project, level by level. */
export async function nodesBelow(queries: Queries, projectId: string): Promise<ProjectNode[]> {
  const found = new Map<string, ProjectNode>();
  for (let level = [projectId]; level.length > 0;) {
    const next: string[] = [];
    for (let start = 0; start < level.length; start += MAX_IDS) {
      const parents = level.slice(start, start + MAX_IDS);
      for (let from = ""; ;) {
        const children = await childrenOf(queries, parents, from);
        for (const node of children)
          if (!found.has(node.id)) {
            found.set(node.id, node);
            next.push(node.id);
          }
        from = children.at(-1)?.id ?? "";
        if (children.length < MAX_IDS) break;
      }
      await nextTurn();
    }
    level = next;
  }
  return [...found.values()];
}

async function childrenOf(
  queries: Queries,
  parentIds: readonly string[],
  from: string,
): Promise<ProjectNode[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("project")
    .select(["id", "parent_id", "domain_id"])
    .where("parent_id", "in", parentIds)
    .where("id", ">", from)
    .orderBy("id")
    .limit(MAX_IDS)
    .execute();
  return rows.map(toNode);
}

function toNode({ id, parent_id, domain_id }: NodeRow): ProjectNode {
  return { id, parentId: parent_id, domainId: domain_id };
}
