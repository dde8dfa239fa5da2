/** The domains, groups and roles that the rules of a mapping name literally, whatever the assertion. */
import type { StoredMapping } from "../../mappings/mapping.js";
import type { Mapping } from "../../mappings/rules/compile-mapping.js";
import type { ListTemplate } from "../../mappings/rules/group-list.js";
import type { MappedIdentity } from "../../mappings/rules/mapped-identity.js";
import type { LocalItem, Rule, RuleDomain } from "../../mappings/rules/rule-schema.js";

export interface LiteralReference {
  /** Such as `rules[0].local[1].groups`. */
  readonly place: string;
  readonly noun: "domain" | "group" | "group id" | "role";
  readonly name: string;
  /** Whether users log in without it. */
  readonly isOptional: boolean;
  /** An identity with this reference alone. */
  readonly identity: MappedIdentity;
}

/** Each reference once, at its first place. */
export function literalReferences({ rules }: Mapping, source: StoredMapping): readonly LiteralReference[] {
  const found = (source.rules as readonly Rule[]).flatMap(({ local }, rule) =>
    local.flatMap((item, index) => {
      const place = `rules[${rule}].local[${index}]`;
      const { groups, groupIds } = rules[rule]?.locals[index] ?? {};
      return [
        ...domainsIn(item, place),
        ...groupsIn(item, { place, members: membersOf(groups), ids: membersOf(groupIds) }),
        ...rolesIn(item, place),
      ];
    }),
  );
  return [
    ...new Map(found.toReversed().map((each) => [JSON.stringify(each.identity), each])).values(),
  ].toReversed();
}

const NOTHING: MappedIdentity = { user: { type: "ephemeral" }, group_ids: [], group_names: [], projects: [] };

function domainsIn({ user, domain, projects = [] }: LocalItem, place: string): LiteralReference[] {
  const named = [
    { at: "user.domain", domain: user?.domain, isOptional: false },
    // Groups of a domain id that does not exist are not found, and ignored.
    { at: "domain", domain, isOptional: domain?.id !== undefined },
    ...projects.map((project, index) => ({
      at: `projects[${index}].domain`,
      domain: project.domain,
      isOptional: false,
    })),
  ];
  return named.flatMap(({ at, domain: reference, isOptional }) => {
    const name = reference?.id ?? reference?.name;
    if (!isLiteralDomain(reference) || name === undefined) return [];
    const identity = { ...NOTHING, user: { ...NOTHING.user, domain: reference } };
    return [{ place: `${place}.${at}`, noun: "domain" as const, name, isOptional, identity }];
  });
}

interface NamedGroups {
  readonly place: string;
  /** The literal members of `groups`, and of `group_ids`. */
  readonly members: readonly string[];
  readonly ids: readonly string[];
}

function groupsIn({ group, domain }: LocalItem, { place, members, ids }: NamedGroups): LiteralReference[] {
  const byId = (at: string, id: string): LiteralReference[] => [
    {
      place: `${place}.${at}`,
      noun: "group id",
      name: id,
      isOptional: false,
      identity: { ...NOTHING, group_ids: [id] },
    },
  ];
  const byName = (at: string, name: string, its: RuleDomain | undefined): LiteralReference[] =>
    isLiteralDomain(its) && isLiteral(name)
      ? [
          {
            place: `${place}.${at}`,
            noun: "group",
            name,
            // A missing group is found to be missing; its domain, by name, is not.
            isOptional: its.id !== undefined,
            identity: { ...NOTHING, group_names: [{ name, domain: its }] },
          },
        ]
      : [];
  const one =
    group === undefined
      ? []
      : "id" in group
        ? byId("group", group.id).filter(({ name }) => isLiteral(name))
        : byName("group", group.name, group.domain);
  return [
    ...one,
    ...members.flatMap((name) => byName("groups", name, domain)),
    ...ids.flatMap((id) => byId("group_ids", id)),
  ];
}

function rolesIn({ projects = [] }: LocalItem, place: string): LiteralReference[] {
  return projects.flatMap(({ roles }, index) =>
    roles
      .filter(({ name }) => isLiteral(name))
      .map(({ name }) => ({
        place: `${place}.projects[${index}].roles`,
        noun: "role" as const,
        name,
        isOptional: false,
        // A login creates the project, but not the role.
        identity: { ...NOTHING, projects: [{ name: "any", roles: [{ name }] }] },
      })),
  );
}

/** Members that take no values; none where values determine the list. */
function membersOf(list: ListTemplate | undefined): string[] {
  if (list === undefined || list.takesValues) return [];
  return (list.own?.members ?? []).filter(
    (member) => typeof member === "string" && !member.startsWith("JSON:"),
  ) as string[];
}

function isLiteralDomain(domain: RuleDomain | null | undefined): domain is RuleDomain {
  const names = [domain?.id, domain?.name].filter((name) => name !== undefined);
  return names.length > 0 && names.every(isLiteral);
}

/** Braces may be a field, or an escaped brace. */
function isLiteral(text: string): boolean {
  return text !== "" && !/[{}]/.test(text);
}
