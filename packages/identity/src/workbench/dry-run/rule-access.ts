/** Who could become what: the groups, projects and users that rules can give, with the roles that come with them. */
import { setImmediate as nextTurn } from "node:timers/promises";

import type { Platform } from "../../area.js";
import { listHeldRoles, listRoleHolders, type HeldRole, type RoleHolders } from "../../grants/held-roles.js";
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import type { RuleDomain } from "../../mappings/rules/rule-schema.js";
import { listRuleGrants, type GrantedItem, type RuleGrant } from "../../mappings/lint/rule-grants.js";
import { takesValues } from "../../mappings/rules/text-template.js";
import { placeKey } from "../../platform/database/domain-scoped-names.js";
import { toNfc } from "../../platform/text/name-characters.js";
import type { MappedReferencesDeps } from "../../federation/mapped/mapped-references.js";
import type { LocalUserDeps } from "../../federation/mapped/mapped-user.js";
import { inWords } from "./login-changes.js";

/** A group, project or user that an assertion can lead to. */
export interface RuleAccess {
  readonly rule: number;
  readonly place: string;
  readonly kind: "group" | "project" | "local-user";
  /** `null` if it does not exist, or may be any. */
  readonly id: string | null;
  /** `null` if it may be any. */
  readonly name: string | null;
  /** `null` where the rules name none, or the assertion chooses it. */
  readonly domainId: string | null;
  readonly exists: boolean;
  /** In words, such as `admin on the system`; also implied roles. */
  readonly roles: readonly string[];
  readonly isAdmin: boolean;
  /** What an administrator of the provider would have to set, in words. */
  readonly requires: readonly string[];
  readonly attributes: readonly string[];
  /** All of it in a sentence. */
  readonly text: string;
}

export interface RuleAccessDeps extends Pick<Platform, "database" | "clock"> {
  readonly groups: MappedReferencesDeps["groups"];
  readonly projects: MappedReferencesDeps["projects"];
  readonly users: LocalUserDeps["users"];
}

export interface ListedAccess {
  /** Administrators first, then in the order of the rules. */
  readonly access: readonly RuleAccess[];
  /** Whether entries, or roles of an entry, were left out. */
  readonly isTruncated: boolean;
}

export type ListRuleAccess = (mapping: Mapping) => Promise<ListedAccess>;

const ADMIN = "admin";
/** Roles that are shown, of one query. Who is an administrator has queries of its own, without a limit. */
const MAX_ROWS = 5000;
/** Entries of one response. */
const MAX_ENTRIES = 1000;
/** Administrators of the cloud, each tried with each grant that the assertion chooses. */
const MAX_CHECKS = 500_000;

/** For groups and users that the assertion chooses: those with the role `admin`, and one entry for any other. */
export function createRuleAccess(deps: RuleAccessDeps): ListRuleAccess {
  const { database, clock, groups, projects, users } = deps;

  async function domainIds(grants: readonly RuleGrant[]): Promise<DomainIds> {
    const domains = grants.flatMap(({ item }) => ("domain" in item ? (item.domain ?? []) : []));
    const names = [...new Set(domains.flatMap(({ id, name }) => (id ? [] : (name ?? []))))];
    const found = names.length === 0 ? [] : await projects.findDomains({ names, ids: [] });
    const ids = new Map(found.map(({ id, name }) => [name, id]));
    return (domain) => domain?.id ?? ids.get(domain?.name ?? "") ?? null;
  }

  /** The roles of groups or users, those of administrators first. */
  async function rolesOf(holders: RoleHolders): Promise<ShownRoles> {
    const admins = new Set((await listRoleHolders(database, holders, ADMIN)).map(({ id }) => id));
    const asAdmin =
      admins.size === 0 ? [] : await listHeldRoles(database, holders, { roleName: ADMIN, limit: MAX_ROWS });
    const rows = await listHeldRoles(database, holders, { limit: MAX_ROWS });
    const byHolder = new Map<string, string[]>();
    const others = rows.filter(({ role }) => role.name !== ADMIN);
    for (const role of [...asAdmin, ...others])
      byHolder.set(role.holder.id, [...(byHolder.get(role.holder.id) ?? []), roleText(role)]);
    return {
      isTruncated: rows.length >= MAX_ROWS,
      ofHolder: (id) => ({ roles: byHolder.get(id) ?? [], isAdmin: admins.has(id) }),
    };
  }

  async function fixedGroups(grants: readonly RuleGrant[], idOf: DomainIds) {
    const items = grants.flatMap(({ item }) => (item.kind === "group" ? [item] : []));
    const byId = await groups.findGroupsById(items.flatMap((item) => ("id" in item ? [item.id] : [])));
    const places = items.flatMap((item) =>
      "name" in item ? [{ name: item.name, domainId: idOf(item.domain) ?? "" }] : [],
    );
    const byName = await groups.findGroupsByName(places);
    const idKeys = new Map(byId.map((group) => [group.id, group]));
    const nameKeys = new Map(byName.map((group) => [placeKey(group), group]));
    const roles = await rolesOf({ groupIds: [...new Set([...byId, ...byName].map(({ id }) => id))] });
    const find = (item: Extract<GrantedItem, { kind: "group" }>) =>
      "id" in item
        ? idKeys.get(item.id)
        : nameKeys.get(placeKey({ name: item.name, domainId: idOf(item.domain) ?? "" }));
    return { find, roles };
  }

  /** The administrators among groups or users that assertions may choose; each query runs once. */
  function administrators() {
    const known = new Map<string, readonly HeldRole["holder"][]>();
    const now = clock.now();
    let checksLeft = MAX_CHECKS;
    return {
      isExhausted: () => checksLeft < 0,

      async list(of: "groups" | "users", domainId: string | null): Promise<readonly HeldRole["holder"][]> {
        const key = JSON.stringify([of, domainId]);
        const holders =
          of === "groups" ? { groupsOf: domainId ?? undefined } : { usersOf: domainId ?? undefined, now };
        const found = known.get(key) ?? (await listRoleHolders(database, holders, ADMIN));
        known.set(key, found);
        checksLeft -= found.length;
        return checksLeft < 0 ? [] : found;
      },
    };
  }

  async function localUser(grant: RuleGrant, item: LocalUserItem, domainId: string | null) {
    const { id, name = null } = item;
    const user = id
      ? await users.findUser({ id })
      : domainId === null || name === null
        ? undefined
        : await users.findUser({ name, domainId });
    const found = await rolesOf({ userIds: user === undefined ? [] : [user.id], now: clock.now() });
    const facts = { id: user?.id ?? null, name: name ?? id ?? null, domainId, exists: user !== undefined };
    return toAccess(grant, { kind: "local-user", ...facts, ...found.ofHolder(user?.id ?? "") });
  }

  return async (mapping) => {
    const { grants, isTruncated } = listRuleGrants(mapping);
    const idOf = await domainIds(grants);
    const fixed = await fixedGroups(grants, idOf);
    const admins = administrators();
    const entries: RuleAccess[] = [];
    /** Entries of administrators whom the assertion chooses: their roles are read for those that are shown. */
    const chosen: { readonly grant: RuleGrant; readonly kind: Kind; readonly holder: HeldRole["holder"] }[] =
      [];

    async function choose(grant: RuleGrant, { kind, name, by, domainId }: Choice): Promise<void> {
      for (const holder of await admins.list(kind === "group" ? "groups" : "users", domainId)) {
        const how =
          name === undefined ? grant.choose(holder[by]) : holder.name === toNfc(name) ? "" : undefined;
        if (how === undefined) continue;
        const requires = how === "" ? grant.requires : [how, ...grant.requires];
        chosen.push({ grant: { ...grant, requires }, kind, holder });
      }
      const any = { kind, id: null, name: name ?? null, domainId, exists: true, ...NO_ROLES };
      entries.push(toAccess(grant, any));
    }

    for (const grant of grants) {
      await nextTurn();
      const { item } = grant;
      const domainId = "domain" in item ? idOf(item.domain) : null;
      const isNowhere = "domain" in item && item.domain !== undefined && domainId === null;
      switch (item.kind) {
        case "group": {
          const group = fixed.find(item);
          const id = group?.id ?? ("id" in item ? item.id : null);
          const name = group?.name ?? ("name" in item ? item.name : null);
          const facts = { kind: "group", id, name, exists: group !== undefined } as const;
          const held = fixed.roles.ofHolder(group?.id ?? "");
          entries.push(toAccess(grant, { ...facts, domainId: group?.domainId ?? domainId, ...held }));
          break;
        }
        case "chosen-groups": {
          const { by, name } = item;
          const facts = { kind: "group", id: null, name: name ?? null, domainId, ...NO_ROLES } as const;
          if (isNowhere) entries.push(toAccess(grant, { ...facts, exists: false }));
          else await choose(grant, { kind: "group", by, name, domainId });
          break;
        }
        case "project":
          entries.push(projectAccess(grant, item, domainId));
          break;
        case "chosen-projects": {
          const roles = ["any role in any project, also admin"];
          const facts = { kind: "project", id: null, name: null, domainId, exists: true } as const;
          entries.push(toAccess(grant, { ...facts, roles, isAdmin: true }));
          break;
        }
        case "local-user": {
          const name = takesValues(item.name) ? undefined : item.name;
          const choice = item.id === undefined ? { by: "name" as const, name } : { by: "id" as const };
          if (item.isChosen && !isNowhere)
            await choose(grant, { kind: "local-user", name: undefined, ...choice, domainId });
          else entries.push(await localUser(grant, item, domainId));
        }
      }
    }
    const shown = chosen.slice(0, MAX_ENTRIES);
    const idsOf = (kind: Kind) => [
      ...new Set(shown.filter((each) => each.kind === kind).map(({ holder }) => holder.id)),
    ];
    const held = {
      group: await rolesOf({ groupIds: idsOf("group") }),
      "local-user": await rolesOf({ userIds: idsOf("local-user"), now: clock.now() }),
    };
    const choosable = shown.map(({ grant, kind, holder }) => {
      const { roles } = held[kind].ofHolder(holder.id);
      return toAccess(grant, { kind, ...holder, exists: true, roles, isAdmin: true });
    });
    const all = [...choosable, ...entries].toSorted(
      (one, other) => Number(other.isAdmin) - Number(one.isAdmin) || one.rule - other.rule,
    );
    const isCut = [fixed.roles, held.group, held["local-user"]].some((roles) => roles.isTruncated);
    const isShort = chosen.length > MAX_ENTRIES || all.length > MAX_ENTRIES || admins.isExhausted();
    return { access: all.slice(0, MAX_ENTRIES), isTruncated: isTruncated || isShort || isCut };
  };
}

type DomainIds = (domain: RuleDomain | undefined) => string | null;
type LocalUserItem = Extract<GrantedItem, { kind: "local-user" }>;
type Kind = "group" | "local-user";

interface Choice {
  readonly kind: Kind;
  readonly by: "id" | "name";
  /** Where only the domain is chosen. */
  readonly name: string | undefined;
  readonly domainId: string | null;
}

interface ShownRoles {
  readonly isTruncated: boolean;
  readonly ofHolder: (id: string) => Pick<RuleAccess, "roles" | "isAdmin">;
}

const NO_ROLES = { roles: [], isAdmin: false } as const;

/** Roles by name, of which the assertion may choose any. */
function projectAccess(
  grant: RuleGrant,
  { name, roles }: Extract<GrantedItem, { kind: "project" }>,
  domainId: string | null,
): RuleAccess {
  const target = inWords({ kind: "project", id: null, name, domainId, isInherited: false });
  const how = roles.filter(takesValues).map((role) => grant.choose(ADMIN, role));
  const isChoosable = how.some((words) => words !== undefined);
  const isAdmin = roles.includes(ADMIN) || isChoosable;
  const texts = roles.map((role) =>
    takesValues(role) && grant.choose(ADMIN, role) !== undefined
      ? `any role ${target}, also ${ADMIN}`
      : `${role} ${target}`,
  );
  const choosing = roles.includes(ADMIN) ? [] : how.flatMap((words) => words ?? []).slice(0, 1);
  const facts = { kind: "project", id: null, name, domainId, exists: true, roles: texts, isAdmin } as const;
  return toAccess({ ...grant, requires: [...choosing, ...grant.requires] }, facts);
}

function roleText({ role, target, isInherited }: HeldRole): string {
  return `${role.name} ${inWords({ ...target, isInherited })}`;
}

type Facts = Pick<RuleAccess, "kind" | "id" | "name" | "domainId" | "exists" | "roles" | "isAdmin">;

function toAccess({ rule, place, requires, attributes }: RuleGrant, facts: Facts): RuleAccess {
  const entry = { rule, place, ...facts, requires, attributes };
  return { ...entry, text: sentenceOf(entry) };
}

const NOUNS: Readonly<Record<RuleAccess["kind"], string>> = {
  group: "group",
  project: "project",
  "local-user": "local user",
};

function sentenceOf({ kind, name, domainId, exists, roles, requires }: Omit<RuleAccess, "text">): string {
  const noun = NOUNS[kind];
  const which =
    name === null ? `any ${noun}${domainId === null ? "" : ` of domain ${domainId}`}` : `${noun} ${name}`;
  const what = kind === "local-user" ? `log in as ${which}` : `get ${which}`;
  const withRoles =
    roles.length === 0 ? "" : `, with ${roles.slice(0, 5).join(", ")}${roles.length > 5 ? ", …" : ""}`;
  return `users ${what}${withRoles}${exists ? "" : " (does not exist)"} if ${requires.join(", and ")}`;
}
