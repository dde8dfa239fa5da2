/** The paths of grants. */
import type { GrantPlace, RoleActor, RoleTarget } from "./grant.js";

/** The paths of the roles of users or groups on one kind of target. */
export interface GrantPath {
  readonly target: RoleTarget["kind"];
  readonly actor: "user" | "group";
  readonly isInherited: boolean;
  readonly list: string;
  /** Whether it has a list: as in Keystone, not for roles inherited from a project. */
  readonly hasList: boolean;
  readonly one: string;
  /** Completes "Lists the roles of". */
  readonly summary: string;
  readonly placeOf: (parameters: Parameters) => GrantPlace;
}

type Parameters = Readonly<Record<string, string>>;

const TARGETS = [
  { target: "project", isInherited: false },
  { target: "domain", isInherited: false },
  { target: "system", isInherited: false },
  { target: "project", isInherited: true },
  { target: "domain", isInherited: true },
] as const;

export function grantPaths(): GrantPath[] {
  return TARGETS.flatMap((kind) =>
    (["user", "group"] as const).map((actor) => grantPath({ ...kind, actor })),
  );
}

type Kind = Pick<GrantPath, "target" | "actor" | "isInherited">;

function grantPath({ target, actor, isInherited }: Kind): GrantPath {
  const start = isInherited ? "/v3/OS-INHERIT" : "/v3";
  const end = isInherited ? "/inherited_to_projects" : "";
  const place = target === "system" ? "system" : `${target}s/:${target}_id`;
  const roles = `${start}/${place}/${actor}s/:${actor}_id/roles`;
  return {
    target,
    actor,
    isInherited,
    list: `${roles}${end}`,
    hasList: !isInherited || target === "domain",
    one: `${roles}/:role_id${end}`,
    summary: `a ${actor} in ${PLACES[target]}${isInherited ? ", as it is inherited by the projects below" : ""}`,
    placeOf: (parameters) => ({
      actor: actorOf(actor, parameters),
      target: targetOf(target, parameters),
      isInherited,
    }),
  };
}

const PLACES = { project: "a project", domain: "a domain", system: "the system" } as const;

function actorOf(
  kind: GrantPath["actor"],
  { user_id: userId = "", group_id: groupId = "" }: Parameters,
): RoleActor {
  return kind === "user" ? { userId } : { groupId };
}

function targetOf(
  kind: RoleTarget["kind"],
  { project_id: projectId = "", domain_id: domainId = "" }: Parameters,
): RoleTarget {
  if (kind === "system") return { kind };
  return kind === "project" ? { kind, projectId } : { kind, domainId };
}
