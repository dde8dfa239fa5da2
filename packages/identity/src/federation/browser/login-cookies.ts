/**
 * Cookies that bind a login to the browser in which it began: an attacker who learns the address of the callback, or sends a user
 * to one of the attacker's own, lacks the cookie.
 *
 * A browser carries the five newest logins. Which they are is in a list, a cookie that all of the API is sent: a login that a
 * dashboard begins (WebSSO) begins at another path than it comes back to, where its own cookie is not sent. The list has no
 * secrets, and a browser that changes it loses nothing but logins of its own.
 */
import { randomInt } from "node:crypto";

/** Begun logins that a browser carries. */
export const MAX_BEGUN_LOGINS = 5;
/**
 * Names of their cookies. Logins that begin at the same time see the same list, and may take the same name, so that one of them is
 * lost: there are more names than logins, and a process gives them in turn. There is an end of names, so that the header of a
 * browser with many tabs, each of which begins a login, stays below the 8 KB that web servers accept: 12 cookies are 5 KB.
 */
const NAMES = 12;
/** Characters of the list. Browsers keep 4,096 of a cookie; one login takes 2,100 at most, and usually 100. */
const MAX_LIST_LENGTH = 3000;

export interface BegunLogin {
  /** The login itself, sealed. */
  readonly carried: string;
  /** The public URL of the callback. */
  readonly authUrl: string;
  readonly lifeSeconds: number;
  /** Whether the provider has the browser come back with a form: another site's, to which `SameSite=Lax` cookies are not sent. */
  readonly isPostedBack: boolean;
}

export interface LoginCookies {
  /**
   * Values of `Set-Cookie` that add a login to those that a browser carries, and drop the oldest.
   *
   * @param header The browser's `Cookie`.
   */
  set(header: string | undefined, login: BegunLogin): string[];
}

/** A login in the list: the number of its cookie's name, and that cookie's path. */
type Listed = readonly [number: number, path: string];

/** @param first The number of the first name that is given. */
export function createLoginCookies(first: number = randomInt(NAMES)): LoginCookies {
  let next = first;
  return {
    set(header, login) {
      const place = placeOf(login.authUrl);
      const listed = readList(header, place);
      const number = freeNumber(listed, next);
      next = (number + 1) % NAMES;
      const { kept, dropped } = withNewest(listed, [number, place.path]);
      const { carried, lifeSeconds } = login;
      const { path, root, anySite } = place;
      const sameSite = login.isPostedBack ? anySite : "SameSite=Lax";
      return [
        setCookie(place, { name: nameOf(number), value: carried, path, lifeSeconds, sameSite }),
        // Dashboards begin logins with forms, too.
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

/** The sealed logins that a browser carries to a callback. Only the one with the right id opens. */
export function readLoginCookies(header: string | undefined, authUrl: string): string[] {
  const { prefix } = placeOf(authUrl);
  const names = new Set(Array.from({ length: NAMES }, (_, number) => prefix + nameOf(number)));
  return cookiesOf(header)
    .filter(([name]) => names.has(name))
    .map(([, value]) => value)
    .slice(0, NAMES);
}

const LIST = "identity-begun";
const nameOf = (number: number): string => `identity-login-${number}`;

/** Where the cookies of a callback go. */
interface Place {
  /** Browsers take cookies with this name over HTTPS alone, so that a page over HTTP can't replace one. */
  readonly prefix: "__Secure-" | "";
  /** Of the callback. */
  readonly path: string;
  /** Of the API. */
  readonly root: string;
  /** Has a browser send a cookie along with the form of another site, which it does over HTTPS alone. */
  readonly anySite: string | undefined;
}

const RESOURCE = "/v3/OS-FEDERATION/";

function placeOf(authUrl: string): Place {
  const { pathname, protocol } = new URL(authUrl);
  const isSecure = protocol === "https:";
  return {
    prefix: isSecure ? "__Secure-" : "",
    // Links escape it already. It must not end the attribute, whoever makes them.
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
  for (let step = 0; step < NAMES; step++) {
    const number = (first + step) % NAMES;
    if (!taken.has(number)) return number;
  }
  return first;
}

function encodeList(list: readonly Listed[]): string {
  return Buffer.from(JSON.stringify(list)).toString("base64url");
}

/** The list as it was set; empty where a browser brings anything else: what is in it gets into `Set-Cookie`. */
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
  if (!Number.isInteger(number) || (number as number) < 0 || (number as number) >= NAMES) return false;
  return typeof path === "string" && path.startsWith(`${root}/`) && /^[\x21-\x3a\x3c-\x7e]+$/.test(path);
}

function cookiesOf(header: string | undefined): (readonly [name: string, value: string])[] {
  return (header ?? "").split(";").map((pair) => {
    const [name = "", value = ""] = pair.trim().split(/=(.*)/s);
    return [name, value];
  });
}
