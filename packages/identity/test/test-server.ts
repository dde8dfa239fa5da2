/** The service's HTTP server with routes of the test's own. */
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from "../src/platform/http/http-server.js";
import { createLinks } from "../src/platform/http/links.js";
import { newRequestId } from "../src/platform/ids.js";
import { createLog, type ServiceLog } from "../src/platform/log.js";

/** Where the recordings were made. */
export const PUBLIC_URL = "http://127.0.0.1:5900";

/** A server that does not listen, and what it has logged. */
export function testServer(options: Partial<HttpServerOptions> = {}): {
  readonly server: HttpServer;
  readonly lines: () => Record<string, unknown>[];
  readonly log: ServiceLog;
} {
  let text = "";
  const log = createLog("debug", { write: (line) => (text += line) });
  const links = createLinks(PUBLIC_URL);
  const server = createHttpServer({
    links,
    log,
    newRequestId,
    bodyLimit: 4096,
    isTrustedProxy: () => false,
    ...options,
  });
  const lines = () =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { server, lines, log };
}
