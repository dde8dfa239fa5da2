/** Requests of those who log in by a provider: forms and XML too, which nobody else sends here. */
import type { FastifyInstance, FastifyRequest } from "fastify";

import { UnstorableText } from "../platform/database/database-errors.js";
import type { LoginRequest } from "./provider-login.js";

/** Bytes of a body at most: an assertion of SAML with many attributes, in base64. */
export const LOGIN_BODY_LIMIT = 1 << 20;

/** What such a body was. */
interface LoginBody {
  readonly form: ReadonlyMap<string, string>;
  readonly text: string | undefined;
}

/** Has the routes that are added here take any body as text, and forms by their fields. */
export function acceptLoginBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<string>("*", { parseAs: "string" }, (request, text, done) =>
    done(null, readBody(request, text)),
  );
}

function readBody({ headers }: FastifyRequest, text: string): LoginBody {
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers["content-type"] ?? "");
  if (text.includes("\0") || (isForm && text.includes("%00"))) throw new UnstorableText();
  return isForm
    ? { form: new Map(new URLSearchParams(text)), text: undefined }
    : { form: new Map(), text: text === "" ? undefined : text };
}

/** @param origin The dashboard that the browser wants to go to; `undefined` where the token itself is asked for. */
export function loginRequestOf(request: FastifyRequest, origin?: string): LoginRequest {
  const { form = new Map<string, string>(), text } = (request.body ?? {}) as Partial<LoginBody>;
  const query = new Map(Object.entries(request.query as Record<string, string>));
  if (origin !== undefined) query.delete("origin");
  return {
    method: request.method as LoginRequest["method"],
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
    query,
    form,
    text,
    clientAddress: request.clientAddress,
    peerAddress: request.socket.remoteAddress ?? "",
    origin,
    log: request.log,
  };
}
