/** Where the console is: below the service's public URL, with `/v3/...` at `/console/api/v3/...`. */
import type { IncomingMessage } from "node:http";

import type { OwnPages } from "../platform/http/http-server.js";

/** The console's paths as the service receives them, whatever precedes them in the public URL. */
export const CONSOLE_PATH = "/console";
export const CONSOLE_API_PATH = "/console/api";

export interface ConsoleAddress {
  /** `https://identity.example.org/console/`. */
  readonly url: string;
  /** Of the pages, as browsers send it. */
  readonly origin: string;
  /** The path of {@link url}. */
  readonly path: string;
  /** Whether cookies are sent by HTTPS only; otherwise the service is at a loopback address. */
  readonly isSecure: boolean;
}

/**
 * @param publicUrl Without a slash at the end.
 * @returns Why the console can't be used there, for users: a cookie that anyone on the network can read would be a login.
 */
export function consoleAddressOf(publicUrl: string): ConsoleAddress | { readonly fault: string } {
  const { origin, pathname: path, protocol, hostname, href: url } = new URL(`${publicUrl}/console/`);
  const isSecure = protocol === "https:";
  if (isSecure || isLoopback(hostname)) return { url, origin, path, isSecure };
  return {
    fault: `The console needs HTTPS, except at a loopback address. IDENTITY_PUBLIC_URL is ${publicUrl}`,
  };
}

/** Whether packets to a host stay on its machine: the names that browsers treat like HTTPS, too. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** @returns The URL of a page of the console; `undefined` for any other text. @param requested A URL, or a path from the root. */
export function consolePageOf({ url, path }: ConsoleAddress, requested: string): string | undefined {
  if (!/^(?:\/|https?:)/.test(requested) || !URL.canParse(requested, url)) return undefined;
  const target = new URL(requested, url);
  const isPage =
    target.origin === new URL(url).origin &&
    target.username + target.password === "" &&
    target.pathname.startsWith(path) &&
    !target.pathname.startsWith(`${path}api/`);
  return isPage ? target.href : undefined;
}

export interface ConsoleForwarding extends OwnPages {
  /** Whether a request came by the console's path. */
  isForwarded(request: IncomingMessage): boolean;
}

/** `/console/api/v3/...` is served by the routes of `/v3/...`, with the token of the session. */
export function createConsoleForwarding(): ConsoleForwarding {
  const forwarded = new WeakSet<IncomingMessage>();
  return {
    path: CONSOLE_PATH,
    rewrite(path, request) {
      const apiPath = apiPathOf(path);
      if (apiPath === undefined) return path;
      forwarded.add(request);
      return apiPath;
    },
    isForwarded: (request) => forwarded.has(request),
  };
}

function apiPathOf(path: string): string | undefined {
  const rest = path.startsWith(CONSOLE_API_PATH) ? path.slice(CONSOLE_API_PATH.length) : "";
  return /^\/v3(?:[/?]|$)/.test(rest) ? rest : undefined;
}
