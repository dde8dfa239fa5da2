/**
 * The writes of a federated login: the shadow user (JIT provisioning), its groups, projects and roles.
 *
 * Reads first and computes the writes; applies them in one transaction. A returning user usually needs none.
 */
import type { Platform } from "../../area.js";
import type { Grant } from "../../grants/grant.js";
import type { Moment } from "../../platform/clock.js";
import { createKeyedQueue } from "../../platform/concurrency/keyed-queue.js";
import { UniqueViolation } from "../../platform/database/database-errors.js";
import type { Database, Queries, Topic, Transaction } from "../../platform/database/database.js";
import { placeKey, type DomainScopedName } from "../../platform/database/domain-scoped-names.js";
import { InvalidError, UnavailableError } from "../../platform/errors.js";
import type { Revocations } from "../../tokens/revocations.js";
import type { TokenFederation } from "../../tokens/token-payload.js";
import { type LoginEffect, type LoginStep } from "../../users/federated/login-step.js";
import { ForeignUserError, type ShadowUser, type ShadowUsers } from "../../users/federated/shadow-users.js";
import { AssertionForbiddenError } from "../federation-errors.js";
import type { FoundReferences, MappedProject } from "./mapped-references.js";

export interface LoginPlanDeps extends Pick<Platform, "database" | "clock" | "newId"> {
  readonly revocations: Pick<Revocations, "positionIn">;
  readonly shadowUsers: Pick<ShadowUsers, "plan">;
  readonly projects: {
    findProjectsIn(
      queries: Queries,
      places: readonly DomainScopedName[],
    ): Promise<readonly { readonly id: string; readonly name: string; readonly domainId: string | null }[]>;
    createProjectIn(
      transaction: Transaction,
      project: { readonly id: string; readonly name: string; readonly domainId: string },
    ): Promise<unknown>;
  };
  readonly grants: {
    projectGrantsOf(
      queries: Queries,
      userId: string,
    ): Promise<readonly { readonly projectId: string; readonly roleId: string }[]>;
    grantIn(transaction: Transaction, grant: Grant): Promise<unknown>;
    revokeIn(transaction: Transaction, grant: Grant): Promise<unknown>;
  };
}

/** The state that a login establishes. */
export interface DesiredUser {
  readonly user: ShadowUser;
  readonly references: FoundReferences;
  /** Whether roles in projects that the mapping does not grant are revoked. */
  readonly hasExactProjects: boolean;
  readonly deadline: Moment;
}

export interface AppliedLogin {
  readonly userId: string;
  readonly groupIds: readonly string[];
  /** Whether the mapping's references were all found. */
  readonly isComplete: boolean;
  /** When the next login has to write, even if nothing else changes. */
  readonly validUntil: Moment;
  /** The revocation position of the event by which the login ended the user's earlier tokens, if it did. */
  readonly endedAt?: number;
  /** Of a user without a row. */
  readonly unstoredUser?: NonNullable<TokenFederation["unstoredUser"]>;
}

interface Plan extends AppliedLogin {
  readonly isNew: boolean;
  readonly steps: readonly LoginStep[];
}

/** A login that was applied and rolled back. */
export interface RehearsedLogin extends Pick<AppliedLogin, "userId" | "groupIds"> {
  readonly isNew: boolean;
  readonly effects: readonly LoginEffect[];
}

/** How long a login may look things up and write. */
export const MAX_LOGIN_MS = 10_000;
/** Attempts of a login when concurrent logins change the same user. */
const MAX_ATTEMPTS = 5;
const CONCURRENT = `Concurrent logins changed the user ${MAX_ATTEMPTS} times; retry`;

/** First logins of workloads that wait, per protocol: each takes some milliseconds. */
const MAX_WAITING_WORKLOADS = 256;

/** The login took longer than {@link MAX_LOGIN_MS}. Nothing is written. */
export class LoginDeadlineError extends UnavailableError {
  constructor() {
    super(`The login took longer than ${MAX_LOGIN_MS / 1000} s`);
  }
}

/** Plans a login, and writes a plan: for logins, and for rehearsals. */
function createPlanning(deps: LoginPlanDeps) {
  const { clock, shadowUsers } = deps;

  function requireTime({ deadline }: DesiredUser): void {
    if (clock.now() > deadline) throw new LoginDeadlineError();
  }

  async function write(transaction: Transaction, { steps }: Plan, desired: DesiredUser): Promise<void> {
    for (const step of steps) {
      requireTime(desired);
      await step.run(transaction);
    }
  }

  async function plan(queries: Queries, desired: DesiredUser): Promise<Plan> {
    requireTime(desired);
    const { user, references, hasExactProjects } = desired;
    const { userId, isNew, steps, validUntil } = await shadowUsers.plan(queries, user);
    const { projects, groupIds, isComplete } = references;
    const provisioned = { userId, isNew, projects, isExact: hasExactProjects };
    const more = await planProjects(deps, queries, provisioned);
    return { userId, isNew, groupIds, isComplete, validUntil, steps: [...steps, ...more] };
  }

  return { plan, write };
}

/** Ends the transaction of a rehearsal: nothing is stored. */
class RolledBack extends Error {
  override readonly name = "RolledBack";
}

/**
 * @returns A function that does all that a login does, and rolls it back: what the database would reject is rejected here too. It throws
 *   {@link LoginDeadlineError}, and {@link UnavailableError} where concurrent logins change the user.
 */
export function createLoginRehearsal(deps: LoginPlanDeps): (desired: DesiredUser) => Promise<RehearsedLogin> {
  const { plan, write } = createPlanning(deps);
  return async (desired) => {
    let planned = undefined as Plan | undefined;
    try {
      await deps.database.transaction(
        async (transaction) => {
          planned = await plan(transaction, desired);
          await write(transaction, planned, desired);
          throw new RolledBack();
        },
        { changes: [] },
      );
    } catch (failure) {
      if (failure instanceof UniqueViolation) throw new UnavailableError(CONCURRENT, { cause: failure });
      if (!(failure instanceof RolledBack)) throw failure;
    }
    if (planned === undefined) throw new TypeError("a transaction ended without its work");
    const { userId, groupIds, isNew, steps } = planned;
    return { userId, groupIds, isNew, effects: steps.map(({ effect }) => effect) };
  };
}

/** @returns A function that establishes the state; it throws {@link LoginDeadlineError} and {@link UnavailableError}. */
export function createLoginWriter(deps: LoginPlanDeps): (desired: DesiredUser) => Promise<AppliedLogin> {
  const { database } = deps;
  const { plan, write } = createPlanning(deps);
  const newWorkloads = createKeyedQueue({ maxWaiting: MAX_WAITING_WORKLOADS });

  const inTransaction: Database["transaction"] = (work, options) => database.transaction(work, options);

  /**
   * Plans again in the transaction, and applies the plan.
   *
   * @returns `undefined` if the new plan changes more than the topics announced: nothing is written.
   */
  function applyPlan(
    desired: DesiredUser,
    changes: readonly Topic[],
    run = inTransaction,
  ): Promise<Plan | undefined> {
    return run(
      async (transaction) => {
        const fresh = await plan(transaction, desired);
        if (topicsOf(fresh).some((topic) => !changes.includes(topic))) return undefined;
        await write(transaction, fresh, desired);
        if (!changes.includes("revocations")) return fresh;
        return { ...fresh, endedAt: await deps.revocations.positionIn(transaction) };
      },
      { changes },
    );
  }

  /**
   * Applies the plan of a new user as it is: reads in the transaction would make PostgreSQL see conflicts between all first
   * logins.
   *
   * @returns `undefined` if a concurrent login created the user: a unique constraint detects it.
   */
  async function createUser(
    planned: Plan,
    desired: DesiredUser,
    run = inTransaction,
  ): Promise<Plan | undefined> {
    try {
      await run((transaction) => write(transaction, planned, desired), { changes: topicsOf(planned) });
      return planned;
    } catch (failure) {
      if (failure instanceof UniqueViolation || failure instanceof ForeignUserError) return undefined;
      throw failure;
    }
  }

  /** First logins count the users of their protocol: one at a time on all replicas. They wait here instead of on a connection each. */
  function counted(desired: DesiredUser, apply: (run: Database["transaction"]) => Promise<Plan | undefined>) {
    const subject = protocolKey(desired.user);
    return newWorkloads.run(subject, () =>
      apply((work, options) => database.alone(work, { ...options, subject, isImpatient: true })),
    );
  }

  return async (desired) => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const first = await plan(database, desired);
      if (first.steps.length === 0) return withoutSteps(first);
      // Projects are read while they are created.
      const isPlain = first.isNew && desired.references.projects.length === 0 && attempt === 0;
      const apply = (run?: Database["transaction"]) =>
        isPlain ? createUser(first, desired, run) : applyPlan(desired, topicsOf(first), run);
      const isCounted = first.isNew && desired.user.maxWorkloads !== undefined;
      const done = await (isCounted ? counted(desired, apply) : apply());
      if (done !== undefined) return withoutSteps(done);
    }
    throw new UnavailableError(CONCURRENT);
  };
}

/** What callers cache: steps would keep all that they refer to. */
function withoutSteps({ userId, groupIds, isComplete, validUntil, endedAt }: Plan): AppliedLogin {
  return { userId, groupIds, isComplete, validUntil, ...(endedAt !== undefined && { endedAt }) };
}

function protocolKey({ idpId, protocolId }: ShadowUser): string {
  return JSON.stringify([idpId, protocolId]);
}

function topicsOf({ steps }: Plan): Topic[] {
  return [...new Set(steps.flatMap(({ changes }) => changes))];
}

interface ProvisionedUser {
  readonly userId: string;
  /** A new user has no tokens yet. */
  readonly isNew: boolean;
  readonly projects: readonly MappedProject[];
  readonly isExact: boolean;
}

/** The writes that create missing projects, and grant and revoke roles in them. */
async function planProjects(
  deps: LoginPlanDeps,
  queries: Queries,
  { userId, isNew, projects, isExact }: ProvisionedUser,
): Promise<LoginStep[]> {
  if (projects.length === 0 && !isExact) return [];
  const steps: LoginStep[] = [];
  const wanted = new Map<string, ProjectRole>();
  for (const project of await withIds(deps, queries, projects)) {
    if (project.isMissing) {
      const effect = { action: "create", resource: "project", name: project.name } as const;
      steps.push({ effect, changes: [], run: (transaction) => createProject(deps, transaction, project) });
    }
    for (const roleId of project.roleIds) {
      const key = { projectId: project.id, roleId };
      wanted.set(keyOf(key), key);
    }
  }
  const changes = isNew ? ([] as const) : (["facts"] as const);
  for (const known of await deps.grants.projectGrantsOf(queries, userId)) {
    if (wanted.delete(keyOf(known)) || !isExact) continue;
    const surplus = grantOf(userId, known);
    const effect = { action: "delete", ...assignmentOf(known) } as const;
    steps.push({ effect, changes, run: (transaction) => deps.grants.revokeIn(transaction, surplus) });
  }
  for (const missing of wanted.values()) {
    const grant = grantOf(userId, missing);
    const effect = { action: "create", ...assignmentOf(missing) } as const;
    steps.push({ effect, changes, run: (transaction) => deps.grants.grantIn(transaction, grant) });
  }
  return steps;
}

interface ProjectRole {
  readonly projectId: string;
  readonly roleId: string;
}

function grantOf(userId: string, { projectId, roleId }: ProjectRole): Grant {
  return { actor: { userId }, target: { kind: "project", projectId }, roleId, isInherited: false };
}

function assignmentOf({ projectId, roleId }: ProjectRole) {
  return { resource: "role assignment", roleId, projectId } as const;
}

function keyOf({ projectId, roleId }: ProjectRole): string {
  return `${projectId} ${roleId}`;
}

interface PlacedProject extends MappedProject {
  readonly id: string;
  readonly isMissing: boolean;
}

/** A project that is named twice is created once. */
async function withIds(
  { newId, projects: service }: LoginPlanDeps,
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

async function createProject(
  { projects }: LoginPlanDeps,
  transaction: Transaction,
  project: PlacedProject,
): Promise<void> {
  try {
    await projects.createProjectIn(transaction, project);
  } catch (cause) {
    if (!(cause instanceof InvalidError)) throw cause;
    // The error's message quotes the name.
    const reason = `a project of the mapping can't be created: ${cause.code}`;
    throw new AssertionForbiddenError({ step: "projects", reason }, { cause });
  }
}
