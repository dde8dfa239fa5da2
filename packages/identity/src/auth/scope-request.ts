/** Parses the scope that a login requests. */
import type { DomainReference } from "../projects/project-service.js";
import type { Reference, ScopeSection } from "./auth-schema.js";
import { LoginRefusedError, MissingPartError, UnnamedError } from "./auth-errors.js";

/** A project or a user by its id, or by its name in a domain. */
export type NamedReference =
  { readonly id: string } | { readonly name: string; readonly domain: DomainReference };

export type ScopeRequest =
  /** None requested: the user's default project, or unscoped. */
  | { readonly kind: "any" }
  | { readonly kind: "unscoped" }
  | { readonly kind: "system" }
  | { readonly kind: "project"; readonly project: NamedReference }
  | { readonly kind: "domain"; readonly domain: DomainReference };

const KINDS = ["system", "project", "domain", "OS-TRUST:trust", "unscoped"];

/**
 * Reads the member `scope` of a request for a token.
 *
 * @throws {MissingPartError} None of the scopes, or several.
 * @throws {LoginRefusedError} A scope that is not supported.
 */
export function readScope(scope: ScopeSection): ScopeRequest {
  if (scope === undefined) return { kind: "any" };
  if (scope === "unscoped") return { kind: "unscoped" };
  const sections = typeof scope === "string" ? {} : scope;
  const [kind, ...others] = KINDS.filter((name) => name in sections);
  if (kind === undefined || others.length > 0)
    throw new MissingPartError("system, project, domain, OS-TRUST:trust or unscoped", "scope");
  if (kind === "unscoped") return { kind };
  if (kind === "project") return { kind, project: readNamed(sections.project ?? {}, "scope/project") };
  if (kind === "domain") return { kind, domain: readDomain(sections.domain ?? {}, "scope/domain") };
  if (kind === "system" && sections.system?.all !== false) return { kind };
  throw new LoginRefusedError(`scope ${kind} is not supported, or its value is not allowed`);
}

/**
 * Parses the reference to a project or a user.
 *
 * @param place Its place in the request, such as `scope/project`.
 * @throws {UnnamedError} Neither id nor name, or a domain with neither.
 * @throws {MissingPartError} A name without a domain.
 */
export function readNamed(
  { id, name, domain }: Reference & { readonly domain?: Reference },
  place: string,
): NamedReference {
  if (id !== undefined) return { id };
  if (name === undefined) throw new UnnamedError(place);
  if (domain === undefined) throw new MissingPartError("domain", place.slice(place.lastIndexOf("/") + 1));
  return { name, domain: readDomain(domain, `${place}/domain`) };
}

function readDomain({ id, name }: Reference, place: string): DomainReference {
  if (id !== undefined) return { id };
  if (name !== undefined) return { name };
  throw new UnnamedError(place);
}
