/** References to domains, and to the resources in them, by id or by name. */
import type { NamedPlace } from "./database/named-places.js";

export type DomainReference = { readonly id: string } | { readonly name: string };

/** A resource whose domain may itself be named. */
export type QualifiedReference =
  { readonly id: string } | { readonly name: string; readonly domain: DomainReference };

/** A resource whose domain's id is known. */
export type ExactReference = { readonly id: string } | NamedPlace;
