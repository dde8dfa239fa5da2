/**
 * Binds a login to the browser in which it began, although the answer comes from a page of the provider's: whoever sends
 * somebody else his own answer lacks the cookie.
 */
import { createHash } from "node:crypto";

const name = (requestId: string): string =>
  `identity-saml-${createHash("sha256").update(requestId).digest("hex").slice(0, 16)}`;

export interface SamlCookie {
  readonly requestId: string;
  /** The login itself, sealed. */
  readonly carried: string;
  readonly returnUrl: string;
  readonly lifeSeconds: number;
}

/** Browsers send a cookie along with another site's form only over HTTPS, and if it says so. */
export function samlCookie({ requestId, carried, returnUrl, lifeSeconds }: SamlCookie): string {
  const { pathname, protocol } = new URL(returnUrl);
  const parts = [`${name(requestId)}=${carried}`, `Path=${pathname}`, `Max-Age=${lifeSeconds}`, "HttpOnly"];
  return [...parts, ...(protocol === "https:" ? ["Secure", "SameSite=None"] : [])].join("; ");
}

/** What the browser carries of a login; `undefined` if that began elsewhere. */
export function readSamlCookie(header: string | undefined, requestId: string): string | undefined {
  const start = `${name(requestId)}=`;
  const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}
