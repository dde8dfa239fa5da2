/** Lists of projects, and of domains among them. */
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { matching, pageOf, rowCountOf, WHOLE_LIST, type ListQuery } from "../platform/database/table.js";
import type { Project } from "./project.js";
import { readProjects, selectProjects, type ProjectSelection, type ProjectTables } from "./project-store.js";

/** Columns that a list may be filtered by. */
export const PROJECT_FILTERS = ["domain_id", "name", "parent_id"] as const;

/** Conditions on projects, all of which have to hold. */
export interface ProjectQuery extends Partial<ListQuery<(typeof PROJECT_FILTERS)[number]>> {
  readonly ids?: readonly string[];
  readonly enabled?: boolean | undefined;
  readonly isDomain?: boolean | undefined;
  /** The domain of the projects. */
  readonly domainId?: string | undefined;
  readonly tags?: TagFilter;
}

/** Conditions on the tags of projects. */
export interface TagFilter {
  /** Every one of these. */
  readonly all?: readonly string[] | undefined;
  /** At least one of these. */
  readonly any?: readonly string[] | undefined;
  /** Not every one of these. */
  readonly notAll?: readonly string[] | undefined;
  /** None of these. */
  readonly notAny?: readonly string[] | undefined;
}

/** A page of the projects, and one more if there is another page. */
export function listProjects(queries: Queries, query: ProjectQuery): Promise<Project[]> {
  const { page = WHOLE_LIST.page, filters = [], order, search } = query;
  return readProjects(
    queries,
    (all) => pageOf(narrowed(all, query), "project.id", { filters, page, order, search }),
    order,
  );
}

/** How many projects a list has, on all its pages. */
export function countProjects(queries: Queries, query: Omit<ProjectQuery, "page">): Promise<number> {
  return rowCountOf(matching(narrowed(selectProjects(queries), query), "project.id", query));
}

function narrowed(
  all: ProjectSelection,
  { ids, enabled, isDomain, domainId, tags = {} }: ProjectQuery,
): ProjectSelection {
  let projects = withTags(all, tags);
  if (ids !== undefined) projects = projects.where("project.id", "in", ids);
  if (enabled !== undefined) projects = projects.where("project.enabled", "=", enabled);
  if (isDomain !== undefined) projects = projects.where("project.is_domain", "=", isDomain);
  if (domainId !== undefined) projects = projects.where("project.domain_id", "=", domainId);
  return projects;
}

function withTags(all: ProjectSelection, { all: every, any, notAll, notAny }: TagFilter): ProjectSelection {
  let chosen = all;
  if (every !== undefined) chosen = chosen.where((eb) => hasEvery(eb, every));
  if (any !== undefined) chosen = chosen.where((eb) => hasAny(eb, any));
  if (notAll !== undefined) chosen = chosen.where((eb) => eb.not(hasEvery(eb, notAll)));
  if (notAny !== undefined) chosen = chosen.where((eb) => eb.not(hasAny(eb, notAny)));
  return chosen;
}

type Conditions = ExpressionBuilder<ProjectTables, "project">;
type Condition = ExpressionWrapper<ProjectTables, "project", SqlBool>;

function hasEvery(eb: Conditions, tags: readonly string[]): Condition {
  return eb.and(tags.map((tag) => hasAny(eb, [tag])));
}

function hasAny(eb: Conditions, tags: readonly string[]): Condition {
  return eb.exists(
    eb
      .selectFrom("project_tag")
      .select(sql`1`.as("one"))
      .whereRef("project_tag.project_id", "=", "project.id")
      .where("project_tag.name", "in", tags),
  );
}
