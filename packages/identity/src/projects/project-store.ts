/** The questions that projects and domains ask of the database. */
import type { Insertable, Kysely, Selectable, SelectQueryBuilder } from "kysely";

import { parseAttributes } from "../platform/attributes.js";
import type { Queries } from "../platform/database/database.js";
import { deleteInSlices } from "../platform/database/delete-in-slices.js";
import { isOneOfPlaces, type NamedPlace } from "../platform/database/named-places.js";
import { isUnique } from "../platform/database/unique-write.js";
import type { Project } from "./project.js";
import { ProjectNotFoundError } from "./project-errors.js";

interface ProjectRow {
  id: string;
  domain_id: string | null;
  parent_id: string | null;
  is_domain: boolean;
  name: string;
  description: string | null;
  enabled: boolean;
  options: string;
  extra: string;
}

/** The tables of projects. */
export interface ProjectTables {
  readonly project: ProjectRow;
  readonly project_tag: { project_id: string; name: string };
}

/** Chooses rows of the table `project`. */
export type ProjectSelection = SelectQueryBuilder<ProjectTables, "project", ProjectRow>;

/** The projects that are chosen, in the order of their ids, with their tags. */
export async function readProjects(
  queries: Queries,
  choose: (all: ProjectSelection) => ProjectSelection,
): Promise<Project[]> {
  const db = tables(queries);
  const rows = await db
    .selectFrom(choose(db.selectFrom("project").selectAll("project")).as("chosen"))
    .leftJoin("project_tag", "project_tag.project_id", "chosen.id")
    .selectAll("chosen")
    .select("project_tag.name as tag")
    .orderBy("chosen.id")
    .orderBy("project_tag.name")
    .execute();
  return toProjects(rows);
}

/** Projects of one query, where there may be any number. */
const MAX_PAGE_PROJECTS = 500;

/** The same, however many they are: read in pages, since SQLite does nothing else during a query. */
export async function readAllProjects(
  queries: Queries,
  choose: (all: ProjectSelection) => ProjectSelection,
): Promise<Project[]> {
  const found: Project[] = [];
  for (let page: Project[] = [], after = ""; ; after = page.at(-1)?.id ?? after) {
    page = await readProjects(queries, (all) =>
      choose(all).where("id", ">", after).orderBy("id").limit(MAX_PAGE_PROJECTS),
    );
    for (const project of page) found.push(project);
    if (page.length < MAX_PAGE_PROJECTS) return found;
  }
}

export async function findProject(queries: Queries, id: string): Promise<Project | undefined> {
  const [project] = await readProjects(queries, (all) => all.where("id", "=", id));
  return project;
}

/** @throws {ProjectNotFoundError} */
export async function requireProject(queries: Queries, id: string): Promise<Project> {
  const project = await findProject(queries, id);
  if (project === undefined) throw new ProjectNotFoundError(id);
  return project;
}

/** @param place.domainId `null` for a domain. */
export async function findProjectByName(
  queries: Queries,
  { name, domainId }: { readonly name: string; readonly domainId: string | null },
): Promise<Project | undefined> {
  const [project] = await readProjects(queries, (all) =>
    all.where("name", "=", name).where("domain_id", "is not distinct from", domainId),
  );
  return project;
}

/** Those that exist of the projects of these names in these domains. */
export function findProjectsByName(queries: Queries, places: readonly NamedPlace[]): Promise<Project[]> {
  return readProjects(queries, (all) => all.where(isOneOfPlaces(places)));
}

/** Those that exist of the domains of these names. */
export function findDomainsByName(queries: Queries, names: readonly string[]): Promise<Project[]> {
  return readProjects(queries, (all) => all.where("name", "in", names).where("domain_id", "is", null));
}

/** Whether it was added: not if there is one of this id, or of this name in the domain, already. */
export function insertProject(queries: Queries, project: Project): Promise<boolean> {
  return isUnique(async () => {
    await tables(queries).insertInto("project").values(toRow(project)).execute();
    await insertTags(queries, project);
  });
}

/** Whether it was changed: not if another one in the domain has the name. */
export function updateProject(queries: Queries, project: Project): Promise<boolean> {
  return isUnique(async () => {
    await tables(queries).updateTable("project").set(toRow(project)).where("id", "=", project.id).execute();
  });
}

/** Gives a project its tags in the place of those that it has. */
export async function replaceTags(queries: Queries, project: Pick<Project, "id" | "tags">): Promise<void> {
  await tables(queries).deleteFrom("project_tag").where("project_id", "=", project.id).execute();
  await insertTags(queries, project);
}

/** Users, groups or projects of one DELETE statement, which deletes with them what refers to them. */
const MAX_DELETED_ROWS = 100;

/** Users, groups and projects of a domain, whose tables let everything else of theirs end with them. */
interface ContentTables {
  readonly user: { readonly id: string; readonly domain_id: string };
  readonly group: { readonly id: string; readonly domain_id: string };
  readonly project: { readonly id: string; readonly domain_id: string };
}

/** Deletes what is in a domain, in slices. */
async function emptyDomain(queries: Queries, domainId: string): Promise<void> {
  const content = queries.tables<ContentTables>();
  for (const table of ["user", "group", "project"] as const)
    await deleteInSlices(MAX_DELETED_ROWS, async () => {
      const some = content
        .selectFrom(table)
        .select("id")
        .where("domain_id", "=", domainId)
        .limit(MAX_DELETED_ROWS);
      return (await content.deleteFrom(table).where("id", "in", some).executeTakeFirst()).numDeletedRows;
    });
}

/** Deletes it, and what is in it if it is a domain. */
export async function deleteProject(queries: Queries, id: string): Promise<void> {
  await emptyDomain(queries, id);
  await tables(queries).deleteFrom("project").where("id", "=", id).execute();
}

/** The projects above one, from its parent to its domain. */
export async function listAncestors(queries: Queries, project: Project): Promise<Project[]> {
  const found: Project[] = [];
  let parentId = project.parentId;
  while (parentId !== null) {
    const parent = await findProject(queries, parentId);
    if (parent === undefined) break;
    found.push(parent);
    parentId = parent.parentId;
  }
  return found;
}

/** The projects below one: the nearer before the farther. */
export async function listDescendants(queries: Queries, id: string): Promise<Project[]> {
  const found: Project[] = [];
  let parents = [id];
  while (parents.length > 0) {
    const children = await listChildren(queries, parents);
    found.push(...children);
    parents = children.map((child) => child.id);
  }
  return found;
}

/** Parameters of one query at most: SQLite takes 32,766. */
export const BATCH = 10_000;

async function listChildren(queries: Queries, parents: readonly string[]): Promise<Project[]> {
  const found: Project[] = [];
  for (let start = 0; start < parents.length; start += BATCH) {
    const some = parents.slice(start, start + BATCH);
    found.push(...(await readAllProjects(queries, (all) => all.where("parent_id", "in", some))));
  }
  return found;
}

function tables(queries: Queries): Kysely<ProjectTables> {
  return queries.tables<ProjectTables>();
}

async function insertTags(queries: Queries, { id, tags }: Pick<Project, "id" | "tags">): Promise<void> {
  if (tags.length === 0) return;
  const rows = tags.map((name) => ({ project_id: id, name }));
  await tables(queries).insertInto("project_tag").values(rows).execute();
}

type TaggedRow = Selectable<ProjectRow> & { readonly tag: string | null };

/** One project from all rows of its id, each of which has one of its tags. */
function toProjects(rows: readonly TaggedRow[]): Project[] {
  const projects = new Map<string, Project & { readonly tags: string[] }>();
  for (const { tag, ...row } of rows) {
    const project = projects.get(row.id) ?? { ...toProject(row), tags: [] };
    if (tag !== null) project.tags.push(tag);
    projects.set(row.id, project);
  }
  return [...projects.values()];
}

function toProject(row: Selectable<ProjectRow>): Omit<Project, "tags"> {
  const { id, name, description, enabled } = row;
  return {
    id,
    name,
    domainId: row.domain_id,
    parentId: row.parent_id,
    isDomain: row.is_domain,
    enabled,
    description,
    options: parseAttributes(row.options),
    extra: parseAttributes(row.extra),
  };
}

function toRow(project: Project): Insertable<ProjectRow> {
  const { id, name, description, enabled } = project;
  return {
    id,
    name,
    domain_id: project.domainId,
    parent_id: project.parentId,
    is_domain: project.isDomain,
    enabled,
    description,
    options: JSON.stringify(project.options),
    extra: JSON.stringify(project.extra),
  };
}
