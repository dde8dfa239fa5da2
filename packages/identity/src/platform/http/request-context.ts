/** The request that the code is running for, where its arguments don't say: for the events of what it changes. */
import { AsyncLocalStorage } from "node:async_hooks";

import type { FastifyInstance, FastifyRequest } from "fastify";

const requests = new AsyncLocalStorage<FastifyRequest>();

/** `undefined` outside of requests, and for those that change nothing. */
export const currentRequest = (): FastifyRequest | undefined => requests.getStore();

/** Keeps the requests of all routes added afterwards that may change something or log in; others pay nothing. */
export function keepRequests(server: FastifyInstance): void {
  // After the body: the events of its stream have no context.
  server.addHook("preValidation", (request, _reply, done) => {
    const { method, routeOptions } = request;
    // Logins are public, some of them by GET.
    const isKept = (method !== "GET" && method !== "HEAD") || routeOptions.config.access === "public";
    if (isKept) requests.run(request, done);
    else done();
  });
}
