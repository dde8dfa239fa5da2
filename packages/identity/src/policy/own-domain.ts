/** The domain that a request is about where it doesn't say one. */
import type { FastifyRequest } from "fastify";

import type { Credentials } from "./credentials.js";

/** The domain that there is from the first start on. */
export const DEFAULT_DOMAIN_ID = "default";

/** Where something is created whose domain is not said: in the caller's, if the token is for one, else in the default domain. */
export function domainForNew({ scope }: Credentials): string {
  return scope.kind === "domain" ? scope.domainId : DEFAULT_DOMAIN_ID;
}

/** The only domain that the caller sees in lists, or links users to providers of; `undefined` where the token is not for a domain. */
export function onlyDomainOf({ scope }: Credentials): string | undefined {
  return scope.kind === "domain" ? scope.domainId : undefined;
}

/** The `domain_id` of the resource in a body that nobody has checked yet. */
export function domainInBody({ body }: FastifyRequest, key: string): string | undefined {
  const { [key]: resource } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { domain_id: domainId } = (resource ?? {}) as { readonly domain_id?: unknown };
  return typeof domainId === "string" ? domainId : undefined;
}
