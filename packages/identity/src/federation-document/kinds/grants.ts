/** Grants of roles to groups in documents. Users, and what is granted to them, are not in documents. */
import { listGroupGrants } from "../../grants/grant-store.js";
import { targetIdOf, type Grant, type RoleTarget } from "../../grants/grant.js";
import { groupNames } from "../../groups/group.js";
import type { GrantEntry } from "../document.js";
import type { DocumentPath } from "../document-errors.js";
import { located, nameIn, type Kind, type KindContext } from "../kind.js";
import { referenceTo, roleReferenceText } from "./roles.js";

export const grantKind: Kind<GrantEntry> = {
  kind: "grant",
  prunedAs: "grants",
  keys: ["group", "role", "project", "domain", "system", "inherited"],
  defaults: {},
  actions: {
    create: "identity:create_grant",
    update: "identity:create_grant",
    delete: "identity:revoke_grant",
  },
  entriesOf: ({ grants }) => located("grants", grants),
  nameOf: ({ group, role, inherited, ...target }) =>
    `${roleReferenceText(role)} to ${nameIn(group.domain, group.name)} on ${targetText(target)}${inherited === true ? ", inherited" : ""}`,
  isCovered: ({ group }, { groups = [] }) =>
    groups.some(({ name, domain }) => name === group.name && domain === group.domain),
  check({ fail }, { entry, path }) {
    const targets = ["project", "domain", "system"].filter((name) => name in entry);
    if (targets.length !== 1)
      fail(
        path,
        `has ${targets.length === 0 ? "no target" : targets.join(" and ")}, expected one of project, domain and system`,
      );
    if (entry.system !== undefined && entry.inherited === true)
      fail([...path, "inherited"], "true, expected false: a grant on the system is not inherited");
  },
  async stored(context) {
    const { queries, services, names } = context;
    const grants = await listGroupGrants(queries);
    const groups = await groupNames(queries, new Set(grants.map(({ actor }) => actor.groupId)));
    const projects = await names.projectNames(
      grants.flatMap(({ target }) => (target.kind === "project" ? [target.projectId] : [])),
    );
    const roles = new Map((await names.roles()).map((role) => [role.id, role]));
    const stored = [];
    for (const grant of grants) {
      const group = groups.get(grant.actor.groupId);
      const role = roles.get(grant.roleId);
      const target = await targetEntry(grant.target, projects, context);
      // A group of a directory whose row was never written has no name here.
      if (group === undefined || role === undefined || target === undefined) continue;
      stored.push({
        entry: {
          group: { name: group.name, domain: await names.domainName(group.domainId ?? "") },
          role: await referenceTo(role, context),
          ...target,
          ...(grant.isInherited && { inherited: true }),
        },
        ids: idsOf(grant, grant.actor.groupId),
        change: async () => {},
        delete: () => services.grants.revoke(grant),
      });
    }
    return stored;
  },
  async create(context, { entry, path }) {
    const { names, services } = context;
    const groupId = await names.groupId(entry.group, [...path, "group"]);
    const roleId = await names.roleId(entry.role, [...path, "role"]);
    const target = await targetOf(entry, path, context);
    const grant: Grant = { actor: { groupId }, target, roleId, isInherited: entry.inherited === true };
    await services.grants.grant(grant);
    return idsOf(grant, groupId);
  },
};

type TargetEntry = Pick<GrantEntry, "project" | "domain" | "system">;

function targetText({ project, domain }: TargetEntry): string {
  if (project !== undefined) return `project ${nameIn(project.domain, project.name)}`;
  return domain === undefined ? "the system" : `domain ${nameIn(undefined, domain)}`;
}

async function targetEntry(
  target: RoleTarget,
  projects: Awaited<ReturnType<KindContext["names"]["projectNames"]>>,
  { names }: KindContext,
): Promise<TargetEntry | undefined> {
  if (target.kind === "system") return { system: "all" };
  if (target.kind === "domain") return { domain: await names.domainName(target.domainId) };
  const found = projects.get(target.projectId);
  return found && { project: { name: found.name, domain: found.domain } };
}

async function targetOf(entry: TargetEntry, path: DocumentPath, { names }: KindContext): Promise<RoleTarget> {
  if (entry.project !== undefined)
    return { kind: "project", projectId: await names.projectId(entry.project, [...path, "project"]) };
  if (entry.domain === undefined) return { kind: "system" };
  return { kind: "domain", domainId: await names.domainId(entry.domain, [...path, "domain"]) };
}

function idsOf({ target, roleId }: Grant, groupId: string) {
  const targetId = targetIdOf(target);
  return {
    group_id: groupId,
    role_id: roleId,
    ...(targetId !== null && { [`${target.kind}_id`]: targetId }),
  };
}
