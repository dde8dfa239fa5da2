/** Graceful shutdown of a server: connections are closed only after clients have been notified. */
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";

import type { HttpServer } from "./http-server.js";

export interface Draining {
  /** From now on each response has `Connection: close` and is the last of its connection. New connections are accepted. */
  begin(): void;
  /** Stops listening, closes idle connections, and resolves after the responses to all received requests. */
  finish(): Promise<void>;
}

const LOOK_MS = 10;

export function createDraining(server: HttpServer): Draining {
  let isDraining = false;

  function begin(): void {
    if (isDraining) return;
    isDraining = true;
    for (const response of server.openResponses()) response.shouldKeepAlive = false;
    // Before the handler, which may respond synchronously.
    server.server.prependListener("request", (_request, response: ServerResponse) => {
      response.shouldKeepAlive = false;
    });
  }

  async function allAnswered(): Promise<void> {
    // Received data becomes a request in the next turn.
    await nextTurn();
    while (server.openResponses().length > 0) await delay(LOOK_MS);
  }

  return {
    begin,
    async finish() {
      begin();
      await nextTurn();
      const closed = server.close();
      await allAnswered();
      // Incomplete requests would delay the shutdown until their timeout.
      server.server.closeAllConnections();
      await closed;
    },
  };
}
