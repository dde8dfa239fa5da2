/** Where projects and domains may be: their parents, and how deep a tree is. */
import type { Queries } from "../platform/database/database.js";
import { MisplacedProjectError, TreeTooDeepError } from "./project-errors.js";
import { findProject, listAncestors } from "./project-store.js";
import { domainOf, type Project } from "./project.js";

/** How many levels of projects a domain has by default. */
export const MAX_TREE_DEPTH = 5;

/** @throws {MisplacedProjectError} {@link TreeTooDeepError} */
export async function checkPlace(queries: Queries, project: Project, maxTreeDepth: number): Promise<void> {
  if (project.isDomain) {
    if (project.parentId !== null)
      throw new MisplacedProjectError("only root projects are allowed to act as domains.");
    return;
  }
  const parent = await requireParent(queries, project);
  const above = [parent, ...(await listAncestors(queries, parent))];
  const disabled = above.toReversed().find(({ enabled }) => !enabled);
  if (disabled !== undefined)
    throw new MisplacedProjectError(
      `cannot create a project in a branch containing a disabled project: ${disabled.id}`,
    );
  if (above.length > maxTreeDepth) throw new TreeTooDeepError(parent.id);
}

/** The parent, which has to be the project's domain or belong to it. */
async function requireParent(queries: Queries, { parentId, domainId }: Project): Promise<Project> {
  const domain = domainId === null ? undefined : await findProject(queries, domainId);
  if (!domain?.isDomain) throw new MisplacedProjectError(`Could not find domain: ${domainId}.`);
  const parent = parentId === null ? undefined : await findProject(queries, parentId);
  if (parent === undefined) throw new MisplacedProjectError(`Could not find project: ${parentId}.`);
  if (domainOf(parent) === domainId) return parent;
  throw new MisplacedProjectError(
    parent.isDomain
      ? `Cannot create project, the parent (${parent.id}) is acting as a domain, but this project's domain id (${domainId}) does not match the parent's id.`
      : `Cannot create project, since it specifies its domain_id ${domainId}, but specifies a parent in a different domain (${parent.domainId}).`,
  );
}
