/** Grants of roles: to a user or group, on a project, a domain or the system, or inherited by the projects below. */
import { askConsole } from "../api/client.ts";
import type { Check } from "../app/ask-allowed.svelte.ts";
import type { EffectiveAssignment } from "./role-reasons.ts";

export interface GrantActor {
  readonly kind: "user" | "group";
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
}

export interface GrantTarget {
  readonly kind: "project" | "domain";
  readonly id: string;
  readonly name: string;
  /** The domain of a project; `null` for a domain itself. */
  readonly domainId: string | null;
}

/** Where a role is granted. */
export type GrantPlace = GrantTarget | { readonly kind: "system" };

export const SYSTEM: GrantPlace = { kind: "system" };

interface Grant {
  readonly actor: Pick<GrantActor, "kind" | "id">;
  readonly place: GrantPlace;
  readonly roleId: string;
  /** For the projects below the place, instead of the place itself. */
  readonly isInherited: boolean;
}

/** The path of a grant in the API. */
export function grantPath({ actor, place, roleId, isInherited }: Grant): string {
  const holder = `${actor.kind}s/${encodeURIComponent(actor.id)}/roles/${encodeURIComponent(roleId)}`;
  if (place.kind === "system") return `/v3/system/${holder}`;
  const target = `${place.kind}s/${encodeURIComponent(place.id)}/${holder}`;
  return isInherited ? `/v3/OS-INHERIT/${target}/inherited_to_projects` : `/v3/${target}`;
}

/** Grants the role. */
export async function grantRole(grant: Grant): Promise<void> {
  await askConsole(grantPath(grant), { method: "PUT" });
}

/** Revokes what a role assignment lists. @param link `links.assignment` of it. */
export async function revokeGrant(link: string): Promise<void> {
  await askConsole(link.slice(link.indexOf("/v3/")), { method: "DELETE" });
}

interface Role {
  readonly name: string;
  readonly domain_id?: string | null;
}

/** Whether the policy lets the caller grant a role. @param verb Or revoke it. */
export function grantCheck(
  { actor, place, role }: { actor: Pick<GrantActor, "kind" | "domainId">; place: GrantPlace; role: Role },
  verb: "create" | "revoke" = "create",
): Check {
  if (place.kind === "system") return { action: `identity:${verb}_system_grant_for_${actor.kind}` };
  return {
    action: `identity:${verb}_grant`,
    target: {
      ...(actor.kind === "user"
        ? { user: { id: "", domain_id: actor.domainId } }
        : { group: { domain_id: actor.domainId } }),
      ...(place.kind === "domain"
        ? { domain: { id: place.id } }
        : { project: { id: place.id, domain_id: place.domainId } }),
      role: { name: role.name, domain_id: role.domain_id ?? null },
    },
  };
}

/** A role assignment as the API lists it, with names. */
export interface GrantedRole extends EffectiveAssignment {
  readonly user?: { readonly id: string; readonly name?: string; readonly domain?: { readonly id: string } };
  readonly group?: { readonly id: string; readonly name?: string; readonly domain?: { readonly id: string } };
  readonly scope: EffectiveAssignment["scope"] & { readonly "OS-INHERIT:inherited_to"?: string };
}

/** Whether the caller may revoke what is listed. */
export function revokeCheck({ user, group, role, scope }: GrantedRole): Check {
  const holder = user ?? group;
  const { project, domain } = scope as {
    project?: { id: string; domain?: { id?: string } };
    domain?: { id: string };
  };
  const place: GrantPlace =
    project !== undefined
      ? { kind: "project", id: project.id, name: "", domainId: project.domain?.id ?? null }
      : domain !== undefined
        ? { kind: "domain", id: domain.id, name: "", domainId: null }
        : SYSTEM;
  const actor = {
    kind: user === undefined ? "group" : "user",
    domainId: holder?.domain?.id ?? "",
  } as const;
  return grantCheck({ actor, place, role: { name: role.name ?? "" } }, "revoke");
}
