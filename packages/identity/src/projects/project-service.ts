/** The rules for projects, and lookups of projects and domains. */
import type { Platform } from "../area.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import type {
  DomainScopedName,
  DomainReference,
  QualifiedReference,
} from "../platform/database/domain-scoped-names.js";
import { InvalidError } from "../platform/errors.js";
import { checkTextLength } from "../platform/text/text-length.js";
import { DEFAULT_DOMAIN_ID } from "../policy/caller.js";
import {
  createProjectChanges,
  ENDS_TOKENS,
  SHOWN_BY_NO_TOKEN,
  type ProjectChangesDeps,
} from "./project-changes.js";
import { removeProject, type ProjectDeletionDeps } from "./project-deletion.js";
import { MovedProjectError, ParentChangeError } from "./project-errors.js";
import { countProjects, listProjects, type ProjectQuery } from "./project-list.js";
import { MAX_NAME_CHARACTERS, type NewProject, type ProjectChange } from "./project-schema.js";
import {
  MAX_PARAMETERS,
  findDomainsByName,
  findProject,
  findProjectByName,
  findProjectsById,
  findProjectsByName,
  listAncestors,
  listDescendants,
  requireDomain,
  requireProject,
} from "./project-store.js";
import { toDomain, newProject, type Domain, type Project } from "./project.js";

export type ProjectService = ReturnType<typeof createProjectService>;

export interface DomainReferences {
  readonly names: readonly string[];
  readonly ids: readonly string[];
}

export function createProjectService(
  deps: ProjectChangesDeps & ProjectDeletionDeps & Pick<Platform, "database" | "newId">,
) {
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
    list: (query: ProjectQuery): Promise<Project[]> => listProjects(database.forLists, query),

    /** How many projects a list has, on all its pages. */
    count: (query: Omit<ProjectQuery, "page">): Promise<number> => countProjects(database.forLists, query),

    getProject: (id: string): Promise<Project> => requireProject(database, id),

    /** By its id also a domain. */
    async findProject(reference: QualifiedReference): Promise<Project | undefined> {
      if ("id" in reference) return findProject(database, reference.id);
      const domain = await findDomain(reference.domain);
      return domain && findProjectByName(database, { name: reference.name, domainId: domain.id });
    },

    /** The projects and domains of these ids that exist. */
    async listProjectsById(ids: readonly string[]): Promise<Project[]> {
      const ordered = ids.toSorted();
      const found: Project[] = [];
      for (let start = 0; start < ordered.length; start += MAX_PARAMETERS)
        found.push(...(await findProjectsById(database, ordered.slice(start, start + MAX_PARAMETERS))));
      return found;
    },

    getDomain: async (id: string): Promise<Domain> => toDomain(await requireDomain(database, id)),

    findDomain,

    /** The ancestors of a project, from its parent to its domain. */
    listAncestors: (project: Project): Promise<Project[]> => listAncestors(database, project),

    /** The descendants of a project. */
    listDescendants: (id: string): Promise<Project[]> => listDescendants(database, id),

    /** @param options.domainId The domain of a draft that names none. */
    async create(draft: NewProject, { domainId }: { readonly domainId: string }): Promise<Project> {
      const project = newProject({ id: newId(), ...placeOf(draft, domainId) }, draft);
      return database.transaction((transaction) => changes.add(transaction, project), SHOWN_BY_NO_TOKEN);
    },

    /** The domains of these names and ids that exist, each once, by at most one query for names and one for ids. */
    async findDomains({ names, ids }: DomainReferences): Promise<Domain[]> {
      const named = names.length === 0 ? [] : await findDomainsByName(database, names);
      const known = ids.length === 0 ? [] : await findProjectsById(database, ids);
      const found = [...named, ...known].filter(({ isDomain }) => isDomain);
      return [...new Map(found.map((domain) => [domain.id, toDomain(domain)])).values()];
    },

    /** The projects that exist, by one query in the caller's transaction. */
    findProjectsIn: async (queries: Queries, places: readonly DomainScopedName[]): Promise<Project[]> =>
      places.length === 0 ? [] : findProjectsByName(queries, places),

    /** Creates a top-level project in the caller's transaction. */
    async createProjectIn(transaction: Transaction, { id, name, domainId }: ProjectWithin): Promise<Project> {
      checkTextLength(name, { column: "name", length: MAX_NAME_CHARACTERS });
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
        await removeProject(transaction, project, deps);
      }, ENDS_TOKENS),

    /** Creates a domain of this id if it does not exist, at the start of the service. */
    ensureDomain({ id = DEFAULT_DOMAIN_ID, ...attributes }: EnsuredDomain): Promise<Domain> {
      const place = { id, domainId: null, parentId: null, isDomain: true };
      return database.transaction(async (transaction) => {
        const found = await findProject(transaction, id);
        return toDomain(found ?? (await changes.add(transaction, newProject(place, attributes))));
      }, SHOWN_BY_NO_TOKEN);
    },

    /** Creates a top-level project of this name if it does not exist. */
    ensureProject({ domainId = DEFAULT_DOMAIN_ID, ...attributes }: EnsuredProject): Promise<Project> {
      const place = { id: newId(), domainId, parentId: domainId, isDomain: false };
      return database.transaction(async (transaction) => {
        const found = await findProjectByName(transaction, { name: attributes.name, domainId });
        return found ?? changes.add(transaction, newProject(place, attributes));
      }, SHOWN_BY_NO_TOKEN);
    },
  };
}

/** A project that another feature creates in its transaction. */
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

/** A domain has no parent; one in the draft is rejected by `checkPlace`. */
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
