/** The log: one JSON object in a line. Headers, bodies and queries never get there, so secrets don't either. */
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { pino, type DestinationStream } from "pino";

/** From all to nothing. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Makes a log. Whatever is called a password, secret, token or key in an object that is logged is blacked out. */
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

/** One line for each request, when it is answered: who asked for what, and how it went. The query is left out. */
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

/** Names, codes and messages, of its causes too. Other fields stay out: drivers keep the rows of a failed query there. */
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
