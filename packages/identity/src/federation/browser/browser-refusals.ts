/** Errors as pages, for people who log in in a browser. Programs get them as everywhere else. */
import type { FastifyInstance, FastifyRequest } from "fastify";

import type { ErrorBody } from "../../platform/http/errors/error-response.js";
import { PAOS_TYPE } from "../saml/authn-request.js";
import { refusalPage } from "./websso-pages.js";

/** A receipt is for programs: browsers have no way to send it with another method. */
const MORE_METHODS = {
  message: "This user has to log in with a further method too, which a login in a browser does not offer.",
};

/** For the routes of a scope. */
export function showRefusals(scope: FastifyInstance): void {
  scope.addHook("onSend", async (request, reply, payload) => {
    const { statusCode: status } = reply;
    if (status < 400 || typeof payload !== "string" || !isBrowser(request)) return payload;
    const { message } = (JSON.parse(payload) as Partial<ErrorBody>).error ?? MORE_METHODS;
    const { headers, body } = refusalPage({ status, message, requestId: request.id });
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    return body;
  });
}

/** Clients that carry SAML's messages take pages too, and can't show them. */
function isBrowser({ method, headers }: FastifyRequest): boolean {
  const accepted = (headers.accept ?? "").toLowerCase();
  return method !== "HEAD" && accepted.includes("text/html") && !accepted.includes(PAOS_TYPE);
}
