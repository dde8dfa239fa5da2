/** What can be wrong with domains, projects and their tags. */
import { ConflictError, ForbiddenError, InvalidError, NotFoundError } from "../platform/errors.js";
import type { Project } from "./project.js";

export class ProjectNotFoundError extends NotFoundError {
  override readonly name = "ProjectNotFoundError";
  override readonly code = "project/not-found";

  constructor(id: string) {
    super(`Could not find project: ${id}.`);
  }
}

export class DomainNotFoundError extends NotFoundError {
  override readonly name = "DomainNotFoundError";
  override readonly code = "domain/not-found";

  constructor(id: string) {
    super(`Could not find domain: ${id}.`);
  }
}

export class TagNotFoundError extends NotFoundError {
  override readonly name = "TagNotFoundError";
  override readonly code = "project/tag-not-found";

  constructor(tag: string) {
    super(`Could not find project tag: ${tag}.`);
  }
}

/** There is a project of this name in the domain already, or a domain of this name or id. */
export class ProjectExistsError extends ConflictError {
  override readonly name = "ProjectExistsError";
  override readonly code = "project/exists";

  constructor({ id, name, isDomain }: Project) {
    const details = isDomain
      ? `it is not permitted to have two projects acting as domains with the same name: ${name}`
      : `it is not permitted to have two projects with either the same name or same id in the same domain: name is ${name}, project id ${id}`;
    super(`Conflict occurred attempting to store project - ${details}.`);
  }
}

/** The domain's id is not of the form that ids have. */
export class DomainIdError extends InvalidError {
  override readonly name = "DomainIdError";
  override readonly code = "domain/id";

  constructor() {
    super("Domain ID does not conform to required UUID format.");
  }
}

/** The name stands for the users of all identity providers. */
export class ReservedDomainNameError extends InvalidError {
  override readonly name = "ReservedDomainNameError";
  override readonly code = "domain/reserved-name";

  constructor(name: string) {
    super(`Domain cannot be named ${name}`);
  }
}

/** Where a new project should be, no such project can be. */
export class MisplacedProjectError extends InvalidError {
  override readonly name = "MisplacedProjectError";
  override readonly code = "project/misplaced";
}

/** What says where a project is does not change. */
export class MovedProjectError extends InvalidError {
  override readonly name = "MovedProjectError";
  override readonly code = "project/moved";
}

export class ParentChangeError extends ForbiddenError {
  override readonly name = "ParentChangeError";
  override readonly code = "project/parent-change";

  constructor() {
    super("Update of `parent_id` is not allowed.");
  }
}

export class TreeTooDeepError extends ForbiddenError {
  override readonly name = "TreeTooDeepError";
  override readonly code = "project/too-deep";

  constructor(parentId: string) {
    super(`Max hierarchy depth reached for ${parentId} branch.`);
  }
}

export class DisabledParentError extends ForbiddenError {
  override readonly name = "DisabledParentError";
  override readonly code = "project/disabled-parent";

  constructor(id: string) {
    super(`Cannot enable project ${id} since it has disabled parents`);
  }
}

export class EnabledSubtreeError extends ForbiddenError {
  override readonly name = "EnabledSubtreeError";
  override readonly code = "project/enabled-subtree";

  constructor(id: string) {
    super(`Cannot disable project ${id} since its subtree contains enabled projects.`);
  }
}

export class ProjectInUseError extends ForbiddenError {
  override readonly name = "ProjectInUseError";
  override readonly code = "project/in-use";

  constructor(id: string) {
    super(
      `Cannot delete the project ${id} since it is not a leaf in the hierarchy. Use the cascade option if you want to delete a whole subtree.`,
    );
  }
}

export class EnabledDomainError extends ForbiddenError {
  override readonly name = "EnabledDomainError";
  override readonly code = "domain/enabled";

  constructor() {
    super("Cannot delete a domain that is enabled, please disable it first.");
  }
}

/** The project is immutable, and its tags are a part of it. */
export class ImmutableTagsError extends ForbiddenError {
  override readonly name = "ImmutableTagsError";
  override readonly code = "project/immutable-tags";

  constructor(verb: "create" | "update" | "delete", id: string) {
    super(
      `Cannot ${verb} project tags for ${id}, project is immutable. Set "immutable" option to false before creating project tags.`,
    );
  }
}
