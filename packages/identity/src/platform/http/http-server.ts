/** The HTTP server with everything that all answers have in common. Routes are added by the features. */
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

import { UnstorableText } from "../database/database-errors.js";
import type { NewId } from "../ids.js";
import { clientAddress, type TrustedProxies } from "../trusted-proxies.js";
import { watchMethods } from "./errors/allowed-methods.js";
import { allowOrigins } from "./cors.js";
import { toErrorAnswer } from "./errors/error-answer.js";
import { toServiceError } from "./errors/framework-errors.js";
import type { Links } from "./links.js";
import { parseQuery } from "./query.js";
import { acceptJsonObjects } from "./request-body.js";
import { securityHeaders } from "./security-headers.js";
import { answerUnreadable } from "./errors/unreadable-request.js";
import { answerUnmatched } from "./errors/unmatched-request.js";
import { validatorCompiler } from "./validation/validation.js";

/** Requests and answers have the types of the schemas of their route. */
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
    /** Who asks: the other end of the connection, or whom a trusted proxy names. Unlike `ip`, which is never more than the former. */
    readonly clientAddress: string;
  }
  /** What the document of the API says of a route besides. */
  interface FastifySchema {
    tags?: readonly string[];
    summary?: string;
  }
}

/** What the server needs to know. */
export interface HttpServerOptions {
  readonly links: Links;
  readonly log: FastifyBaseLogger;
  readonly newRequestId: NewId;
  /** Bytes of a body at most, where the route does not say otherwise. */
  readonly bodyLimit: number;
  readonly isTrustedProxy: TrustedProxies;
  /** Origins whose pages may use the service from a browser; none when left out. */
  readonly corsOrigins?: readonly string[];
  /** Certificate and key in PEM; without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** Characters of one part of a path. Longer ids than any that exist get their own answer, not a missing route. */
const PART_LENGTH = 4096;

/** Makes a server that does not listen yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { links, log, newRequestId, bodyLimit, isTrustedProxy, corsOrigins = [], tls } = options;
  const security = securityHeaders(links.publicUrl);
  const server = fastify({
    ...(tls === undefined ? {} : { https: tls as never }),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request" }),
    genReqId: newRequestId,
    bodyLimit,
    requestTimeout: 60_000,
    return503OnClosing: false,
    rewriteUrl: ({ url = "/" }) => toOriginForm(url),
    forceCloseConnections: "idle",
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: PART_LENGTH,
      querystringParser: parseQuery,
    },
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request.id, reply.headers(security));
      sendError(error, request, reply as unknown as ErrorReply);
    },
  }).withTypeProvider<SchemaTypes>();

  function sendError(error: unknown, request: { log: FastifyBaseLogger }, reply: ErrorReply): void {
    const failure = toServiceError(error);
    const { status, headers, body } = toErrorAnswer(failure, links);
    if (status >= 500) request.log.error({ err: failure }, "request failed");
    else request.log.debug({ err: failure }, "request refused");
    reply.code(status).headers(headers).type("application/json").send(body);
  }

  const allowedMethods = watchMethods(server);
  acceptJsonObjects(server);
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(() => JSON.stringify);
  server.addHook("onRequest", (request, reply, done) => {
    setCommonHeaders(request.id, reply.headers(security));
    done(request.raw.url?.includes("%00") ? new UnstorableText() : undefined);
  });
  allowOrigins(server, corsOrigins);
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

/** Proxies are asked for `http://host/path`, and so is any server now and then; what stands before the path means nothing here. */
function toOriginForm(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, "");
  return path.startsWith("/") || path === "*" ? path : `/${path}`;
}

/** Node joins repeated headers of this name by commas. */
function forwardedFor(headers: FastifyRequest["headers"]): string | undefined {
  return [headers["x-forwarded-for"]].flat().join(",");
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
