/** `/console/api/v3/...` is served by the routes of `/v3/...`, with the token of the session. */
import type { IncomingMessage } from "node:http";

import type { OwnPages } from "../platform/http/http-server.js";
import { CONSOLE_API_PATH, CONSOLE_PATH } from "./console-address.js";

export interface ConsoleForwarding extends OwnPages {
  /** Whether a request came by the console's path. */
  isForwarded(request: IncomingMessage): boolean;
}

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
