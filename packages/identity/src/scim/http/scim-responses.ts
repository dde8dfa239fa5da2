/** Responses of SCIM: resources with their ETags, lists, and errors in SCIM's schema instead of Keystone's envelope. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { ErrorBody } from "../../platform/http/error-response.js";
import { sendPieces } from "../../platform/http/lists/text-pieces.js";
import type { ScimObject } from "../schema/scim-attribute.js";
import { etagOf, hasEtag } from "../scim-changes.js";
import { ScimSecretError, type ScimType } from "../scim-errors.js";
import { errorMessage, listHead, type ScimPageFacts } from "./scim-messages.js";

export const SCIM_TYPE = "application/scim+json; charset=utf-8";

/** Sends errors of these routes in SCIM's schema. */
export function sendScimErrors(scope: FastifyInstance): void {
  scope.addHook("onSend", async (request, reply, payload) => {
    const { statusCode: status } = reply;
    if (status < 400 || typeof payload !== "string" || isScim(reply)) return payload;
    reply.header("content-type", SCIM_TYPE);
    if (status === 401) reply.header("www-authenticate", "Bearer");
    return JSON.stringify(errorMessage(status, detailOf(request, payload), scimTypeOf(request.failure)));
  });
}

function isScim(reply: FastifyReply): boolean {
  return String(reply.getHeader("content-type")).startsWith("application/scim+json");
}

function detailOf({ failure }: FastifyRequest, payload: string): string {
  if (failure instanceof ScimSecretError) return "The bearer secret is not valid here.";
  const { error, message } = JSON.parse(payload) as Partial<ErrorBody> & { readonly message?: string };
  return error?.message ?? message ?? "";
}

function scimTypeOf(failure: unknown): ScimType | undefined {
  return failure instanceof Error ? (failure as { readonly scimType?: ScimType }).scimType : undefined;
}

export interface SentResource {
  readonly status?: 200 | 201;
  readonly version: number;
  readonly location: string;
  /** Its JSON text, or pieces of it. */
  readonly text: string | AsyncGenerator<string>;
}

/** Sends a resource; 304 to a client that has its version. */
export function sendResource(
  reply: FastifyReply,
  { status = 200, version, location, text }: SentResource,
): FastifyReply | Promise<FastifyReply> {
  reply.header("etag", etagOf(version));
  const { "if-none-match": known } = reply.request.headers;
  if (reply.request.method === "GET" && known !== undefined && hasEtag(known, version))
    return reply.code(304).send();
  if (status === 201) reply.header("location", location);
  reply.code(status).type(SCIM_TYPE);
  return typeof text === "string" ? reply.send(text) : sendPieces(reply, text);
}

/** Sends a page of resources, each as JSON text or pieces of it. */
export function sendList(
  reply: FastifyReply,
  page: ScimPageFacts,
  resources: Iterable<string> | AsyncIterable<AsyncIterable<string>>,
): Promise<FastifyReply> {
  return sendPieces(reply.type(SCIM_TYPE), listText(page, resources));
}

/** Characters of a piece of a list. */
const PIECE_LENGTH = 16_384;

async function* listText(
  page: ScimPageFacts,
  resources: Iterable<string> | AsyncIterable<AsyncIterable<string>>,
): AsyncGenerator<string> {
  let text = `${JSON.stringify(listHead(page)).slice(0, -1)},"Resources":[`;
  let size = 0;
  for await (const resource of resources) {
    if (size++ > 0) text += ",";
    for await (const piece of typeof resource === "string" ? [resource] : resource) {
      text += piece;
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = "";
    }
  }
  yield `${text}],"itemsPerPage":${size}}`;
}

export function sendDocument(reply: FastifyReply, document: ScimObject): FastifyReply {
  return reply.type(SCIM_TYPE).send(JSON.stringify(document));
}
