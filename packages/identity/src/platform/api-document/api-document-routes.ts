/** Routes of the API documentation: `/openapi.json`, and `/docs` as HTML. */
import { createHash } from "node:crypto";

import type { HttpServer } from "../http/http-server.js";
import type { Links } from "../http/links.js";
import { once } from "../concurrency/once.js";
import { documentPage, PAGE_POLICY } from "./document-page.js";
import { watchDocumented, openApiDocument } from "./openapi-document.js";

const FACTS = {
  title: "Identity",
  description:
    "The OpenStack Identity API, version 3: users, projects, roles, tokens and the service catalog. " +
    "Requests that are not public carry a token from POST /v3/auth/tokens in X-Auth-Token.",
  version: "3.14",
};

/** Adds the routes. The document lists routes added afterwards, and is built on first use. */
export function addApiDocumentRoutes(server: HttpServer, { links }: { readonly links: Links }): void {
  const routes = watchDocumented(server);
  const document = once(() => openApiDocument(routes(), { ...FACTS, publicUrl: links.publicUrl }));
  const json = once(() => toFile(JSON.stringify(document())));
  const page = once(() => toFile(documentPage(document(), { documentUrl: links.to("/openapi.json") })));

  function addFile(url: string, headers: Readonly<Record<string, string>>, file: () => File): void {
    server.get(url, (request, reply) => {
      const { bytes, etag } = file();
      // The response does not depend on the token.
      reply.removeHeader("vary").headers({ ...headers, etag, "cache-control": "public, max-age=300" });
      const isKnown = matches(request.headers["if-none-match"], etag);
      return isKnown ? reply.code(304).send() : reply.send(bytes);
    });
  }

  addFile("/openapi.json", { "content-type": "application/json" }, json);
  addFile("/docs", PAGE_HEADERS, page);
}

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": PAGE_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

interface File {
  readonly bytes: Buffer;
  readonly etag: string;
}

function toFile(text: string): File {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
}

/** Whether If-None-Match contains the ETag. */
function matches(header: string | undefined, etag: string): boolean {
  const tags = (header ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.some((tag) => tag === "*" || tag === etag);
}
