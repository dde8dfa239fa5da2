/** Lists of projects, and of domains among them. */
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";
import type { Project } from "./project.js";
import { readProjects, type ProjectSelection, type ProjectTables } from "./project-store.js";

/** Fields of text that a list may be filtered by. */
export const PROJECT_FILTERS = ["domain_id", "name", "parent_id"] as const;

/** Which projects are wanted. Each member that is there has to hold. */
export interface ProjectQuery {
  readonly filters?: readonly ListFilter<(typeof PROJECT_FILTERS)[number]>[];
  readonly ids?: readonly string[];
  readonly enabled?: boolean | undefined;
  readonly isDomain?: boolean | undefined;
  /** The domain that they have to be in. */
  readonly domainId?: string | undefined;
  readonly tags?: TagFilter;
  /** All of them when left out. */
  readonly page?: Page;
}

/** Tags that a project has to have or may not have. */
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

const ALL: Page = { limit: undefined, marker: undefined };

/** Those that are on the page, in the order of their ids, and one more if there is another page. */
export function listProjects(queries: Queries, query: ProjectQuery): Promise<Project[]> {
  const { filters = [], ids, enabled, isDomain, domainId, tags = {}, page = ALL } = query;
  const wanted = rowsWanted(page);
  return readProjects(queries, (all) => {
    let chosen = withTags(all, tags).where((eb) => afterMarker(page, eb.ref("project.id")));
    for (const filter of filters)
      chosen = chosen.where((eb) => filterCondition(filter, eb.ref(`project.${filter.field}`)));
    if (ids !== undefined) chosen = chosen.where("project.id", "in", ids);
    if (enabled !== undefined) chosen = chosen.where("project.enabled", "=", enabled);
    if (isDomain !== undefined) chosen = chosen.where("project.is_domain", "=", isDomain);
    if (domainId !== undefined) chosen = chosen.where("project.domain_id", "=", domainId);
    return wanted === undefined ? chosen : chosen.orderBy("project.id").limit(wanted);
  });
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
