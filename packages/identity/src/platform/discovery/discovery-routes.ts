/** `/` and `/v3`: the API version or, on request, the home document. */
import type { FastifyReply } from "fastify";

import { once } from "../concurrency/once.js";
import type { HttpServer } from "../http/http-server.js";
import type { Links } from "../http/links.js";
import { homeDocument, watchHome } from "./json-home.js";

/** Adds the routes. The home document lists routes that are added later. */
export function addDiscoveryRoutes(server: HttpServer, { links }: { readonly links: Links }): void {
  const resources = watchHome(server);
  const version = {
    id: "v3.14",
    status: "stable",
    updated: "2020-04-07T00:00:00Z",
    links: [{ rel: "self", href: links.to("/v3/") }],
    "media-types": [{ base: "application/json", type: "application/vnd.openstack.identity-v3+json" }],
  };
  // Not bytes: Node writes a text together with the headers.
  const versions = JSON.stringify({ versions: { values: [version] } });
  const single = JSON.stringify({ version });

  // Created at the first request, when all routes have been added.
  const toDocument = (prefix: "" | "/v3") =>
    once(() => Buffer.from(JSON.stringify(homeDocument(resources(), prefix))));
  const [homeFromRoot, homeBelowVersion] = [toDocument("/v3"), toDocument("")];

  server.get("/", (request, reply) =>
    prefersHome(request.headers.accept)
      ? sendHome(reply as never, homeFromRoot)
      : reply
          .code(300)
          .header("location", links.to("/v3/"))
          .type("application/json")
          .serializer(asWritten)
          .send(versions),
  );
  server.get("/v3", (request, reply) =>
    prefersHome(request.headers.accept)
      ? sendHome(reply as never, homeBelowVersion)
      : reply.type("application/json").serializer(asWritten).send(single),
  );
}

/** Without it, Fastify adds a charset to the type. */
const asWritten = (text: string) => text;

function sendHome(reply: FastifyReply, document: () => Buffer): FastifyReply {
  return reply.type("application/json-home").send(document());
}

/** Whether a client prefers the home document to plain JSON. @param accept The header. */
function prefersHome(accept: string | undefined): boolean {
  return (
    accept !== undefined && quality(accept, "application/json-home") > quality(accept, "application/json")
  );
}

/** The quality, 0 to 1, of the most specific range that covers the type. */
function quality(accept: string, type: string): number {
  let best = { exactness: -1, quality: 0 };
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const exactness = ["*/*", "application/*", type].indexOf(name);
    if (exactness > best.exactness) best = { exactness, quality: qualityIn(parameters) };
  }
  return best.quality;
}

function qualityIn(parameters: readonly string[]): number {
  const value = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
  return value >= 0 && value <= 1 ? value : 0;
}
