/** The difference between two results of the same login: pure functions. */
import { placeKey } from "../../platform/database/domain-scoped-names.js";
import type { HeldRole } from "../../grants/held-roles.js";
import type { LoginPreview, PreviewOutcome } from "./login-preview.js";

export const CHANGE_KINDS = [
  "gains_role",
  "refused",
  "user_changed",
  "loses_role",
  "stops_granting",
  "gains_group",
  "loses_group",
  "creates_project",
  "accepted",
] as const;

/** What new rules would change for a login. */
export interface LoginChange {
  readonly kind: (typeof CHANGE_KINDS)[number];
  /** What follows the number of logins in a sentence, such as `admin in project X`. */
  readonly what: string;
  readonly role: string | null;
  readonly target: ChangedTarget | null;
}

export interface ChangedTarget {
  readonly kind: HeldRole["target"]["kind"];
  readonly id: string | null;
  readonly name: string | null;
  readonly domainId: string | null;
  /** Whether the role counts in the projects below instead. */
  readonly isInherited: boolean;
}

/** A role on a target, by grant of a group or of the mapping. */
interface RoleAt {
  readonly role: string;
  readonly target: ChangedTarget;
  readonly isByMapping: boolean;
}

/**
 * @param options.isExact Whether logins by the new rules revoke roles in projects that they no longer grant (schema 3.0).
 * @returns Nothing, if the login results in the same.
 */
export function changesBetween(
  before: PreviewOutcome,
  after: PreviewOutcome,
  { isExact }: { readonly isExact: boolean },
): LoginChange[] {
  if (after.kind === "refused")
    return before.kind === "refused" ? [] : [plain("refused", `${after.facts.step}: ${after.facts.reason}`)];
  const fresh = after.preview;
  const known = before.kind === "refused" ? undefined : before.preview;
  return [
    ...(known === undefined ? [plain("accepted", fresh.user.type === "local" ? "a local user" : "")] : []),
    ...(known === undefined ? [] : userChanges(known, fresh)),
    ...roleChanges(known, fresh, isExact),
    ...groupChanges(known, fresh),
    ...fresh.projects
      .filter(
        ({ isNew, ...place }) =>
          isNew && !(known?.projects ?? []).some((each) => placeKey(each) === placeKey(place)),
      )
      .map(({ name }) => plain("creates_project", name)),
  ];
}

function plain(kind: LoginChange["kind"], what: string): LoginChange {
  return { kind, what, role: null, target: null };
}

function userChanges({ user: before }: LoginPreview, { user: after }: LoginPreview): LoginChange[] {
  if (before.id !== after.id)
    return [
      plain("user_changed", after.type === "local" ? "be another user: a local one" : "be another user"),
    ];
  return before.name === after.name ? [] : [plain("user_changed", "get another name")];
}

function roleChanges(known: LoginPreview | undefined, fresh: LoginPreview, isExact: boolean): LoginChange[] {
  const before = rolesOf(known);
  const after = rolesOf(fresh);
  const gained = [...after]
    .filter(([key]) => !before.has(key))
    .map(([, held]) => roleChange("gains_role", held));
  const lost = [...before]
    .filter(([key]) => !after.has(key))
    .map(([, held]) => roleChange(held.isByMapping && !isExact ? "stops_granting" : "loses_role", held));
  return [...gained, ...lost];
}

function roleChange(kind: LoginChange["kind"], { role, target }: RoleAt): LoginChange {
  return { kind, what: `${role} ${inWords(target)}`, role, target };
}

/** Such as `in project web`. */
export function inWords({ kind, name, id, isInherited }: ChangedTarget): string {
  if (kind === "system") return "on the system";
  const named = `${kind} ${name ?? id ?? ""}`;
  if (!isInherited) return kind === "project" ? `in ${named}` : `on ${named}`;
  return kind === "domain" ? `in all projects of ${named}` : `in all projects below ${named}`;
}

function rolesOf(preview: LoginPreview | undefined): Map<string, RoleAt> {
  const roles = new Map<string, RoleAt>();
  for (const { role, target, isInherited } of preview?.roles ?? [])
    add(roles, { role: role.name, target: { ...target, isInherited }, isByMapping: false });
  for (const project of preview?.projects ?? []) {
    const { id, name, domainId } = project;
    const target = { kind: "project", id: id || null, name, domainId, isInherited: false } as const;
    for (const role of project.roles) add(roles, { role: role.name, target, isByMapping: true });
  }
  return roles;
}

/** A project to be created has no id yet, so that its place identifies it. */
function add(roles: Map<string, RoleAt>, held: RoleAt): void {
  const { kind, id, name, domainId, isInherited } = held.target;
  const key = JSON.stringify([held.role, kind, id ?? [domainId, name], isInherited]);
  if (!roles.has(key)) roles.set(key, held);
}

function groupChanges(known: LoginPreview | undefined, fresh: LoginPreview): LoginChange[] {
  const before = new Map((known?.groups ?? []).map((group) => [group.id, group]));
  const after = new Map(fresh.groups.map((group) => [group.id, group]));
  const only = (kind: LoginChange["kind"], groups: typeof after, others: typeof after) =>
    [...groups.values()].filter(({ id }) => !others.has(id)).map(({ name }) => plain(kind, `group ${name}`));
  return [...only("gains_group", after, before), ...only("loses_group", before, after)];
}
