/** Creates and changes projects and domains in the caller's transaction. */
import { checkMutable, type Attributes } from "../platform/attributes.js";
import type { Queries, Topic, Transaction } from "../platform/database/database.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { revokeTokensOf } from "./project-deletion.js";
import {
  DisabledParentError,
  EnabledSubtreeError,
  ProjectExistsError,
  ReservedDomainNameError,
} from "./project-errors.js";
import {
  insertProject,
  listAncestors,
  listDescendants,
  replaceTags,
  updateProject,
} from "./project-store.js";
import { checkPlace, MAX_TREE_DEPTH } from "./project-tree-rules.js";
import { changedProject, type AttributeChange, type Project } from "./project.js";
import { eventKindsOf, kindOfProject, mutableOf } from "./project.js";

export interface ProjectChangesDeps {
  readonly revokeTokens: RevokeTokens;
  /** {@link MAX_TREE_DEPTH}, if left out. */
  readonly maxTreeDepth?: number;
}

/** Keystone's name for the domain of federated users, in lower case. */
const RESERVED_NAME = "federated";

/** Options of transactions that revoke tokens. */
export const ENDS_TOKENS: { readonly changes: readonly Topic[] } = { changes: ["facts", "revocations"] };

/** Options of transactions that change nothing that existing tokens show. */
export const SHOWN_BY_NO_TOKEN: { readonly changes: readonly Topic[] } = { changes: [] };

export function createProjectChanges({ revokeTokens, maxTreeDepth = MAX_TREE_DEPTH }: ProjectChangesDeps) {
  return {
    async add(transaction: Transaction, project: Project): Promise<Project> {
      if (project.isDomain) checkDomainName(project.name);
      await checkPlace(transaction, project, maxTreeDepth);
      await insertProject(transaction, project, () => new ProjectExistsError(project));
      transaction.publish({ resource: kindOfProject(project), operation: "created", id: project.id });
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
        await revokeTokensOf(project, { transaction, revokeTokens });
      }
      await updateProject(transaction, changed, () => new ProjectExistsError(changed));
      if (change.tags !== undefined) await replaceTags(transaction, changed);
      for (const resource of eventKindsOf(project))
        transaction.publish({ resource, operation: "updated", id: project.id });
      return changed;
    },
  };
}

/** @throws {ReservedDomainNameError} */
function checkDomainName(name: string): void {
  if (name.toLowerCase() === RESERVED_NAME) throw new ReservedDomainNameError(name);
}

async function checkParents(transaction: Queries, project: Project): Promise<void> {
  const parents = await listAncestors(transaction, project);
  if (parents.some(({ enabled }) => !enabled)) throw new DisabledParentError(project.id);
}

async function checkSubtree(transaction: Queries, { id }: Project): Promise<void> {
  const children = await listDescendants(transaction, id);
  if (children.some(({ enabled }) => enabled)) throw new EnabledSubtreeError(id);
}
