/** Projects that a mapping has there be, and the roles that it gives in them. */
import type { Queries } from "../../platform/database/database.js";
import { placeKey, type NamedPlace } from "../../platform/database/named-places.js";
import { InvalidError } from "../../platform/errors.js";
import type { NewId } from "../../platform/ids.js";
import type { Grant } from "../../grants/grant.js";
import type { LoginStep } from "../../users/federated/shadow-users.js";
import { AssertionForbiddenError } from "../federation-errors.js";
import type { MappedProject } from "./mapped-references.js";

export interface ProjectProvisioningDeps {
  readonly newId: NewId;
  readonly projects: {
    findProjectsIn(
      queries: Queries,
      places: readonly NamedPlace[],
    ): Promise<readonly { readonly id: string; readonly name: string; readonly domainId: string | null }[]>;
    createProjectIn(
      transaction: Queries,
      project: { readonly id: string; readonly name: string; readonly domainId: string },
    ): Promise<unknown>;
  };
  readonly grants: {
    projectGrantsOf(
      queries: Queries,
      userId: string,
    ): Promise<readonly { readonly projectId: string; readonly roleId: string }[]>;
    grantIn(transaction: Queries, grant: Grant): Promise<unknown>;
    revokeIn(transaction: Queries, grant: Grant): Promise<unknown>;
  };
}

/** Somebody who gets roles in projects. */
export interface Provisioned {
  readonly userId: string;
  /** Whether there is no such user, and so no token, yet. */
  readonly isNew: boolean;
  readonly projects: readonly MappedProject[];
  /** Whether roles in projects that the mapping does not give are taken away. */
  readonly isExact: boolean;
}

/** What there is to do so that the projects are there, and the user has the roles. Nothing is written yet. */
export async function planProjects(
  deps: ProjectProvisioningDeps,
  queries: Queries,
  { userId, isNew, projects, isExact }: Provisioned,
): Promise<LoginStep[]> {
  if (projects.length === 0 && !isExact) return [];
  const steps: LoginStep[] = [];
  const wanted = new Map<string, Grant>();
  const grant = (projectId: string, roleId: string) => {
    const target = { kind: "project", projectId } as const;
    wanted.set(keyOf({ projectId, roleId }), { actor: { userId }, target, roleId, isInherited: false });
  };
  for (const project of await withIds(deps, queries, projects)) {
    if (project.isMissing)
      steps.push({ changes: [], run: (transaction) => create(deps, transaction, project) });
    for (const roleId of project.roleIds) grant(project.id, roleId);
  }
  const changes = isNew ? ([] as const) : (["facts"] as const);
  for (const known of await deps.grants.projectGrantsOf(queries, userId)) {
    if (wanted.delete(keyOf(known)) || !isExact) continue;
    const target = { kind: "project", projectId: known.projectId } as const;
    const taken = { actor: { userId }, target, roleId: known.roleId, isInherited: false };
    steps.push({ changes, run: (transaction) => deps.grants.revokeIn(transaction, taken) });
  }
  for (const each of wanted.values())
    steps.push({ changes, run: (transaction) => deps.grants.grantIn(transaction, each) });
  return steps;
}

interface PlacedProject extends MappedProject {
  readonly id: string;
  readonly isMissing: boolean;
}

/** A project that is named twice is made once. */
async function withIds(
  { newId, projects: service }: ProjectProvisioningDeps,
  queries: Queries,
  projects: readonly MappedProject[],
): Promise<PlacedProject[]> {
  const found = await service.findProjectsIn(queries, projects);
  const ids = new Map(
    found.map(({ id, name, domainId }) => [placeKey({ name, domainId: domainId ?? "" }), id]),
  );
  return projects.map((project) => {
    const key = placeKey(project);
    const known = ids.get(key);
    const id = known ?? newId();
    ids.set(key, id);
    return { ...project, id, isMissing: known === undefined };
  });
}

async function create(
  { projects }: ProjectProvisioningDeps,
  transaction: Queries,
  project: PlacedProject,
): Promise<void> {
  try {
    await projects.createProjectIn(transaction, project);
  } catch (cause) {
    if (!(cause instanceof InvalidError)) throw cause;
    const facts = { step: "projects", reason: "a project of the mapping can't be made" };
    throw new AssertionForbiddenError(facts, { cause });
  }
}

function keyOf({ projectId, roleId }: { readonly projectId: string; readonly roleId: string }): string {
  return `${projectId} ${roleId}`;
}
