/** The result of a test login: its steps, and the user, groups, projects and roles that the login would have given. */
import type { LoginRehearsal } from "../../federation/federated-login.js";
import type { LoginTrace } from "../../federation/login-trace.js";
import type { EffectiveRoles } from "../../grants/effective-roles.js";
import type { RoleTarget } from "../../grants/grant.js";
import type { ServiceError } from "../../platform/errors.js";
import { shortened } from "../../platform/text/quoted-value.js";
import type { LoginEffect } from "../../users/federated/login-step.js";
import type { TestLoginResult } from "./test-login-schema.js";
import { stepsOf, type TestedLogin } from "./test-login-steps.js";

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface TestLoginResultDeps {
  readonly roles: EffectiveRoles & { readonly getRole: (id: string) => Promise<Named> };
  readonly groups: {
    readonly findGroupsById: (
      ids: readonly string[],
    ) => Promise<readonly (Named & { readonly domainId: string })[]>;
  };
  readonly projects: {
    readonly listProjectsById: (
      ids: readonly string[],
    ) => Promise<readonly (Named & { readonly domainId: string | null })[]>;
  };
  readonly users: {
    readonly findUser: (reference: {
      readonly id: string;
    }) => Promise<
      (Named & { readonly domainId: string; readonly extra?: Readonly<Record<string, unknown>> }) | undefined
    >;
  };
}

/** Scopes whose roles a result shows. */
const MAX_SCOPES = 50;
/** Of the attributes of an assertion, and of each. */
const MAX_ATTRIBUTES = 200;
const MAX_VALUE_CHARACTERS = 2000;
/** Of the trace of a mapping, in JSON: a large one is left out. */
const MAX_TRACE_CHARACTERS = 200_000;

export interface FinishedTest extends Omit<TestedLogin, "trace" | "failure"> {
  readonly trace: LoginTrace;
  readonly outcome: { readonly rehearsal: LoginRehearsal } | { readonly failure: ServiceError };
}

export async function resultOf(
  deps: TestLoginResultDeps,
  { trace, outcome, ...tested }: FinishedTest,
): Promise<TestLoginResult> {
  const failure = "failure" in outcome ? outcome.failure : undefined;
  const steps = stepsOf({ ...tested, trace, failure });
  const { attributes, isTruncated } = boundedAttributes(trace.attributes);
  const mapping = boundedTrace(trace.mapping);
  const seen = {
    steps,
    attributes,
    mapping: mapping.shown,
    truncated: isTruncated || mapping.isTruncated,
  };
  if ("failure" in outcome) return { ...seen, user: null, groups: [], projects: [], scopes: [], changes: [] };
  const { rehearsal } = outcome;
  return {
    ...seen,
    user: await userOf(deps, rehearsal),
    groups: (await deps.groups.findGroupsById(rehearsal.groupIds)).map(({ id, name, domainId }) => ({
      id,
      name,
      domain_id: domainId,
    })),
    projects: await projectsOf(deps, rehearsal),
    scopes: await scopesOf(deps, rehearsal),
    changes: rehearsal.effects.map(changeOf),
  };
}

async function userOf(
  { users }: TestLoginResultDeps,
  { userId, isNew, user, unstoredUser }: LoginRehearsal,
): Promise<TestLoginResult["user"]> {
  const known = await users.findUser({ id: userId });
  const email = user?.email ?? known?.extra?.["email"];
  return {
    id: userId,
    name: user?.name ?? known?.name ?? null,
    email: typeof email === "string" ? email : null,
    domain_id: user?.domainId ?? known?.domainId ?? null,
    type: unstoredUser !== undefined ? "unstored" : user === undefined ? "local" : "federated",
    exists: !isNew && known !== undefined,
  };
}

async function rolesById({ roles }: TestLoginResultDeps, ids: readonly string[]): Promise<Named[]> {
  return Promise.all(ids.map(async (id) => named(await roles.getRole(id))));
}

function projectsOf(
  deps: TestLoginResultDeps,
  { references }: LoginRehearsal,
): Promise<TestLoginResult["projects"]> {
  return Promise.all(
    references.projects.map(async ({ name, domainId, roleIds }) => ({
      name,
      domain_id: domainId,
      roles: await rolesById(deps, roleIds),
    })),
  );
}

/** By what is granted to the user and the groups today. */
async function scopesOf(
  { roles, projects }: TestLoginResultDeps,
  { userId, groupIds }: LoginRehearsal,
): Promise<TestLoginResult["scopes"]> {
  const holder = { userId, groupIds };
  const { projectIds, domainIds, isSystem } = await roles.scopesOf(holder);
  const targets: RoleTarget[] = [
    ...(isSystem ? [{ kind: "system" } as const] : []),
    ...domainIds.map((domainId) => ({ kind: "domain", domainId }) as const),
    ...projectIds.map((projectId) => ({ kind: "project", projectId }) as const),
  ].slice(0, MAX_SCOPES);
  const ids = targets.flatMap((target) =>
    target.kind === "system" ? [] : target.kind === "domain" ? target.domainId : target.projectId,
  );
  const names = new Map((await projects.listProjectsById(ids)).map((project) => [project.id, project]));
  const scopes: TestLoginResult["scopes"] = [];
  for (const target of targets)
    scopes.push({
      scope: scopeView(target, names),
      roles: (await roles.effectiveRoles(holder, target)).map(named),
    });
  return scopes;
}

type ProjectNames = ReadonlyMap<string, Named & { readonly domainId: string | null }>;

function scopeView(target: RoleTarget, names: ProjectNames): TestLoginResult["scopes"][number]["scope"] {
  if (target.kind === "system") return { system: { all: true } };
  const id = target.kind === "domain" ? target.domainId : target.projectId;
  const { name = "", domainId = null } = names.get(id) ?? {};
  return target.kind === "domain" ? { domain: { id, name } } : { project: { id, name, domain_id: domainId } };
}

function named({ id, name }: Named): { id: string; name: string } {
  return { id, name };
}

function changeOf({ action, resource, name, roleId, projectId }: LoginEffect) {
  return {
    action,
    resource,
    ...(name !== undefined && { name }),
    ...(roleId !== undefined && { role_id: roleId }),
    ...(projectId !== undefined && { project_id: projectId }),
  };
}

function boundedAttributes(attributes: LoginTrace["attributes"]) {
  if (attributes === undefined) return { attributes: null, isTruncated: false };
  const entries = Object.entries(attributes);
  const kept = entries
    .slice(0, MAX_ATTRIBUTES)
    .map(([name, value]) => [
      shortened(name, MAX_VALUE_CHARACTERS),
      typeof value === "string" ? shortened(value, MAX_VALUE_CHARACTERS) : null,
    ]);
  const isLong = entries.some(
    ([, value]) => typeof value === "string" && value.length > MAX_VALUE_CHARACTERS,
  );
  return {
    attributes: Object.fromEntries(kept) as Record<string, unknown>,
    isTruncated: isLong || entries.length > MAX_ATTRIBUTES,
  };
}

function boundedTrace(mapping: LoginTrace["mapping"]) {
  if (mapping === undefined) return { shown: null, isTruncated: false };
  const isTruncated = JSON.stringify(mapping).length > MAX_TRACE_CHARACTERS;
  return { shown: isTruncated ? { ...mapping, trace: [], result: null } : mapping, isTruncated };
}
