/**
 * What policy files open and close, compared with the built-in rules: found by asking both about callers of each role and kind of
 * token, and targets that are the caller's own, of its domain, or of another.
 */
import type { Credentials, CredentialScope, PolicyTarget } from "./caller.js";
import { noAttributes } from "./flat-attributes.js";
import { isAllowed, type Action } from "./is-allowed.js";
import type { AffectedAction, PolicyInForce } from "./policy-in-force.js";
import { visitRule } from "./rules/rule.js";
import { attributesOfTarget } from "./target-attributes.js";
import { hasSubject, partsOf } from "./target-parts.js";

export interface AccessDifference {
  readonly action: Action;
  /** Such as `members with a token for a project may now delete users of any domain`. */
  readonly opened: readonly string[];
  /** Such as `readers with a token for the system may no longer list users`. */
  readonly closed: readonly string[];
  /** Whether tokens of one domain now reach others. */
  readonly crossesDomains: boolean;
}

/** In the order of the built-in rules; those without a difference are left out. */
export function accessDifferences(policy: PolicyInForce): AccessDifference[] {
  const roles = [...ROLES, ...rolesIn(policy)];
  return [...policy.affected]
    .map(([action, affected]) => differenceOf(action, affected, roles))
    .filter(({ opened, closed }) => opened.length + closed.length > 0);
}

interface TriedRole {
  /** In the plural. */
  readonly words: string;
  readonly names: readonly string[];
}

const NO_ROLE: TriedRole = { words: "all users", names: [] };
const ROLES: readonly TriedRole[] = [
  NO_ROLE,
  { words: "readers", names: ["reader"] },
  { words: "members", names: ["member", "reader"] },
  { words: "managers", names: ["manager", "member", "reader"] },
  { words: "administrators", names: ["admin", "manager", "member", "reader"] },
  { words: "services", names: ["service"] },
];

/** Roles that files name, besides those of Keystone. */
function rolesIn({ written }: PolicyInForce): TriedRole[] {
  const known = new Set(ROLES.flatMap(({ names }) => names));
  const found = new Set<string>();
  for (const { rule } of written.values())
    visitRule(rule, (part) => {
      if (part.kind === "role" && !part.role.includes("%")) found.add(part.role.toLowerCase());
    });
  return [...found]
    .filter((role) => !known.has(role))
    .map((role) => ({ words: `users with the role ${role}`, names: [role] }));
}

const SCOPES: readonly { readonly words: string; readonly scope: CredentialScope }[] = [
  { words: "with any token", scope: { kind: "unscoped" } },
  { words: "with a token for a project", scope: { kind: "project", projectId: "p1", projectDomainId: "d1" } },
  { words: "with a token for a domain", scope: { kind: "domain", domainId: "d1" } },
  { words: "with a token for the system", scope: { kind: "system" } },
];

/** Where the target of an action is. */
interface Situation {
  readonly words: string;
  readonly target: PolicyTarget;
  /** For what requests say themselves: filters and bodies. */
  readonly domainId: string | undefined;
  readonly isOtherDomain: boolean;
}

const MEMBER_ROLE = { name: "member", domainId: null };

function targetIn(number: 1 | 2, userId: string): PolicyTarget {
  const domainId = `d${number}`;
  return {
    user: { id: userId, domainId },
    group: { domainId },
    project: { id: `p${number}`, domainId },
    trust: { trustorId: userId, trusteeId: userId },
    role: MEMBER_ROLE,
  };
}

const ofDomain = (id: string): PolicyTarget => ({ domain: { id }, group: { domainId: id } });

/** The widest first. */
function situationsOf(action: Action, { kind }: CredentialScope): readonly Situation[] {
  const { stored, body, made } = partsOf(action);
  const none = { words: "", target: {}, domainId: undefined, isOtherDomain: false };
  if (made === "list") {
    // Lists are limited to the domain of a token for one, whatever the rule.
    if (kind === "domain")
      return [{ ...none, words: "of their domain", target: ofDomain("d1"), domainId: "d1" }];
    const any = { words: "of any domain", target: {}, isOtherDomain: kind !== "system" };
    return [
      { ...any, domainId: undefined },
      { ...any, domainId: "d2" },
      { words: "of their domain", target: {}, domainId: "d1", isOtherDomain: false },
    ];
  }
  if (stored === undefined && body === undefined && made === undefined && !hasSubject(action)) return [none];
  const isOfDomain = stored?.length === 1 && stored[0] === "domain";
  const within = (number: 1 | 2, userId: string) =>
    isOfDomain ? ofDomain(`d${number}`) : targetIn(number, userId);
  return [
    { words: "of any domain", target: within(2, "u3"), domainId: "d2", isOtherDomain: kind !== "system" },
    { words: "of their domain", target: within(1, "u2"), domainId: "d1", isOtherDomain: false },
    ...(isOfDomain
      ? []
      : [{ words: "of their own", target: within(1, "u1"), domainId: "d1", isOtherDomain: false }]),
  ];
}

function differenceOf(
  action: Action,
  affected: AffectedAction,
  roles: readonly TriedRole[],
): AccessDifference {
  const opened: string[] = [];
  const closed: string[] = [];
  let crossesDomains = false;
  for (const { words, scope } of SCOPES) {
    const said = new Set<string>();
    for (const role of roles) {
      if (scope.kind === "unscoped" && role.names.length > 0) continue;
      const caller: Credentials = { userId: "u1", userDomainId: "d1", roles: role.names, scope };
      const decided = situationsOf(action, scope).map((situation) => ({
        situation,
        now: isAllowedNow(affected, { action, caller, situation }),
        before: isAllowed(action, caller, situation.target),
      }));
      for (const [list, isIt] of [
        [opened, ({ now, before }: Decided) => now && !before],
        [closed, ({ now, before }: Decided) => before && !now],
      ] as const) {
        const widest = decided.find(isIt);
        if (widest === undefined) continue;
        if (list === opened) crossesDomains ||= widest.situation.isOtherDomain;
        const what = `${wordsOf(action)} ${widest.situation.words}`.trim();
        // What a token without roles or a weaker role may do is not said again.
        const isSaid =
          said.has(`${list === opened}${what}`) && ROLES.includes(role) && role.words !== "services";
        if (isSaid) continue;
        said.add(`${list === opened}${what}`);
        list.push(`${role.words} ${words} ${list === opened ? "may now" : "may no longer"} ${what}`);
      }
    }
  }
  return { action, opened, closed, crossesDomains };
}

interface Decided {
  readonly now: boolean;
  readonly before: boolean;
}

interface TriedRequest {
  readonly action: Action;
  readonly caller: Credentials;
  readonly situation: Situation;
}

/** Attributes of the request itself are those of the situation, as far as they are ids. */
function isAllowedNow(affected: AffectedAction, { action, caller, situation }: TriedRequest): boolean {
  const { target, domainId } = situation;
  const attributes = Object.assign(noAttributes(), attributesOfTarget({ action, caller, target }));
  for (const name of affected.targetNames)
    if (domainId !== undefined && /^(?:filter_attr|request_body)\..*domain_id$/s.test(name))
      attributes[name] = domainId;
  try {
    return affected.decide(caller, { target: attributes, token: tokenOf(caller) });
  } catch {
    return false;
  }
}

function tokenOf({ userId, userDomainId, roles, scope }: Credentials): object {
  return {
    methods: ["password"],
    user: { id: userId, domain: { id: userDomainId } },
    roles: roles.map((name) => ({ name })),
    ...(scope.kind === "project" && {
      project: { id: scope.projectId, domain: { id: scope.projectDomainId } },
    }),
    ...(scope.kind === "domain" && { domain: { id: scope.domainId } }),
    ...(scope.kind === "system" && { system: { all: true } }),
  };
}

/** `identity:delete_user`: delete users. */
export function wordsOf(action: Action): string {
  const [named = "", ...rest] = action.replace("identity:", "").split("_");
  const verb = named === "get" ? "see" : named;
  const noun = rest.join(" ");
  const isPlural = /s$| for | in | to | from /.test(noun) || rest.length === 0;
  return `${verb} ${isPlural ? noun : `${noun.replace(/y$/, "ie")}s`}`.trim();
}
