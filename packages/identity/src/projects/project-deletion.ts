/** Deletes projects and domains in the caller's transaction. */
import { checkDeletable } from "../platform/attributes.js";
import type { Queries, Transaction } from "../platform/database/database.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { EnabledDomainError, ProjectInUseError } from "./project-errors.js";
import { deleteProject, listDescendants, readAllProjects } from "./project-store.js";
import { eventKindsOf, mutableOf, type Project } from "./project.js";

export interface ProjectDeletionDeps {
  readonly revokeTokens: RevokeTokens;
  /** Called before a project or domain is deleted; for a domain also with each of its projects. */
  readonly onProjectDeleted: (transaction: Transaction, projectId: string) => Promise<void>;
  /** Deletes the users and groups of a domain. */
  readonly emptyDomain: (transaction: Transaction, domainId: string) => Promise<void>;
}

/** A project has to be a leaf; a domain is deleted with everything in it. */
export async function removeProject(
  transaction: Transaction,
  project: Project,
  { revokeTokens, onProjectDeleted, emptyDomain }: ProjectDeletionDeps,
): Promise<void> {
  checkDeletable(mutableOf(project));
  const inside = await requireDeletable(transaction, project);
  for (const { id } of [...inside, project]) await onProjectDeleted(transaction, id);
  await revokeTokensOf(project, { transaction, revokeTokens });
  if (project.isDomain) await emptyDomain(transaction, project.id);
  await deleteProject(transaction, project.id);
  for (const { id } of inside) transaction.publish({ resource: "project", operation: "deleted", id });
  for (const resource of eventKindsOf(project))
    transaction.publish({ resource, operation: "deleted", id: project.id });
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

/** The tokens for a project; for a domain, also those for its projects and of its users. */
export async function revokeTokensOf(
  { id, isDomain }: Project,
  { transaction, revokeTokens }: { readonly transaction: Queries; readonly revokeTokens: RevokeTokens },
): Promise<void> {
  await revokeTokens(transaction, { projectId: id });
  if (isDomain) await revokeTokens(transaction, { domainId: id });
}
