/** The log: one JSON object per line. Headers, bodies and queries are never logged, to keep secrets out. */
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { pino, type DestinationStream } from "pino";

/** From most to least verbose. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Creates a log. Members named password, secret, token or key are redacted. */
export function createLog(level: LogLevel, destination: DestinationStream): FastifyBaseLogger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`]), censor: "***" },
    },
    destination,
  );
}

const SECRET_NAMES = ["password", "secret", "token", "key", "authorization", '["x-auth-token"]'];

/** Logs one line per request, when its response is sent. Without the query. */
export function logRequests(server: FastifyInstance): void {
  server.addHook("onResponse", (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split("?", 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        from: request.clientAddress,
      },
      "answered",
    );
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
