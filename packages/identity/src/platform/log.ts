/** The log: one JSON object per line. Headers, bodies and queries are never logged, to keep secrets out. */
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { pino } from "pino";

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

/** A request that has its response. */
export interface AnsweredRequest {
  readonly request: string;
  /** `undefined` for a request that is not traced. */
  readonly trace: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The client's address. */
  readonly from: string;
}

/** Where the lines go. */
export interface LogDestination {
  write(line: string): void;
  /** Lines that may wait for others; by `write`, if left out. */
  writeLater?(makeLine: () => string): void;
}

export interface ServiceLog extends FastifyBaseLogger {
  /** The same line as by `info`, in a fifth of the time. */
  answered(line: AnsweredRequest): void;
}

/**
 * Creates a log. Members named password, secret, token or key are redacted.
 *
 * @param members Of all lines.
 */
export function createLog(
  level: LogLevel,
  destination: LogDestination,
  members: Readonly<Record<string, unknown>> = {},
): ServiceLog {
  const log = pino(
    {
      level,
      base: { ...members },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
      serializers: { err: describeError },
    },
    destination,
  );
  const hasInfo = isLogged("info", level);
  const ofAll = Object.keys(members).length === 0 ? "" : `,${JSON.stringify(members).slice(1, -1)}`;
  return Object.assign(log, {
    answered(line: AnsweredRequest) {
      if (!hasInfo) return;
      const time = Date.now();
      const makeLine = () => answeredLine(line, time, ofAll);
      if (destination.writeLater === undefined) destination.write(makeLine());
      else destination.writeLater(makeLine);
    },
  });
}

function answeredLine(
  { request, trace, method, path, status, ms, from }: AnsweredRequest,
  time: number,
  ofAll: string,
): string {
  const traced = trace === undefined ? "" : `,"trace":${quoted(trace)}`;
  return `{"level":"info","time":"${isoTime(time)}"${ofAll},"request":${quoted(request)}${traced},"method":${quoted(method)},"path":${quoted(path)},"status":${status},"ms":${ms},"from":${quoted(from)},"msg":"answered"}\n`;
}

/** Without what JSON has to escape. */
const PLAIN = /^[ !#-[\]-~]*$/;
const quoted = (text: string) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

let lastTime = { ms: NaN, text: "" };

/** In ISO 8601. Several lines are of the same millisecond. */
function isoTime(ms: number): string {
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() };
  return lastTime.text;
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
export function logRequests(server: FastifyInstance, log: Pick<ServiceLog, "answered">): void {
  server.endListeners.push((request, reply, { ms }) => {
    log.answered({
      request: request.id,
      trace: request.span?.traceId,
      method: request.method,
      path: pathOfTarget(request.url),
      status: reply.statusCode,
      ms: Math.round(ms * 100) / 100,
      from: request.clientAddress,
    });
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
