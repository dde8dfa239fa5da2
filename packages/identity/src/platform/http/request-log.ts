/** The logs of requests, whose lines have the request's id. */
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { REQUEST_ID } from "../log.js";

/**
 * Gives a server its log. Not by Fastify's option, with which it makes a logger for each request, and listens for the end of each response.
 *
 * @returns To be called with each request, before all else.
 */
export function lendLog(
  server: FastifyInstance,
  log: FastifyBaseLogger,
): (request: FastifyRequest, reply: FastifyReply) => void {
  server.log = log;
  return (request, reply) => {
    const unmade: UnmadeLog = { parent: log, id: request.id, made: undefined };
    request.log = reply.log = new Proxy(unmade, MADE_WHEN_USED) as unknown as FastifyBaseLogger;
  };
}

/** Few requests have lines of their own. */
interface UnmadeLog {
  readonly parent: FastifyBaseLogger;
  readonly id: string;
  made: FastifyBaseLogger | undefined;
}

const MADE_WHEN_USED: ProxyHandler<UnmadeLog> = {
  get(log, name) {
    const made = (log.made ??= log.parent.child({ [REQUEST_ID]: log.id }));
    const member: unknown = Reflect.get(made, name);
    return typeof member === "function" ? (member.bind(made) as unknown) : member;
  },
};
