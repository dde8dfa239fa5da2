/** The request that the code is running for, where its arguments don't say: for the events of what it changes. */
import { AsyncLocalStorage } from "node:async_hooks";

import type { FastifyInstance, FastifyRequest } from "fastify";

import { addRouteHook } from "./route-hooks.js";

const requests = new AsyncLocalStorage<FastifyRequest>();

/** `undefined` outside of requests, and for those that change nothing. */
export const currentRequest = (): FastifyRequest | undefined => requests.getStore();

/** Keeps the requests of all routes added afterwards that may change something or log in. */
export function keepRequests(server: FastifyInstance): void {
  server.addHook("onRoute", (route) => {
    const { method, config } = route;
    // Logins are public, some of them by GET.
    if ((method === "GET" || method === "HEAD") && config?.access !== "public") return;
    // After the body: the events of its stream have no context.
    addRouteHook(route, "preValidation", (request, _reply, done) => requests.run(request, done));
  });
}
