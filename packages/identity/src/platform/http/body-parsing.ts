/** Parses request bodies: JSON objects or nothing; of logins, forms and XML too. */
import { isUtf8 } from "node:buffer";

import type { FastifyInstance, FastifyRequest } from "fastify";

import { UnstorableText } from "../database/database-errors.js";
import { errorClass, InvalidError } from "../errors.js";
import { isNestedTooDeep } from "../text/exact-json.js";
import { hasNul } from "../text/text-length.js";

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

const JSON_TYPE = /^(?:application\/json)?\s*(?:;|$)/i;

/**
 * Makes the server accept JSON objects only. An empty body is an empty object; the content type may be missing.
 *
 * @param contentType What it has to match.
 */
export function acceptJsonObjects(server: FastifyInstance, contentType: RegExp = JSON_TYPE): void {
  const parseText = server.getDefaultJsonParser("error", "ignore");
  const parse = (
    request: FastifyRequest,
    body: Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ) => {
    if (body.length === 0) return done(null, {});
    const { "content-type": header } = request.headers;
    if (header !== undefined && !contentType.test(header)) return done(new ContentTypeError());
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

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A login as a form, or as any other text. */
export interface LoginBody {
  readonly form: ReadonlyMap<string, string>;
  /** Whether the form has several fields of one name, of which the last one counts. */
  readonly hasRepeatedFields: boolean;
  readonly text: string | undefined;
}

/** These routes take any body as text, and forms by their fields: only logins send forms and XML. */
export function acceptLoginBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<string>("*", { parseAs: "string" }, (request, text, done) =>
    done(null, readBody(request, text)),
  );
}

function readBody({ headers }: FastifyRequest, text: string): LoginBody {
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers["content-type"] ?? "");
  if (text.includes("\0") || (isForm && text.includes("%00"))) throw new UnstorableText();
  if (!isForm) return { form: new Map(), hasRepeatedFields: false, text: text === "" ? undefined : text };
  const fields = [...new URLSearchParams(text)];
  const form = new Map(fields);
  return { form, hasRepeatedFields: form.size < fields.length, text: undefined };
}
