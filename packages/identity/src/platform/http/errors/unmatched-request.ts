/** Responds to requests without a route: OPTIONS, wrong methods, doubled slashes and unknown paths. */
import type { FastifyReply, FastifyRequest } from "fastify";

import { NotFoundError } from "../../errors.js";
import type { AllowedMethods } from "./allowed-methods.js";
import type { Links } from "../links.js";

export function answerUnmatched(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  { allowedMethods, links }: { readonly allowedMethods: AllowedMethods; readonly links: Links },
): FastifyReply {
  const [path = "", query = ""] = url.split(/(?=\?.*)/s);
  const methods = allowedMethods(path);
  if (methods.length > 0) {
    reply.header("allow", methods.join(", "));
    // The content type of an empty response in Keystone.
    if (method === "OPTIONS") return reply.type("text/html; charset=utf-8").send("");
    return reply.code(405).send({ message: "The method is not allowed for the requested URL." });
  }
  const merged = path.replaceAll(/\/{2,}/g, "/");
  if (merged !== path && allowedMethods(merged).length > 0)
    return reply.redirect(links.to(merged + query), 308);
  throw new NotFoundError("Could not find the resource. The requested URL was not found on the server.");
}
