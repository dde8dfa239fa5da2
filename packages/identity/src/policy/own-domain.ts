/** The domain of requests that name none. */
import type { FastifyRequest } from "fastify";

import type { Credentials, PolicyTarget } from "./credentials.js";

/** The domain that the first start creates. */
export const DEFAULT_DOMAIN_ID = "default";

/** The domain of a new resource: that of a domain-scoped token, else the default domain. */
export function domainForNew({ scope }: Credentials): string {
  return scope.kind === "domain" ? scope.domainId : DEFAULT_DOMAIN_ID;
}

/** The domain of a domain-scoped token, to which lists and links of users are limited; `undefined` for other tokens. */
export function onlyDomainOf({ scope }: Credentials): string | undefined {
  return scope.kind === "domain" ? scope.domainId : undefined;
}

/** The target of lists: the domain of a domain-scoped token. */
export function ownDomainTarget({ caller }: { readonly caller: Credentials }): PolicyTarget {
  const id = onlyDomainOf(caller);
  return id === undefined ? {} : { domain: { id } };
}

/** The `domain_id` of the resource in a body that has not been validated. */
export function domainInBody({ body }: FastifyRequest, key: string): string | undefined {
  const { [key]: resource } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { domain_id: domainId } = (resource ?? {}) as { readonly domain_id?: unknown };
  return typeof domainId === "string" ? domainId : undefined;
}
