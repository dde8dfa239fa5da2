/** Errors of domains, projects and their tags. */
import {
  ConflictError,
  errorClass,
  ForbiddenError,
  InvalidError,
  notFoundClass,
} from "../platform/errors.js";
import type { Project } from "./project.js";

export class ProjectNotFoundError extends notFoundClass("project", "project/not-found") {}

export class DomainNotFoundError extends notFoundClass("domain", "domain/not-found") {}

export class TagNotFoundError extends notFoundClass("project tag", "project/tag-not-found") {}

/** A project of this name exists in the domain, or a domain of this name or id. */
export class ProjectExistsError extends errorClass(
  ConflictError,
  "project/exists",
  ({ id, name, isDomain }: Project) => {
    const details = isDomain
      ? `it is not permitted to have two projects acting as domains with the same name: ${name}`
      : `it is not permitted to have two projects with either the same name or same id in the same domain: name is ${name}, project id ${id}`;
    return `Conflict occurred attempting to store project - ${details}.`;
  },
) {}

/** The domain's id is malformed. */
export class DomainIdError extends errorClass(
  InvalidError,
  "domain/id",
  "Domain ID does not conform to required UUID format.",
) {}

/** The name is reserved for federated users. */
export class ReservedDomainNameError extends errorClass(
  InvalidError,
  "domain/reserved-name",
  (name: string) => `Domain cannot be named ${name}`,
) {}

/** A new project can't have this domain or parent. */
export class MisplacedProjectError extends errorClass(InvalidError, "project/misplaced") {}

/** The domain of a project, or whether it is a domain, can't be changed. */
export class MovedProjectError extends errorClass(InvalidError, "project/moved") {}

export class ParentChangeError extends errorClass(
  ForbiddenError,
  "project/parent-change",
  "Update of `parent_id` is not allowed.",
) {}

export class TreeTooDeepError extends errorClass(
  ForbiddenError,
  "project/too-deep",
  (parentId: string) => `Max hierarchy depth reached for ${parentId} branch.`,
) {}

export class DisabledParentError extends errorClass(
  ForbiddenError,
  "project/disabled-parent",
  (id: string) => `Cannot enable project ${id} since it has disabled parents`,
) {}

export class EnabledSubtreeError extends errorClass(
  ForbiddenError,
  "project/enabled-subtree",
  (id: string) => `Cannot disable project ${id} since its subtree contains enabled projects.`,
) {}

export class ProjectInUseError extends errorClass(
  ForbiddenError,
  "project/in-use",
  (id: string) =>
    `Cannot delete the project ${id} since it is not a leaf in the hierarchy. Use the cascade option if you want to delete a whole subtree.`,
) {}

export class EnabledDomainError extends errorClass(
  ForbiddenError,
  "domain/enabled",
  "Cannot delete a domain that is enabled, please disable it first.",
) {}

/** The project is immutable, and so are its tags. */
export class ImmutableTagsError extends errorClass(
  ForbiddenError,
  "project/immutable-tags",
  (verb: "create" | "update" | "delete", id: string) =>
    `Cannot ${verb} project tags for ${id}, project is immutable. Set "immutable" option to false before creating project tags.`,
) {}
