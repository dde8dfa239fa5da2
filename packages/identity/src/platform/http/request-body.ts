/** Parses request bodies: JSON objects or nothing. */
import { isUtf8 } from "node:buffer";

import type { FastifyInstance, FastifyRequest } from "fastify";

import { UnstorableText } from "../database/database-errors.js";
import { errorClass, InvalidError } from "../errors.js";
import { isNestedTooDeep } from "../text/json-depth.js";
import { hasNul } from "../text/nul.js";

const ADVICE =
  "The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";

/** The body is not a JSON object. */
export class JsonError extends errorClass(
  InvalidError,
  "request/no-json",
  `Expecting to find valid JSON in request body. ${ADVICE}`,
) {}

/** The content type is not JSON. */
export class ContentTypeError extends errorClass(
  InvalidError,
  "request/content-type",
  `Expecting to find application/json in Content-Type header. ${ADVICE}`,
) {}

/** Makes the server accept JSON objects only. An empty body is an empty object; the content type may be missing. */
export function acceptJsonObjects(server: FastifyInstance): void {
  const parseText = server.getDefaultJsonParser("error", "ignore");
  const parse = (
    request: FastifyRequest,
    body: Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ) => {
    if (body.length === 0) return done(null, {});
    if (!isJson(request.headers["content-type"])) return done(new ContentTypeError());
    if (!isUtf8(body)) return done(new JsonError());
    const text = body.toString();
    if (isNestedTooDeep(text)) return done(new JsonError());
    return parseText(request, text, (cause, value: unknown) => {
      if (cause !== null) return done(new JsonError({ cause: new SyntaxError(placeOf(cause)) }));
      if (!isObject(value)) return done(new JsonError());
      // JSON can contain NUL only in this form.
      return text.includes("\\u0000") && hasNul(value) ? done(new UnstorableText()) : done(null, value);
    });
  };
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(["application/json", "*"], { parseAs: "buffer" }, parse);
}

/** V8's messages quote the text around a fault, which may be a password: only the position is logged. */
function placeOf({ message }: Error): string {
  return /at position \d+/.exec(message)?.[0] ?? "not JSON";
}

function isJson(header: string | undefined): boolean {
  return header === undefined || /^(?:application\/json)?\s*(?:;|$)/i.test(header);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
