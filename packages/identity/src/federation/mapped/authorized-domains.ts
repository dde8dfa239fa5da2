/** The domains that a provider is held to (`authorized_domains`), checked at each login. */
import { AssertionForbiddenError } from "../federation-errors.js";

export interface HeldProvider {
  readonly id: string;
  /** `null` for all domains. */
  readonly authorizedDomains: readonly string[] | null;
}

/**
 * @param what What is in the domain, such as "a group".
 * @throws {AssertionForbiddenError} The provider is held to other domains.
 */
export function requireAuthorizedDomain(
  { authorizedDomains }: HeldProvider,
  domainId: string,
  what: string,
): void {
  if (authorizedDomains === null || authorizedDomains.includes(domainId)) return;
  const reason = `${what} is in a domain that is not among the provider's authorized_domains`;
  throw new AssertionForbiddenError({ step: "authorized-domains", reason, domainId: domainId.slice(0, 64) });
}
