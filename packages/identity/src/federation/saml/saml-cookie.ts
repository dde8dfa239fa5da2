/**
 * Binds a login to the browser in which it began, although the answer comes from a page of the provider's: whoever sends
 * somebody else his own answer lacks the cookie.
 */
import { createHash, timingSafeEqual } from "node:crypto";

const name = (requestId: string): string =>
  `identity-saml-${createHash("sha256").update(requestId).digest("hex").slice(0, 16)}`;

/** What is kept of the secret: whoever reads the database can't make the cookie. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export interface SamlCookie {
  readonly requestId: string;
  readonly secret: string;
  readonly returnUrl: string;
  readonly lifeSeconds: number;
}

/** Browsers send a cookie along with another site's form only over HTTPS, and if it says so. */
export function samlCookie({ requestId, secret, returnUrl, lifeSeconds }: SamlCookie): string {
  const { pathname, protocol } = new URL(returnUrl);
  const parts = [`${name(requestId)}=${secret}`, `Path=${pathname}`, `Max-Age=${lifeSeconds}`, "HttpOnly"];
  return [...parts, ...(protocol === "https:" ? ["Secure", "SameSite=None"] : [])].join("; ");
}

/** Whether the browser has the secret of a login. */
export function hasSecret(header: string | undefined, requestId: string, digest: string): boolean {
  const start = `${name(requestId)}=`;
  const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
  const secret = pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? "";
  const [kept, found] = [Buffer.from(digest), Buffer.from(digestOf(secret))];
  return kept.length === found.length && timingSafeEqual(kept, found);
}
