/**
 * Waits for the master key at the start of the service, while Vault or a token is away: listens meanwhile, so that a load balancer and an
 * operator learn why nothing is served. `/healthcheck` is 200, everything else 503. A worker doesn't listen where others serve: they would
 * get only some of the requests.
 */
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { setTimeout as delay } from "node:timers/promises";

import type { FastifyBaseLogger } from "fastify";

import { isTemporary } from "./platform/secrets/sources/key-wrapper.js";
import type { WorkerLink } from "./workers/worker-link.js";

export interface KeyWaitDeps {
  readonly host: string;
  readonly port: number;
  /** In PEM; `undefined` for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** `undefined` in a single process. */
  readonly worker: Pick<WorkerLink, "isFirst" | "stopped" | "setWaiting"> | undefined;
  readonly log: Pick<FastifyBaseLogger, "info" | "warn">;
}

/** The service was stopped before it had its master key. */
export class StoppedWhileWaiting extends Error {
  override readonly name = "StoppedWhileWaiting";
}

const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Calls a function until it does not fail for a reason that may pass.
 *
 * @throws {StoppedWhileWaiting} What the function throws for another reason.
 */
export async function awaitKey<Key>(load: () => Promise<Key>, deps: KeyWaitDeps): Promise<Key> {
  const { worker, log } = deps;
  const stop = new AbortController();
  void worker?.stopped.then(() => stop.abort());
  let server: Server | undefined;
  let reported = "";
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
      try {
        const key = await load();
        if (reported !== "") log.info("the source of the master key has answered");
        return key;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        if (error.message !== reported)
          log.warn(
            { reason: error.message },
            "the service waits for its master key, and serves nothing until then",
          );
        reported = error.message;
      }
      if (worker?.isFirst !== false) server ??= await listen(deps);
      await delay(pauseMs, undefined, { signal: stop.signal });
    }
  } catch (error) {
    throw stop.signal.aborted ? new StoppedWhileWaiting("stopped while waiting for the master key") : error;
  } finally {
    if (server !== undefined) await close(server);
    worker?.setWaiting(false);
  }
}

async function listen({ host, port, tls, worker }: KeyWaitDeps): Promise<Server> {
  worker?.setWaiting(true);
  const server = tls === undefined ? createHttpServer(respond) : createHttpsServer(tls, respond);
  server.listen({ host, port });
  await once(server, "listening");
  return server;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

const WAITING = JSON.stringify({
  error: {
    code: 503,
    message: "The service waits for its master key. The log has the reason.",
    title: "Service Unavailable",
  },
});

const respond: RequestListener = ({ url }, response) => {
  // Its connections would keep the port.
  response.setHeader("connection", "close");
  if (url === "/healthcheck") return void response.end();
  return void response
    .writeHead(503, { "content-type": "application/json", "retry-after": String(RETRY_AFTER_SECONDS) })
    .end(WAITING);
};
