/** The rules for projects, and whatever others want to know of projects and domains. */
import type { Database, Queries } from "../platform/database/database.js";
import type { NamedPlace } from "../platform/database/named-places.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import { checkTextLength } from "../platform/text/text-length.js";
import { DEFAULT_DOMAIN_ID, toDomain, type Domain, type Project } from "./project.js";
import { newProject } from "./project-attributes.js";
import {
  createProjectChanges,
  ENDS_TOKENS,
  SHOWN_BY_NO_TOKEN,
  type ProjectChangesDeps,
} from "./project-changes.js";
import { DomainNotFoundError, MovedProjectError, ParentChangeError } from "./project-errors.js";
import { listProjects, type ProjectQuery } from "./project-list.js";
import { MOST_CHARACTERS, type NewProject, type ProjectChange } from "./project-schema.js";
import {
  BATCH,
  findDomainsByName,
  findProject,
  findProjectByName,
  findProjectsByName,
  listAncestors,
  listDescendants,
  requireProject,
} from "./project-store.js";

export interface ProjectServiceDeps extends ProjectChangesDeps {
  readonly database: Database;
  readonly newId: NewId;
}

export type ProjectService = ReturnType<typeof createProjectService>;

/** A domain as it can be named: an id is more exact than a name. */
export type DomainReference = { readonly id: string } | { readonly name: string };

export interface DomainReferences {
  readonly names: readonly string[];
  readonly ids: readonly string[];
}

/** A project as it can be named. */
export type ProjectReference =
  { readonly id: string } | { readonly name: string; readonly domain: DomainReference };

export function createProjectService(deps: ProjectServiceDeps) {
  const { database, newId } = deps;
  const changes = createProjectChanges(deps);

  async function findDomain(reference: DomainReference): Promise<Domain | undefined> {
    const found =
      "id" in reference
        ? await findProject(database, reference.id)
        : await findProjectByName(database, { name: reference.name, domainId: null });
    return found?.isDomain ? toDomain(found) : undefined;
  }

  return {
    list: (query: ProjectQuery): Promise<Project[]> => listProjects(database, query),

    getProject: (id: string): Promise<Project> => requireProject(database, id),

    /** A domain too, if it is named by its id. */
    async findProject(reference: ProjectReference): Promise<Project | undefined> {
      if ("id" in reference) return findProject(database, reference.id);
      const domain = await findDomain(reference.domain);
      return domain && findProjectByName(database, { name: reference.name, domainId: domain.id });
    },

    /** Those of the ids that there are, domains too. */
    async listProjectsById(ids: readonly string[]): Promise<Project[]> {
      const ordered = ids.toSorted();
      const found: Project[] = [];
      for (let start = 0; start < ordered.length; start += BATCH)
        found.push(...(await listProjects(database, { ids: ordered.slice(start, start + BATCH) })));
      return found;
    },

    async getDomain(id: string): Promise<Domain> {
      const domain = await findDomain({ id });
      if (domain === undefined) throw new DomainNotFoundError(id);
      return domain;
    },

    findDomain,

    /** The projects above one, from its parent to its domain. */
    listAncestors: (project: Project): Promise<Project[]> => listAncestors(database, project),

    /** The projects below one. */
    listDescendants: (id: string): Promise<Project[]> => listDescendants(database, id),

    /** @param options.domainId Where it is if it does not say. */
    async create(draft: NewProject, { domainId }: { readonly domainId: string }): Promise<Project> {
      const project = newProject({ id: newId(), ...placeOf(draft, domainId) }, draft);
      return database.transaction((transaction) => changes.add(transaction, project), SHOWN_BY_NO_TOKEN);
    },

    /** The domains that exist of these names and ids, each once: at most one query for all names, and one for all ids. */
    async findDomains({ names, ids }: DomainReferences): Promise<Domain[]> {
      const named = names.length === 0 ? [] : await findDomainsByName(database, names);
      const known = ids.length === 0 ? [] : await listProjects(database, { ids });
      const found = [...named, ...known].filter(({ isDomain }) => isDomain);
      return [...new Map(found.map((domain) => [domain.id, toDomain(domain)])).values()];
    },

    /** Those that exist, for a change of the caller's: one query for all. */
    findProjectsIn: async (queries: Queries, places: readonly NamedPlace[]): Promise<Project[]> =>
      places.length === 0 ? [] : findProjectsByName(queries, places),

    /** Adds a project at the top of its domain, in a change of the caller's. */
    async createProjectIn(transaction: Queries, { id, name, domainId }: ProjectWithin): Promise<Project> {
      checkTextLength(name, { column: "name", length: MOST_CHARACTERS });
      const place = { id, domainId, parentId: domainId, isDomain: false };
      return changes.add(transaction, newProject(place, { name }));
    },

    update: (id: string, change: ProjectChange): Promise<Project> =>
      database.transaction(
        async (transaction) => {
          const project = await requireProject(transaction, id);
          checkUnmoved(project, change);
          return changes.change(transaction, project, { ...change });
        },
        change.enabled === false ? ENDS_TOKENS : {},
      ),

    delete: (id: string): Promise<void> =>
      database.transaction(async (transaction) => {
        const project = await requireProject(transaction, id);
        await changes.remove(transaction, project);
      }, ENDS_TOKENS),

    /** Has there be a domain of this id, for the start of the service. One that is there stays as it is. */
    ensureDomain({ id = DEFAULT_DOMAIN_ID, ...attributes }: EnsuredDomain): Promise<Domain> {
      const place = { id, domainId: null, parentId: null, isDomain: true };
      return database.transaction(async (transaction) => {
        const there = await findProject(transaction, id);
        return toDomain(there ?? (await changes.add(transaction, newProject(place, attributes))));
      }, SHOWN_BY_NO_TOKEN);
    },

    /** Has there be a project of this name at the top of the domain. One that is there stays as it is. */
    ensureProject({ domainId = DEFAULT_DOMAIN_ID, ...attributes }: EnsuredProject): Promise<Project> {
      const place = { id: newId(), domainId, parentId: domainId, isDomain: false };
      return database.transaction(async (transaction) => {
        const there = await findProjectByName(transaction, { name: attributes.name, domainId });
        return there ?? changes.add(transaction, newProject(place, attributes));
      }, SHOWN_BY_NO_TOKEN);
    },
  };
}

/** A project that is made within a change of another feature. */
export interface ProjectWithin {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
}

export interface EnsuredDomain {
  readonly id?: string;
  readonly name: string;
  readonly description?: string;
}

export interface EnsuredProject {
  readonly name: string;
  readonly domainId?: string;
  readonly description?: string;
}

/** A domain has no place, and one that is said to have is found out later. */
function placeOf({ is_domain: isDomain = false, ...draft }: NewProject, defaultDomainId: string) {
  if (isDomain) return { isDomain, domainId: null, parentId: draft.parent_id ?? draft.domain_id ?? null };
  const domainId = draft.domain_id ?? defaultDomainId;
  return { isDomain, domainId, parentId: draft.parent_id ?? domainId };
}

function checkUnmoved(project: Project, change: ProjectChange): void {
  if (change.id !== undefined && change.id !== null && change.id !== project.id)
    throw new InvalidError("Cannot change ID");
  if (change.domain_id !== undefined && change.domain_id !== project.domainId)
    throw new MovedProjectError("Cannot change Domain ID");
  if (change.parent_id !== undefined && change.parent_id !== project.parentId) throw new ParentChangeError();
  if (change.is_domain !== undefined && change.is_domain !== project.isDomain)
    throw new MovedProjectError("Update of `is_domain` is not allowed.");
}
