/**
 * Cookies that bind a login to the browser in which it began: an attacker who learns the callback's URL, or sends a user to one
 * of the attacker's own logins, lacks the cookie.
 *
 * A browser carries its five newest logins. A further cookie lists them and is sent to the whole API: a login that a dashboard
 * begins (WebSSO) begins at another path than its callback, where its own cookie is not sent. The list holds no secrets; a browser
 * that changes it loses only its own logins.
 */
import { randomInt } from "node:crypto";

import { cookiesOf } from "../../platform/http/header-values.js";

/** Begun logins that a browser carries. */
export const MAX_BEGUN_LOGINS = 5;
/**
 * Numbers of their cookies. Concurrent logins of a browser see the same list, and could take the same number, so that one is
 * lost: there are more numbers than logins, and a process assigns them in turn. They are few, so that the Cookie header of a
 * browser with many tabs stays below the 8 KB that web servers accept: 12 cookies are 5 KB.
 */
const COOKIE_COUNT = 12;
/** Characters of the list. A browser keeps 4,096 per cookie; one login takes at most 2,100, usually 100. */
const MAX_LIST_LENGTH = 3000;

export interface LoginCookie {
  /** The sealed login. */
  readonly sealed: string;
  /** The public URL of the callback. */
  readonly authUrl: string;
  readonly lifeSeconds: number;
  /** Whether the browser returns with a form of the provider's site, with which it does not send `SameSite=Lax` cookies. */
  readonly isPostedBack: boolean;
}

export interface LoginCookies {
  /**
   * The `Set-Cookie` values that add a login to those that the browser carries, and drop the oldest.
   *
   * @param header The browser's `Cookie`.
   */
  set(header: string | undefined, login: LoginCookie): string[];
}

/** A login in the list: the number and the path of its cookie. */
type Listed = readonly [number: number, path: string];

/** @param first The number of the first cookie. */
export function createLoginCookies(first: number = randomInt(COOKIE_COUNT)): LoginCookies {
  let next = first;
  return {
    set(header, login) {
      const place = placeOf(login.authUrl);
      const listed = readList(header, place);
      const number = freeNumber(listed, next);
      next = (number + 1) % COOKIE_COUNT;
      const { kept, dropped } = withNewest(listed, [number, place.path]);
      const { sealed, lifeSeconds } = login;
      const { path, root, anySite } = place;
      const sameSite = login.isPostedBack ? anySite : "SameSite=Lax";
      return [
        setCookie(place, { name: nameOf(number), value: sealed, path, lifeSeconds, sameSite }),
        // Dashboards also begin logins with forms.
        setCookie(place, {
          name: LIST,
          value: encodeList(kept),
          path: root,
          lifeSeconds,
          sameSite: anySite,
        }),
        ...dropped.map(([each, at]) =>
          setCookie(place, { name: nameOf(each), value: "", path: at, lifeSeconds: 0, sameSite: anySite }),
        ),
      ];
    },
  };
}

function withNewest(listed: readonly Listed[], newest: Listed) {
  const kept = [...listed, newest];
  const dropped: Listed[] = [];
  while (kept.length > MAX_BEGUN_LOGINS || (kept.length > 1 && encodeList(kept).length > MAX_LIST_LENGTH))
    dropped.push(...kept.splice(0, 1));
  return { kept, dropped };
}

/** The sealed logins that a browser carries to a callback. Only the one with the right id unseals. */
export function readLoginCookies(header: string | undefined, authUrl: string): string[] {
  const { prefix } = placeOf(authUrl);
  return cookiesOf(header)
    .filter(([name]) => name.startsWith(prefix) && COOKIE_NAMES.has(name.slice(prefix.length)))
    .map(([, value]) => value)
    .slice(0, COOKIE_COUNT);
}

const LIST = "identity-begun";
const nameOf = (number: number): string => `identity-login-${number}`;
const COOKIE_NAMES = new Set(Array.from({ length: COOKIE_COUNT }, (_, number) => nameOf(number)));

/** The scope of a callback's cookies. */
interface Place {
  /** Browsers accept cookies with this prefix only over HTTPS, so that a page over HTTP can't replace one. */
  readonly prefix: "__Secure-" | "";
  /** The callback's path. */
  readonly path: string;
  /** The API's path. */
  readonly root: string;
  /** Allows the cookie with a form of another site; browsers honor it only over HTTPS. */
  readonly anySite: string | undefined;
}

const RESOURCE = "/v3/OS-FEDERATION/";

function placeOf(authUrl: string): Place {
  const { pathname, protocol } = new URL(authUrl);
  const isSecure = protocol === "https:";
  return {
    prefix: isSecure ? "__Secure-" : "",
    // Links escape it already. It must never end the attribute.
    path: pathname.replaceAll(";", "%3B"),
    root: `${pathname.slice(0, Math.max(0, pathname.lastIndexOf(RESOURCE)))}/v3`.replaceAll(";", "%3B"),
    anySite: isSecure ? "SameSite=None" : undefined,
  };
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly lifeSeconds: number;
  readonly sameSite: string | undefined;
}

function setCookie({ prefix }: Place, { name, value, path, lifeSeconds, sameSite }: Cookie): string {
  const parts = [`${prefix}${name}=${value}`, `Path=${path}`, `Max-Age=${lifeSeconds}`, "HttpOnly"];
  if (prefix !== "") parts.push("Secure");
  if (sameSite !== undefined) parts.push(sameSite);
  return parts.join("; ");
}

function freeNumber(listed: readonly Listed[], first: number): number {
  const taken = new Set(listed.map(([number]) => number));
  for (let step = 0; step < COOKIE_COUNT; step++) {
    const number = (first + step) % COOKIE_COUNT;
    if (!taken.has(number)) return number;
  }
  return first;
}

function encodeList(list: readonly Listed[]): string {
  return Buffer.from(JSON.stringify(list)).toString("base64url");
}

/** The list as it was set; empty if the cookie holds anything else: its content is written to `Set-Cookie`. */
function readList(header: string | undefined, { prefix, root }: Place): Listed[] {
  const value = cookiesOf(header).find(([name]) => name === prefix + LIST)?.[1] ?? "";
  if (value.length > MAX_LIST_LENGTH) return [];
  try {
    const list: unknown = JSON.parse(Buffer.from(value, "base64url").toString());
    return Array.isArray(list) && list.every((each) => isListed(each, root)) ? list : [];
  } catch {
    return [];
  }
}

function isListed(value: unknown, root: string): value is Listed {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [number, path] = value as readonly unknown[];
  if (!Number.isInteger(number) || (number as number) < 0 || (number as number) >= COOKIE_COUNT) return false;
  return typeof path === "string" && path.startsWith(`${root}/`) && /^[\x21-\x3a\x3c-\x7e]+$/.test(path);
}
