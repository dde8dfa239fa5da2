/** What the tests of user lists share: bodies, a server that sends them, and a logger that remembers. */
import type { IncomingMessage, ServerResponse } from "node:http";

import { zipArchive } from "./zip-archive.js";

/** A zip archive with one file of this name. */
export function zipped(content: string, name = "clublog_users.json"): Uint8Array {
  return zipArchive({ [name]: content });
}

/** Answers each path with its body, and others with 404. */
export function sendsByPath(bodies: Readonly<Record<string, string | Uint8Array>>) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? "").slice(1);
    if (path === "500") response.writeHead(500).end("<html>Sorry</html>");
    else if (Object.hasOwn(bodies, path)) response.writeHead(200).end(bodies[path]);
    else response.writeHead(404).end("<html>Not found</html>");
  };
}

/** A logger, and what it was told. */
export function rememberingLogger() {
  const messages: string[] = [];
  return { messages, warn: (message: string) => void messages.push(message) };
}
