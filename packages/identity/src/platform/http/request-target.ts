/**
 * The target of a request (RFC 9112, 3.2), read in one place: what is checked of a request is the path that its route was found by.
 *
 * A target is sent in several spellings: with scheme and host, with escaped letters, with a slash at the end. `targetToRoute` is one
 * spelling of all of them, before the route is known; `routedPath` is made of the route that was found.
 */
import type { FastifyRequest } from "fastify";

import { UnstorableText } from "../database/database-errors.js";
import { errorClass, InvalidError } from "../errors.js";

/** A target has no fragment (RFC 9112, 3.2): the router would end the path there, other readers would not. */
export class FragmentInTargetError extends errorClass(
  InvalidError,
  "http/fragment-in-target",
  'The request target contains "#", expected a path and a query without a fragment.',
) {}

/** The target as the client sent it, without scheme and host: what signatures of requests cover. */
export function sentTarget({ originalUrl }: Pick<FastifyRequest, "originalUrl">): string {
  return toOriginForm(originalUrl);
}

/** The target that the router reads: in origin form, and with one spelling of escapes in its path. The query stays as sent. */
export function targetToRoute(target: string): string {
  const origin = toOriginForm(target);
  if (!origin.includes("%")) return origin;
  const path = pathOfTarget(origin);
  return oneSpelling(path) + origin.slice(path.length);
}

/** @throws {FragmentInTargetError} {@link UnstorableText} */
export function checkTarget({ originalUrl }: Pick<FastifyRequest, "originalUrl">): void {
  if (originalUrl.includes("#")) throw new FragmentInTargetError();
  if (originalUrl.includes("%00")) throw new UnstorableText();
}

/** The path of a target. */
export function pathOfTarget(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/**
 * The path of the route that serves a request, with its parameters: `/v3/regions/a%2Fb`, without a slash at the end. A request without
 * a route has the path of its target.
 */
export function routedPath({
  routeOptions,
  params,
  url,
}: Pick<FastifyRequest, "params" | "url"> & {
  readonly routeOptions: { readonly url?: string | undefined };
}): string {
  if (routeOptions.url === undefined) return pathOfTarget(url);
  const values = params as Readonly<Record<string, string | undefined>>;
  // Before the parameters are known: an empty one at the end is not a slash that the router ignored.
  return withoutSlash(routeOptions.url).replaceAll(/:(\w+)|\*/g, (part, name: string | undefined) =>
    escapeSegment(values[name ?? part] ?? ""),
  );
}

/** A path or a pattern of paths in the spelling of {@link routedPath}. */
export function spelledAsRouted(path: string): string {
  return withoutSlash(oneSpelling(path));
}

/** As the router ignores it. */
function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Removes scheme and host from a request target in absolute form. */
function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") || path === "*" ? path : `/${path}`;
}

/** Escapes that are not UTF-8 stay: the router rejects them. */
function oneSpelling(path: string): string {
  return path.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return escapeSegment(decodeURIComponent(escapes));
    } catch {
      return escapes;
    }
  });
}

/** Escapes what a segment of a path can't contain (RFC 3986, 3.3), and `*`, which has a meaning in patterns. */
function escapeSegment(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent)
    .replaceAll("*", "%2A");
}
