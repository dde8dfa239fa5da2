/** The HTTP server, with what all responses have in common. Features add the routes. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyTypeProvider,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from "fastify";
import type { Static, TSchema } from "typebox";

import { ServiceError } from "../errors.js";
import type { NewId } from "../ids.js";
import { clientAddress, type TrustedProxies } from "../trusted-proxies.js";
import { acceptJsonObjects } from "./body-parsing.js";
import { allowOrigins } from "./cors.js";
import { answerUnreadable, toErrorResponse, toServiceError } from "./error-response.js";
import type { Links } from "./links.js";
import { parseQuery } from "./query.js";
import { watchRequests } from "./request-end.js";
import { lendLog } from "./request-log.js";
import { checkTarget, targetToRoute } from "./request-target.js";
import { answerUnmatched, watchMethods } from "./unmatched-request.js";
import { validatorCompiler } from "./validation/validation.js";

/** Requests and responses have the types of their route's schemas. */
interface SchemaTypes extends FastifyTypeProvider {
  readonly validator: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
  readonly serializer: this["schema"] extends TSchema ? Static<this["schema"]> : unknown;
}

/** The server, to which features add their routes. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>;

declare module "fastify" {
  interface FastifyRequest {
    /** The client's address: the peer of the connection, or the address that a trusted proxy reports. `ip` is always the peer. */
    readonly clientAddress: string;
    /** The error of the response, after it. */
    failure: unknown;
  }
  /** Documents a route in the API document. */
  interface FastifySchema {
    tags?: readonly string[];
    summary?: string;
  }
}

/** Pages of the service itself, and what they request. */
export interface OwnPages {
  /** The path of all of it: pages of other origins may not use what is below, whatever `corsOrigins` lists. */
  readonly path: string;
  /** @returns The path that serves a request; that of the request for all but the pages' own way to the API. */
  rewrite(path: string, request: IncomingMessage): string;
}

export interface HttpServerOptions {
  readonly links: Links;
  readonly log: FastifyBaseLogger;
  readonly newRequestId: NewId;
  /** Maximum bytes of a body, unless the route has its own. */
  readonly bodyLimit: number;
  readonly isTrustedProxy: TrustedProxies;
  /** Origins whose pages may use the service from a browser; none, if left out. */
  readonly corsOrigins?: readonly string[];
  readonly ownPages?: OwnPages | undefined;
  /** Certificate and key in PEM; without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** Characters of one part of a path: longer than any id, so that a long id is reported as not found rather than its route. */
const MAX_PART_LENGTH = 4096;

/** Requests without a body get no stream, which takes a tenth of their time: an option of Node 24, which those before ignore. */
const NODE_OPTIONS = { optimizeEmptyRequests: true };

/** Creates a server that does not listen yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { links, log, newRequestId, bodyLimit, isTrustedProxy, corsOrigins = [], ownPages, tls } = options;
  const security = securityHeaders(links.publicUrl);
  const server = fastify({
    ...((tls === undefined ? { http: NODE_OPTIONS } : { https: { ...NODE_OPTIONS, ...tls } }) as object),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit,
    // Given here: otherwise Fastify loads compilers of its own, which nothing would use.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => () => JSON.stringify,
      },
    },
    requestTimeout: 60_000,
    return503OnClosing: false,
    rewriteUrl(request) {
      const path = targetToRoute(request.url ?? "/");
      return ownPages === undefined ? path : ownPages.rewrite(path, request);
    },
    forceCloseConnections: "idle",
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PART_LENGTH,
      querystringParser: parseQuery,
    },
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => {
      giveLog(request, reply);
      setCommonHeaders(request.id, reply.headers(security));
      sendError(error, request, reply as unknown as ErrorReply);
    },
  }).withTypeProvider<SchemaTypes>();

  function sendError(
    error: unknown,
    request: { log: FastifyBaseLogger; failure?: unknown },
    reply: ErrorReply,
  ): void {
    const failure = toServiceError(error);
    request.failure = failure;
    const { status, headers, body } = toErrorResponse(failure, links);
    if (status >= 500) request.log.error({ err: failure }, "request failed");
    else
      request.log[failure instanceof ServiceError && failure.isForOperator ? "warn" : "debug"](
        { err: failure },
        "request refused",
      );
    reply.code(status).headers(headers).type("application/json").send(body);
  }

  const giveLog = lendLog(server, log);
  const watch = watchRequests(server);
  const allowedMethods = watchMethods(server);
  acceptJsonObjects(server);
  server.addHook("onRequest", (request, reply, done) => {
    giveLog(request, reply);
    watch(request, reply);
    setCommonHeaders(request.id, reply.headers(security));
    checkTarget(request);
    done();
  });
  allowOrigins(server, corsOrigins, { ownPath: ownPages?.path });
  // Node remembers the address of a peer that was read once, and does not know that of a connection which has ended: a client that
  // hangs up would have none, neither in the audit log nor for limits.
  for (const event of ["connection", "secureConnection"])
    server.server.on(event, ({ remoteAddress }: Socket) => void remoteAddress);
  server.decorateRequest("failure");
  server.decorateRequest("clientAddress", {
    getter() {
      const peer = this.socket.remoteAddress ?? "";
      return clientAddress({ peer, forwardedFor: forwardedFor(this.headers) }, isTrustedProxy);
    },
  });
  server.setErrorHandler(sendError);
  server.setNotFoundHandler((request, reply) =>
    answerUnmatched(request as never, reply as never, { allowedMethods, links }),
  );
  return server;
}

/** Node joins repeated headers of this name with commas. */
function forwardedFor({ "x-forwarded-for": header }: FastifyRequest["headers"]): string | undefined {
  return typeof header === "object" ? header.join(",") : header;
}

interface ErrorReply {
  code(status: number): ErrorReply;
  headers(values: Readonly<Record<string, string>>): ErrorReply;
  type(name: string): ErrorReply;
  send(body: unknown): unknown;
}

function setCommonHeaders(requestId: string, reply: { header(name: string, value: string): unknown }): void {
  reply.header("vary", "X-Auth-Token");
  reply.header("x-openstack-request-id", requestId);
}

/**
 * Browsers do not guess the type of responses, frame them, run or load anything, send a referrer, or store responses, which may
 * contain tokens. Routes that respond with a page override them.
 *
 * @param publicUrl With HTTPS, browsers never use HTTP again.
 */
function securityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(publicUrl.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
  };
}
