/**
 * Binds a login to the browser in which it began: whoever gets its address on the way back, or sends somebody one of his own,
 * lacks the cookie.
 */
import { createHash, timingSafeEqual } from "node:crypto";

export interface LoginCookie {
  readonly state: string;
  readonly secret: string;
  /** Where the browser comes back to. */
  readonly returnUrl: string;
  readonly lifeSeconds: number;
}

/** The value of `Set-Cookie`. A browser may be in several logins at a time: each has a cookie of its own. */
export function setLoginCookie({ state, secret, returnUrl, lifeSeconds }: LoginCookie): string {
  const { pathname, protocol } = new URL(returnUrl);
  const parts = [`${cookieName(state)}=${secret}`, `Path=${pathname}`, `Max-Age=${lifeSeconds}`];
  return [...parts, "HttpOnly", "SameSite=Lax", ...(protocol === "https:" ? ["Secure"] : [])].join("; ");
}

/** The secret that the browser has of a login; `undefined` if that began elsewhere. */
export function readLoginCookie(header: string | undefined, state: string): string | undefined {
  const start = `${cookieName(state)}=`;
  return header
    ?.split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/** What is kept of the secret: whoever reads the database can't make the cookie. */
export function secretDigest(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export function isSecretOf(digest: string, secret: string): boolean {
  const [kept, found] = [Buffer.from(digest), Buffer.from(secretDigest(secret))];
  return kept.length === found.length && timingSafeEqual(kept, found);
}

function cookieName(state: string): string {
  return `identity-login-${createHash("sha256").update(state).digest("hex").slice(0, 16)}`;
}
