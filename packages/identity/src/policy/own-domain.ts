/** The default domain of a request that names none. */
import type { FastifyRequest } from "fastify";

import type { Credentials } from "./credentials.js";

/** Exists from the first start on. */
export const DEFAULT_DOMAIN_ID = "default";

/** The domain of a new resource that names none: the one of a domain-scoped token, else the default domain. */
export function domainForNew({ scope }: Credentials): string {
  return scope.kind === "domain" ? scope.domainId : DEFAULT_DOMAIN_ID;
}

/** The only domain that the caller may list or link users in; `undefined` if the token is not domain-scoped. */
export function onlyDomainOf({ scope }: Credentials): string | undefined {
  return scope.kind === "domain" ? scope.domainId : undefined;
}

/** The `domain_id` of the resource in an unvalidated body. */
export function domainInBody({ body }: FastifyRequest, key: string): string | undefined {
  const { [key]: resource } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { domain_id: domainId } = (resource ?? {}) as { readonly domain_id?: unknown };
  return typeof domainId === "string" ? domainId : undefined;
}
