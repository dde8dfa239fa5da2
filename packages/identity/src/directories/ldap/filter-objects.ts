/**
 * LDAP filters as objects, whose values never become text: no name changes the structure of a filter. Only
 * the filters of a domain's configuration are parsed, when they are stored and read.
 */
import {
  AndFilter,
  EqualityFilter,
  ExtensibleFilter,
  Filter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from "ldapts";

export { Filter };

/** Active Directory's rule that follows nested groups (LDAP_MATCHING_RULE_IN_CHAIN). */
const IN_CHAIN = "1.2.840.113556.1.4.1941";

export const equals = (attribute: string, value: string | Buffer): Filter =>
  new EqualityFilter({ attribute, value });

export const isPresent = (attribute: string): Filter => new PresenceFilter({ attribute });

export const allOf = (...filters: readonly Filter[]): Filter => new AndFilter({ filters: [...filters] });

export const anyOf = (filters: readonly Filter[]): Filter => new OrFilter({ filters: [...filters] });

/** @param value Not empty. */
export function contains(
  attribute: string,
  value: string,
  where: "contains" | "startswith" | "endswith",
): Filter {
  if (where === "startswith") return new SubstringFilter({ attribute, initial: value });
  if (where === "endswith") return new SubstringFilter({ attribute, final: value });
  return new SubstringFilter({ attribute, any: [value] });
}

/** Whether an entry is directly or indirectly linked to a DN by an attribute. */
export const inChain = (attribute: string, dn: string): Filter =>
  new ExtensibleFilter({ matchType: attribute, rule: IN_CHAIN, value: dn });
