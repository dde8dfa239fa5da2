/** Reads the query of `/v3/role_assignments`. */
import { InvalidError } from "../platform/errors.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import type { AssignmentListQuery } from "./assignment-schema.js";
import type { AssignmentQuery } from "./assignment-service.js";
import type { RoleTarget } from "../grants/grant.js";

export interface AssignmentListing extends AssignmentQuery {
  readonly isEffective: boolean;
  readonly withNames: boolean;
  readonly page: Page;
}

/** @throws {InvalidError} Parameters contradict each other. */
export function readAssignmentQuery(query: AssignmentListQuery): AssignmentListing {
  const inheritedTo = query["scope.OS-INHERIT:inherited_to"];
  const listing: AssignmentListing = {
    // Empty counts as left out.
    userId: query["user.id"] || undefined,
    groupId: query["group.id"] || undefined,
    roleId: query["role.id"] || undefined,
    target: targetOf(query),
    isInherited: inheritedTo === undefined ? undefined : inheritedTo === "projects",
    withSubtree: isSet(query.include_subtree),
    isEffective: isSet(query.effective),
    withNames: isSet(query.include_names),
    marker: query.marker,
    // No default limit: Keystone has no pages here, and clients do not follow links.
    page: readPage(query, { listLimit: undefined }),
  };
  checkListing(query, listing);
  return listing;
}

/** Whether a flag is given, with any value but 0. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "0";
}

function targetOf(query: AssignmentListQuery): RoleTarget | undefined {
  const { "scope.project.id": projectId, "scope.domain.id": domainId, "scope.system": system } = query;
  if (projectId !== undefined) return { kind: "project", projectId };
  if (domainId !== undefined) return { kind: "domain", domainId };
  return system === "all" ? { kind: "system" } : undefined;
}

function checkListing(query: AssignmentListQuery, listing: AssignmentListing): void {
  const { "scope.project.id": projectId, "scope.domain.id": domainId, "scope.system": system } = query;
  const contradictions: readonly (readonly [boolean, string])[] = [
    [
      listing.withSubtree === true && projectId === undefined,
      "'scope.project.id' is a dependency of 'include_subtree'",
    ],
    [domainId !== undefined && projectId !== undefined, "Specify a domain or project, not both"],
    [domainId !== undefined && Boolean(system), "Specify system or domain, not both"],
    [projectId !== undefined && Boolean(system), "Specify system or project, not both"],
    [listing.userId !== undefined && listing.groupId !== undefined, "Specify a user or group, not both"],
    [
      listing.isEffective && listing.groupId !== undefined,
      "Combining effective and group filter will always result in an empty list.",
    ],
    [
      listing.isEffective && listing.isInherited === true && domainId !== undefined,
      "Combining effective, domain and inherited filters will always result in an empty list.",
    ],
  ];
  const found = contradictions.find(([isContradiction]) => isContradiction);
  if (found !== undefined) throw new InvalidError(found[1]);
}
