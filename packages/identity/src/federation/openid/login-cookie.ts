/**
 * Binds a login to the browser in which it began: whoever gets its address on the way back, or sends somebody one of his own,
 * lacks the cookie.
 */
import { createHash } from "node:crypto";

export interface LoginCookie {
  readonly state: string;
  /** The login itself, sealed. */
  readonly carried: string;
  /** Where the browser comes back to. */
  readonly returnUrl: string;
  readonly lifeSeconds: number;
}

/** The value of `Set-Cookie`. A browser may be in several logins at a time: each has a cookie of its own. */
export function setLoginCookie({ state, carried, returnUrl, lifeSeconds }: LoginCookie): string {
  const { pathname, protocol } = new URL(returnUrl);
  const parts = [`${cookieName(state)}=${carried}`, `Path=${pathname}`, `Max-Age=${lifeSeconds}`];
  return [...parts, "HttpOnly", "SameSite=Lax", ...(protocol === "https:" ? ["Secure"] : [])].join("; ");
}

/** What the browser carries of a login; `undefined` if that began elsewhere. */
export function readLoginCookie(header: string | undefined, state: string): string | undefined {
  const start = `${cookieName(state)}=`;
  return header
    ?.split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

function cookieName(state: string): string {
  return `identity-login-${createHash("sha256").update(state).digest("hex").slice(0, 16)}`;
}
