/**
 * The end of requests, on which log, metrics and audit rest: the response is sent, or the client has hung up and the handler is done. Instead
 * of Fastify's `onResponse`, which does not run for such a client, and takes a twentieth of the time of a short request.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";

/** What is known of a request at its end. */
export interface RequestEnd {
  /** Milliseconds since its headers. */
  readonly ms: number;
  /** `routeOptions` of the request, which Fastify makes anew for each reader. */
  readonly route: FastifyRequest["routeOptions"];
}

/** Runs once for a request. */
export type EndListener = (request: FastifyRequest, reply: FastifyReply, end: RequestEnd) => void;

declare module "fastify" {
  interface FastifyInstance {
    /** Of all requests. */
    readonly endListeners: EndListener[];
    /** Responses that are neither sent nor given up by their clients. */
    readonly openResponses: () => readonly ServerResponse[];
  }
  interface FastifyContextConfig {
    /** Of the route's requests. */
    readonly endListeners?: readonly EndListener[];
  }
}

/** Adds a listener to a route, for a listener of `onRoute`. It runs behind those of the server, and of the route before. */
export function atEndOf(route: RouteOptions, listener: EndListener): void {
  route.config = { ...route.config, endListeners: [...(route.config?.endListeners ?? []), listener] };
}

/** Watches the requests of a server. @returns To be called with each, before all else. */
export function watchRequests(
  server: FastifyInstance,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const listeners: EndListener[] = [];
  // With places that are used again: a set is built anew after a few requests.
  const open: (ServerResponse | undefined)[] = [];
  const free: number[] = [];
  const queued = createQueuedResponses();
  server.decorate("endListeners", listeners);
  server.decorate("openResponses", () => open.filter((response) => response !== undefined));

  function end(request: FastifyRequest, reply: FastifyReply, startedAt: number): void {
    const ended = { ms: performance.now() - startedAt, route: request.routeOptions };
    for (const listener of listeners) run(listener, request, reply, ended);
    for (const listener of ended.route.config?.endListeners ?? []) run(listener, request, reply, ended);
  }

  return (request, reply) => {
    const startedAt = performance.now();
    const { raw } = reply;
    const place = free.pop() ?? open.length;
    open[place] = raw;
    raw.on("error", survive);
    let isClosed = false;
    // `once` would make two more functions.
    raw.on("close", () => {
      if (isClosed) return;
      isClosed = true;
      open[place] = undefined;
      free.push(place);
      if (raw.writableEnded) {
        end(request, reply, startedAt);
        return;
      }
      // Its handler is still at work.
      const endResponse = raw.end.bind(raw) as (...given: unknown[]) => ServerResponse;
      let isOver = false;
      raw.end = (...given: unknown[]) => {
        if (!isOver) setImmediate(() => end(request, reply, startedAt));
        isOver = true;
        return endResponse(...given);
      };
    });
    // Behind another response of its connection.
    if (raw.socket === null) queued.add(request.socket, raw);
  };
}

/**
 * Has responses to pipelined requests that wait for their turn emit `close` when their connection is closed, as the one before them does.
 * Node does not.
 */
function createQueuedResponses() {
  const bySocket = new WeakMap<Socket, Set<ServerResponse>>();
  return {
    add(socket: Socket, response: ServerResponse): void {
      const waiting = bySocket.get(socket) ?? new Set();
      if (!bySocket.has(socket))
        socket.once("close", () => {
          for (const each of waiting) each.emit("close");
        });
      bySocket.set(socket, waiting);
      waiting.add(response);
      response.on("close", () => waiting.delete(response));
    },
  };
}

/** An error of a response without a listener, such as a write after its end, would end the process. */
function survive(): void {}

/** The others run if it fails. */
function run(listener: EndListener, ...[request, reply, end]: Parameters<EndListener>): void {
  try {
    listener(request, reply, end);
  } catch (error) {
    request.log.error({ err: error }, "the end of a request is not recorded completely");
  }
}
