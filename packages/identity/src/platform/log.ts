/** The log: one JSON object per line. Headers, bodies and queries are never logged, to keep secrets out. */
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { pino, type DestinationStream } from "pino";

import { afterResponse } from "./log-output/line-writer.js";
import { pathOfTarget } from "./http/request-target.js";

/** From most to least verbose. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The member of lines about a request that has its id. */
export const REQUEST_ID = "request";

/** Whether a log of a level has lines of another. */
export function isLogged(line: LogLevel, log: LogLevel): boolean {
  return LOG_LEVELS.indexOf(line) >= LOG_LEVELS.indexOf(log);
}

/** Creates a log. Members named password, secret, token or key are redacted. */
export function createLog(level: LogLevel, destination: DestinationStream): FastifyBaseLogger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
      serializers: { err: describeError },
    },
    destination,
  );
}

const SECRET_NAMES = ["password", "secret", "token", "key", "authorization", "x-auth-token"];

/** The members of a line, and theirs, without secrets. A pino option has the same effect, for half of the time that a line takes. */
function withoutSecrets(line: Record<string, unknown>): Record<string, unknown> {
  const masked: [string, unknown][] = [];
  for (const [name, value] of Object.entries(line)) {
    // Errors have a serializer.
    if (typeof value !== "object" || value === null || name === "err") continue;
    const shown = maskSecrets(value);
    if (shown !== value) masked.push([name, shown]);
  }
  return maskSecrets(masked.length === 0 ? line : { ...line, ...Object.fromEntries(masked) });
}

function maskSecrets<Members extends object>(members: Members): Members {
  const found = SECRET_NAMES.filter((name) => Object.hasOwn(members, name));
  if (found.length === 0) return members;
  return { ...members, ...Object.fromEntries(found.map((name) => [name, "***"])) };
}

/** Logs one line per request, when its response is sent. Without the query. */
export function logRequests(server: FastifyInstance): void {
  server.addHook("onResponse", (request, reply, done) => {
    const line = {
      method: request.method,
      path: pathOfTarget(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      from: request.clientAddress,
    };
    afterResponse(() => request.log.info(line, "answered"));
    done();
  });
}

interface DescribedError {
  readonly name: string;
  readonly code: unknown;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: DescribedError | undefined;
}

/** Names, codes and messages, with causes. Other members are left out: drivers store the rows of a failed query there. */
function describeError(error: unknown): DescribedError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, message, stack, cause } = error;
  return {
    name,
    code: "code" in error ? error.code : undefined,
    message,
    stack,
    cause: describeError(cause),
  };
}
