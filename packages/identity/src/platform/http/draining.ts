/** Graceful shutdown of a server: connections are closed only after clients have been notified. */
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { HttpServer } from "./http-server.js";

export interface Draining {
  /** From now on each response has `Connection: close` and is the last of its connection. New connections are accepted. */
  begin(): void;
  /** Stops listening, closes idle connections, and resolves after the responses to all received requests. */
  finish(): Promise<void>;
}

/** Watches the requests from now on. */
export function createDraining(server: HttpServer): Draining {
  const unanswered = new Set<ServerResponse>();
  let isDraining = false;
  let onAnswered: (() => void) | undefined;

  // Before the handler, which may respond synchronously.
  server.server.prependListener("request", (_request, response: ServerResponse) => {
    if (isDraining) response.shouldKeepAlive = false;
    unanswered.add(response);
    response.on("close", answered);
  });

  function answered(this: ServerResponse): void {
    unanswered.delete(this);
    if (unanswered.size === 0) onAnswered?.();
  }

  function begin(): void {
    isDraining = true;
    for (const response of unanswered) response.shouldKeepAlive = false;
  }

  async function allAnswered(): Promise<void> {
    // Received data becomes a request in the next turn.
    await nextTurn();
    while (unanswered.size > 0) {
      await new Promise<void>((resolve) => {
        onAnswered = resolve;
      });
      await nextTurn();
    }
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
