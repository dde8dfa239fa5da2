/** Creates, changes and deletes projects and domains in the caller's transaction. */
import { checkDeletable, checkMutable, type Attributes, type Mutable } from "../platform/attributes.js";
import type { Queries, Topic, Transaction } from "../platform/database/database.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import {
  DisabledParentError,
  EnabledDomainError,
  EnabledSubtreeError,
  ProjectExistsError,
  ProjectInUseError,
  ReservedDomainNameError,
} from "./project-errors.js";
import {
  deleteProject,
  insertProject,
  listAncestors,
  listDescendants,
  readAllProjects,
  replaceTags,
  updateProject,
} from "./project-store.js";
import { checkPlace, MAX_TREE_DEPTH } from "./project-tree-rules.js";
import { changedProject, type AttributeChange, type Project } from "./project.js";

export interface ProjectChangesDeps {
  readonly revokeTokens: RevokeTokens;
  /** Called before a project or domain is deleted; for a domain also with each of its projects. */
  readonly onProjectDeleted: (transaction: Transaction, projectId: string) => Promise<void>;
  /** Deletes the users and groups of a domain. */
  readonly emptyDomain: (transaction: Transaction, domainId: string) => Promise<void>;
  /** {@link MAX_TREE_DEPTH}, if left out. */
  readonly maxTreeDepth?: number;
}

/** Keystone's name for the domain of federated users, in lower case. */
const RESERVED_NAME = "federated";

/** Options of transactions that revoke tokens. */
export const ENDS_TOKENS: { readonly changes: readonly Topic[] } = { changes: ["facts", "revocations"] };

/** Options of transactions that change nothing that existing tokens show. */
export const SHOWN_BY_NO_TOKEN: { readonly changes: readonly Topic[] } = { changes: [] };

export function createProjectChanges(deps: ProjectChangesDeps) {
  const { revokeTokens, onProjectDeleted, emptyDomain, maxTreeDepth = MAX_TREE_DEPTH } = deps;

  /** For a domain, also tokens for its projects and of its users. */
  async function revokeTokensOf(transaction: Queries, { id, isDomain }: Project): Promise<void> {
    await revokeTokens(transaction, { projectId: id });
    if (isDomain) await revokeTokens(transaction, { domainId: id });
  }

  return {
    async add(transaction: Transaction, project: Project): Promise<Project> {
      if (project.isDomain) checkDomainName(project.name);
      await checkPlace(transaction, project, maxTreeDepth);
      await insertProject(transaction, project, () => new ProjectExistsError(project));
      transaction.publish({ resource: kindOf(project), operation: "created", id: project.id });
      return project;
    },

    async change(
      transaction: Transaction,
      project: Project,
      change: AttributeChange & Attributes,
    ): Promise<Project> {
      checkMutable(mutableOf(project), change);
      const changed = changedProject(project, change);
      if (changed.isDomain && change.name !== undefined) checkDomainName(changed.name);
      if (changed.enabled && !project.enabled) await checkParents(transaction, project);
      if (!changed.enabled && project.enabled) {
        if (!project.isDomain) await checkSubtree(transaction, project);
        await revokeTokensOf(transaction, project);
      }
      await updateProject(transaction, changed, () => new ProjectExistsError(changed));
      if (change.tags !== undefined) await replaceTags(transaction, changed);
      for (const resource of eventKindsOf(project))
        transaction.publish({ resource, operation: "updated", id: project.id });
      return changed;
    },

    /** A project has to be a leaf; a domain is deleted with everything in it. */
    async remove(transaction: Transaction, project: Project): Promise<void> {
      checkDeletable(mutableOf(project));
      const inside = await requireDeletable(transaction, project);
      for (const { id } of [...inside, project]) await onProjectDeleted(transaction, id);
      await revokeTokensOf(transaction, project);
      if (project.isDomain) await emptyDomain(transaction, project.id);
      await deleteProject(transaction, project.id);
      for (const { id } of inside) transaction.publish({ resource: "project", operation: "deleted", id });
      for (const resource of eventKindsOf(project))
        transaction.publish({ resource, operation: "deleted", id: project.id });
    },
  };
}

/** @throws {ReservedDomainNameError} */
function checkDomainName(name: string): void {
  if (name.toLowerCase() === RESERVED_NAME) throw new ReservedDomainNameError(name);
}

function mutableOf(project: Project): Mutable {
  return { kind: kindOf(project), id: project.id, options: project.options };
}

function kindOf({ isDomain }: Project): "domain" | "project" {
  return isDomain ? "domain" : "project";
}

/** As in Keystone, consumers hear of a change of a domain as one of a project too. */
function eventKindsOf(project: Project): readonly ("domain" | "project")[] {
  return project.isDomain ? ["project", "domain"] : ["project"];
}

/** @returns The projects that are deleted with a domain. */
async function requireDeletable(transaction: Queries, project: Project): Promise<readonly Project[]> {
  if (!project.isDomain) {
    const [child] = await listDescendants(transaction, project.id);
    if (child !== undefined) throw new ProjectInUseError(project.id);
    return [];
  }
  if (project.enabled) throw new EnabledDomainError();
  const inside = await readAllProjects(transaction, (all) => all.where("domain_id", "=", project.id));
  for (const each of inside) checkDeletable(mutableOf(each));
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
