/** The graceful end of a server: no connection is closed on a client that could not know of it. */
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { HttpServer } from "./http-server.js";

export interface Draining {
  /** From now on each response says `Connection: close` and is the last one of its connection. New connections are accepted. */
  begin(): void;
  /** Stops listening, closes idle connections, and resolves when every request that had arrived has been answered. */
  finish(): Promise<void>;
}

/** Watches the requests of the server from now on. */
export function createDraining(server: HttpServer): Draining {
  const unanswered = new Set<ServerResponse>();
  let isDraining = false;
  let onAnswered: (() => void) | undefined;

  // Before the handler, which may answer at once.
  server.server.prependListener("request", (_request, response: ServerResponse) => {
    if (isDraining) response.shouldKeepAlive = false;
    unanswered.add(response);
    response.once("close", () => {
      unanswered.delete(response);
      if (unanswered.size === 0) onAnswered?.();
    });
  });

  function begin(): void {
    isDraining = true;
    for (const response of unanswered) response.shouldKeepAlive = false;
  }

  async function allAnswered(): Promise<void> {
    // What has come in by now becomes a request in the next turn.
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
      // Those that never sent a whole request would be waited for until they time out.
      server.server.closeAllConnections();
      await closed;
    },
  };
}
