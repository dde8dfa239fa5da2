/** `/v3/limits/document`, an extension of this service: all limits as one document, and the plan of its import. */
import { Type } from "typebox";

import { BODY_LIMITS } from "../../platform/http/body-limits.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import { createRoutes } from "../../platform/http/route.js";
import { nullable, series } from "../../platform/http/validation/schema-parts.js";
import { NotAllowedError } from "../../policy/guard.js";
import { visibleTo } from "../limit-service.js";
import { parseLimitDocument, writeLimitDocument } from "./limit-document.js";
import { describePlan, listPlan, type LimitPlan } from "./limit-plan.js";
import type { LimitTransfer } from "./limit-transfer.js";

const DocumentQuery = Type.Object({ format: Type.Optional(Type.Enum(["json", "yaml"])) });

/** The document as text in YAML or JSON, or as JSON itself. */
const DocumentBody = Type.Object(
  { document: Type.Union([Type.String(), Type.Object({}, { additionalProperties: true })]) },
  { additionalProperties: false },
);

const PlanResponse = Type.Object({
  changes: series(
    Type.Object({
      change: Type.Enum(["create", "update", "delete"]),
      kind: Type.Enum(["registered_limit", "limit"]),
      service_id: Type.String(),
      region_id: nullable(Type.String()),
      resource_name: Type.String(),
      project_id: nullable(Type.String()),
      domain_id: nullable(Type.String()),
      from: nullable(Type.Integer()),
      to: nullable(Type.Integer()),
    }),
  ),
  /** The same as `hamkit-identity limits import` prints it. */
  lines: series(Type.String()),
});

export function addTransferRoutes(
  server: HttpServer,
  { limitTransfer }: { readonly limitTransfer: LimitTransfer },
): void {
  const route = createRoutes(server, "limits");
  const path = "/v3/limits/document";

  route("GET", path, {
    access: "identity:list_limits",
    summary: "Exports all registered limits and limits as one document",
    query: DocumentQuery,
    response: Type.Unknown(),
    async handle({ query: { format = "json" }, caller }, reply) {
      // Callers who see some limits only would import a document without the others.
      if (visibleTo(caller)?.kind !== "all") throw new NotAllowedError("identity:list_limits");
      const text = writeLimitDocument(await limitTransfer.export(), format);
      return reply.type(format === "json" ? "application/json" : "application/yaml").send(text);
    },
  });
  route("POST", `${path}/plan`, {
    access: "identity:create_limits",
    isRead: true,
    bodyLimit: BODY_LIMITS.limitTransfer,
    summary: "Shows what the import of a document would change",
    body: DocumentBody,
    response: PlanResponse,
    handle: async ({ body }) => view(await limitTransfer.replaceAll(read(body.document), { isDryRun: true })),
  });
  route("PUT", path, {
    access: "identity:create_limits",
    auditedAs: "identity:import_limits",
    bodyLimit: BODY_LIMITS.limitTransfer,
    summary: "Replaces all registered limits and limits by those of a document",
    body: DocumentBody,
    response: PlanResponse,
    handle: async ({ body }) => view(await limitTransfer.replaceAll(read(body.document))),
  });
}

/** @throws {LimitDocumentError} */
function read(document: string | object) {
  return parseLimitDocument(typeof document === "string" ? document : JSON.stringify(document));
}

function view(plan: LimitPlan) {
  return { changes: listPlan(plan), lines: describePlan(plan) };
}
