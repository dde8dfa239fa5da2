/** What happens when projects and domains come, change and go. Everything is done within a transaction of the caller's. */
import type { Attributes } from "../platform/attributes.js";
import type { Queries, Topic } from "../platform/database/database.js";
import { checkDeletable, checkMutable } from "../platform/immutable.js";
import type { EndTokens } from "../policy/token-ends.js";
import { changedProject, type AttributeChange } from "./project-attributes.js";
import type { Project } from "./project.js";
import {
  DisabledParentError,
  EnabledDomainError,
  EnabledSubtreeError,
  ProjectExistsError,
  ProjectInUseError,
} from "./project-errors.js";
import { checkDomainName, checkPlace, MAX_TREE_DEPTH } from "./project-place.js";
import {
  deleteProject,
  insertProject,
  listAncestors,
  listDescendants,
  readAllProjects,
  replaceTags,
  updateProject,
} from "./project-store.js";

export interface ProjectChangesDeps {
  readonly endTokens: EndTokens;
  /** Called in the transaction that deletes a project or domain, before it is deleted; for a domain also with each of its projects. */
  readonly onProjectDeleted: (transaction: Queries, projectId: string) => Promise<void>;
  /** Projects below each other in a domain at most; {@link MAX_TREE_DEPTH} when left out. */
  readonly maxTreeDepth?: number | undefined;
}

export type ProjectChanges = ReturnType<typeof createProjectChanges>;

/** What a change that ends tokens says to the database. */
export const ENDS_TOKENS: { readonly changes: readonly Topic[] } = { changes: ["facts", "revocations"] };

/** What a change says that no token can show yet, or ever. */
export const SHOWN_BY_NO_TOKEN: { readonly changes: readonly Topic[] } = { changes: [] };

export function createProjectChanges(deps: ProjectChangesDeps) {
  const { endTokens, onProjectDeleted, maxTreeDepth = MAX_TREE_DEPTH } = deps;

  /** Of a domain also those for what is in it, and of its users. */
  async function endTokensOf(transaction: Queries, { id, isDomain }: Project): Promise<void> {
    await endTokens(transaction, { projectId: id });
    if (isDomain) await endTokens(transaction, { domainId: id });
  }

  return {
    async add(transaction: Queries, project: Project): Promise<Project> {
      await checkPlace(transaction, project, { maxTreeDepth });
      if (!(await insertProject(transaction, project))) throw new ProjectExistsError(project);
      return project;
    },

    async change(
      transaction: Queries,
      project: Project,
      change: AttributeChange & Attributes,
    ): Promise<Project> {
      checkMutable(thingOf(project), change);
      const changed = changedProject(project, change);
      if (changed.isDomain && change.name !== undefined) checkDomainName(changed.name);
      if (changed.enabled && !project.enabled) await checkParents(transaction, project);
      if (!changed.enabled && project.enabled) {
        if (!project.isDomain) await checkSubtree(transaction, project);
        await endTokensOf(transaction, project);
      }
      if (!(await updateProject(transaction, changed))) throw new ProjectExistsError(changed);
      if (change.tags !== undefined) await replaceTags(transaction, changed);
      return changed;
    },

    /** A project has to be the last of its branch; with a domain goes what is in it. */
    async remove(transaction: Queries, project: Project): Promise<void> {
      checkDeletable(thingOf(project));
      const inside = await requireDeletable(transaction, project);
      for (const { id } of [...inside, project]) await onProjectDeleted(transaction, id);
      await endTokensOf(transaction, project);
      await deleteProject(transaction, project.id);
    },
  };
}

function thingOf({ id, isDomain, options }: Project) {
  return { kind: isDomain ? "domain" : "project", id, options };
}

/** @returns What goes with it: the projects in a domain. */
async function requireDeletable(transaction: Queries, project: Project): Promise<readonly Project[]> {
  if (!project.isDomain) {
    const [child] = await listDescendants(transaction, project.id);
    if (child !== undefined) throw new ProjectInUseError(project.id);
    return [];
  }
  if (project.enabled) throw new EnabledDomainError();
  const inside = await readAllProjects(transaction, (all) => all.where("domain_id", "=", project.id));
  for (const each of inside) checkDeletable(thingOf(each));
  return inside;
}

async function checkParents(transaction: Queries, project: Project): Promise<void> {
  const parents = await listAncestors(transaction, project);
  if (parents.some(({ enabled }) => !enabled)) throw new DisabledParentError(project.id);
}

async function checkSubtree(transaction: Queries, { id }: Project): Promise<void> {
  const children = await listDescendants(transaction, id);
  if (children.some(({ enabled }) => enabled)) throw new EnabledSubtreeError(id);
}
