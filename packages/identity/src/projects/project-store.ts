/** Projects and domains in the database. */
import type { Kysely, SelectQueryBuilder } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { deleteOfDomain } from "../platform/database/delete-in-slices.js";
import {
  type Named,
  type DomainScopedName,
  findNames,
  isOneOfPlaces,
} from "../platform/database/domain-scoped-names.js";
import {
  inOrder,
  json,
  tableOf,
  orConflict,
  type RowOf,
  type ConflictOf,
} from "../platform/database/table.js";
import type { ListOrder } from "../platform/http/lists/list-order.js";
import { required } from "../platform/errors.js";
import { projectFields, type Project } from "./project.js";
import { DomainNotFoundError, ProjectNotFoundError } from "./project-errors.js";

const projectTable = tableOf<Omit<Project, "tags">>()(
  "project",
  { ...projectFields.columns, options: json("options"), extra: json("extra") },
  ProjectNotFoundError,
);

type ProjectRow = RowOf<typeof projectTable>;

/** The tables of projects. */
export interface ProjectTables {
  readonly project: ProjectRow;
  readonly project_tag: { project_id: string; name: string };
}

/** A query on the table `project`. */
export type ProjectSelection = SelectQueryBuilder<ProjectTables, "project", ProjectRow>;

/** The chosen projects in the order of their ids, with their tags. */
export async function readProjects(
  queries: Queries,
  choose: (all: ProjectSelection) => ProjectSelection,
  order?: ListOrder,
): Promise<Project[]> {
  const db = tables(queries);
  const rows = db
    .selectFrom(choose(selectProjects(queries)).as("chosen"))
    .leftJoin("project_tag", "project_tag.project_id", "chosen.id")
    .selectAll("chosen")
    .select("project_tag.name as tag");
  const ordered = order === undefined ? rows.orderBy("chosen.id") : inOrder(rows, "chosen.id", order);
  return toProjects(await ordered.orderBy("project_tag.name").execute());
}

export function selectProjects(queries: Queries): ProjectSelection {
  return tables(queries).selectFrom("project").selectAll("project");
}

/** Projects of one query. */
const MAX_PAGE_PROJECTS = 500;

/** As {@link readProjects}, for any number: in pages, since SQLite runs no other query during one. */
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
export function requireProject(queries: Queries, id: string): Promise<Project> {
  return required(findProject(queries, id), () => new ProjectNotFoundError(id));
}

/** A domain, as a project. @throws {DomainNotFoundError} */
export async function requireDomain(queries: Queries, id: string): Promise<Project> {
  const project = await findProject(queries, id);
  if (!project?.isDomain) throw new DomainNotFoundError(id);
  return project;
}

/** The id of the domain of a name. */
export async function findDomainId(queries: Queries, name: string): Promise<string | undefined> {
  const row = await tables(queries)
    .selectFrom("project")
    .select("id")
    .where("name", "=", name)
    .where("is_domain", "=", true)
    .executeTakeFirst();
  return row?.id;
}

/** The projects and domains of these ids that exist. */
export function findProjectsById(queries: Queries, ids: readonly string[]): Promise<Project[]> {
  return readProjects(queries, (all) => all.where("id", "in", ids));
}

/** @param name.domainId `null` for a domain. */
export async function findProjectByName(
  queries: Queries,
  { name, domainId }: { readonly name: string; readonly domainId: string | null },
): Promise<Project | undefined> {
  const [project] = await readProjects(queries, (all) =>
    all.where("name", "=", name).where("domain_id", "is not distinct from", domainId),
  );
  return project;
}

/** The projects of these names and domains that exist. */
export function findProjectsByName(
  queries: Queries,
  places: readonly DomainScopedName[],
): Promise<Project[]> {
  return readProjects(queries, (all) => all.where(isOneOfPlaces(places)));
}

/** The domains of these names that exist. */
export function findDomainsByName(queries: Queries, names: readonly string[]): Promise<Project[]> {
  return readProjects(queries, (all) => all.where("name", "in", names).where("domain_id", "is", null));
}

/** @param conflict What to throw where the id exists, or the name is not unique in the domain. */
export async function insertProject(
  queries: Queries,
  project: Project,
  conflict?: ConflictOf,
): Promise<void> {
  await projectTable.insert(queries, project, conflict);
  await orConflict(() => insertTags(queries, project), conflict);
}

/** @param conflict What to throw where the name is not unique in the domain. */
export function updateProject(queries: Queries, project: Project, conflict?: ConflictOf): Promise<void> {
  return projectTable.update(queries, project, conflict);
}

/** Replaces the tags of a project. */
export async function replaceTags(queries: Queries, project: Pick<Project, "id" | "tags">): Promise<void> {
  await tables(queries).deleteFrom("project_tag").where("project_id", "=", project.id).execute();
  await insertTags(queries, project);
}

/** Deletes a project; for a domain, also its projects. */
export async function deleteProject(queries: Queries, id: string): Promise<void> {
  await deleteOfDomain(queries, "project", id);
  await projectTable.delete(queries, id);
}

/** The ancestors of a project, from its parent to its domain. */
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

/** The descendants of a project, level by level. */
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

/** Parameters of one query; SQLite has a limit of 32,766. */
export const MAX_PARAMETERS = 10_000;

async function listChildren(queries: Queries, parents: readonly string[]): Promise<Project[]> {
  const found: Project[] = [];
  for (let start = 0; start < parents.length; start += MAX_PARAMETERS) {
    const some = parents.slice(start, start + MAX_PARAMETERS);
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

type TaggedRow = ProjectRow & { readonly tag: string | null };

/** @param rows One for each tag of a project; one for a project without. */
function toProjects(rows: readonly TaggedRow[]): Project[] {
  const projects = new Map<string, Project & { readonly tags: string[] }>();
  for (const { tag, ...row } of rows) {
    const project = projects.get(row.id) ?? Object.assign(projectTable.toItem(row), { tags: [] as string[] });
    if (tag !== null) project.tags.push(tag);
    projects.set(row.id, project);
  }
  return [...projects.values()];
}

/** The names of projects, by id. */
export const projectNames = (queries: Queries, ids: ReadonlySet<string>): Promise<Map<string, Named>> =>
  findNames(queries, "project", ids);
