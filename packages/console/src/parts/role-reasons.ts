/**
 * Why a user or group has a role: the path from the role to the grant that gives it, read from the links of an effective role assignment.
 *
 * `links.assignment` is the grant, `links.membership` the group's member, `links.prior_role` the role that implies this one.
 */

export interface EffectiveAssignment {
  readonly user?: { readonly id: string; readonly name?: string };
  readonly role: { readonly id: string; readonly name?: string };
  readonly scope: {
    readonly project?: {
      readonly id: string;
      readonly name?: string;
      readonly domain?: { readonly name?: string };
    };
    readonly domain?: { readonly id: string; readonly name?: string };
    readonly system?: { readonly all: true };
  };
  readonly links: { readonly assignment: string; readonly membership?: string; readonly prior_role?: string };
}

/** Names by id; an id without one stands for itself. */
export interface ReasonNames {
  readonly groups: ReadonlyMap<string, { readonly name: string; readonly expiresAt: string | null }>;
  readonly roles: ReadonlyMap<string, string>;
  /** Domains and projects. */
  readonly places: ReadonlyMap<string, string>;
}

/** One step of a path. */
export type Reason =
  | { readonly kind: "direct" }
  | { readonly kind: "group"; readonly name: string; readonly expiresAt: string | null }
  | { readonly kind: "inherited"; readonly from: string }
  | { readonly kind: "implied"; readonly by: string };

interface GrantPath {
  readonly place: "system" | "domains" | "projects";
  readonly placeId: string | undefined;
  readonly groupId: string | undefined;
  readonly isInherited: boolean;
}

const GRANT =
  /\/v3\/(?<inherit>OS-INHERIT\/)?(?:(?<system>system)|(?<place>domains|projects)\/(?<placeId>[^/]+))\/(?<holder>users|groups)\/(?<holderId>[^/]+)\/roles\/[^/?]+/;

/** Reads the path of a grant; `undefined` for a link of another form. */
export function readGrantLink(link: string): GrantPath | undefined {
  const groups = GRANT.exec(link)?.groups;
  if (groups === undefined) return undefined;
  return {
    place: groups["system"] === undefined ? (groups["place"] as "domains" | "projects") : "system",
    placeId: groups["placeId"] === undefined ? undefined : decodeURIComponent(groups["placeId"]),
    groupId: groups["holder"] === "groups" ? decodeURIComponent(groups["holderId"] ?? "") : undefined,
    isInherited: groups["inherit"] !== undefined,
  };
}

/** The steps from the role to its grant, in the order in which they read: implied by, through the group, inherited from. */
export function reasonsOf({ links }: EffectiveAssignment, names: ReasonNames): readonly Reason[] {
  const grant = readGrantLink(links.assignment);
  const prior = /\/roles\/([^/]+)\/implies\//.exec(links.prior_role ?? "")?.[1];
  const group = grant?.groupId === undefined ? undefined : names.groups.get(grant.groupId);
  return [
    ...(prior === undefined ? [] : [{ kind: "implied", by: names.roles.get(prior) ?? prior } as const]),
    grant?.groupId === undefined
      ? ({ kind: "direct" } as const)
      : ({ kind: "group", name: group?.name ?? grant.groupId, expiresAt: group?.expiresAt ?? null } as const),
    ...(grant?.isInherited === true && grant.placeId !== undefined
      ? [{ kind: "inherited", from: names.places.get(grant.placeId) ?? grant.placeId } as const]
      : []),
  ];
}

/** `project web (acme)`, `domain acme`, `system`. */
export function placeName({ project, domain }: EffectiveAssignment["scope"]): string {
  if (project !== undefined)
    return `project ${project.name || project.id}${project.domain?.name ? ` (${project.domain.name})` : ""}`;
  return domain === undefined ? "system" : `domain ${domain.name || domain.id}`;
}

/** The ids of the places that grants are inherited from: their names have to be looked up. */
export function inheritedFrom(
  assignments: readonly EffectiveAssignment[],
): readonly { readonly kind: "domains" | "projects"; readonly id: string }[] {
  const found = new Map<string, { kind: "domains" | "projects"; id: string }>();
  for (const { links } of assignments) {
    const grant = readGrantLink(links.assignment);
    if (grant?.isInherited === true && grant.placeId !== undefined && grant.place !== "system")
      found.set(grant.placeId, { kind: grant.place, id: grant.placeId });
  }
  return [...found.values()];
}

/** The ids of the groups that grants are made to. */
export function groupsIn(assignments: readonly EffectiveAssignment[]): readonly string[] {
  return [...new Set(assignments.flatMap(({ links }) => readGrantLink(links.assignment)?.groupId ?? []))];
}
