/** Bodies of login requests that are not JSON: forms and XML. */
import type { FastifyInstance, FastifyRequest } from "fastify";

import { UnstorableText } from "../database/database-errors.js";

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
