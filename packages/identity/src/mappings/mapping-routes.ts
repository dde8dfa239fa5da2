/** `/mappings` of the federation. */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { FastifyReply } from "fastify";

import type { ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import { compileMappingInSlices } from "./rules/compile-mapping.js";
import {
  CheckedMappingView,
  DraftEvaluation,
  EvaluationResponse,
  MappingBody,
  MappingView,
  StoredEvaluation,
} from "./mapping-schema.js";
import type { CheckedMapping, MappingService } from "./mapping-service.js";
import type { StoredMapping } from "./mapping-store.js";
import { traceMapping, type MappingTrace } from "./rules/trace-mapping.js";

export interface MappingRoutesDeps extends ResourceDeps {
  readonly mappings: MappingService;
}

export function addMappingRoutes(
  server: HttpServer,
  place: ExtensionPlace,
  { mappings, ...deps }: MappingRoutesDeps,
): void {
  const path = `${place.prefix}/mappings`;
  const view = ({ id, rules, schemaVersion }: StoredMapping & Partial<CheckedMapping>) => ({
    id,
    rules: [...rules],
    schema_version: schemaVersion,
    links: { self: deps.links.self(path, id) },
  });
  const resource = createResource(server, deps, {
    path,
    id: "mapping_id",
    name: "mapping",
    place,
    schema: MappingView,
    view,
  });
  const checked = {
    schema: CheckedMappingView,
    view: ({ warnings = [], ...mapping }: StoredMapping & Partial<CheckedMapping>) => ({
      ...view(mapping),
      ...(warnings.length > 0 && { warnings }),
    }),
  };
  resource.list({ read: mappings.list });
  resource.show({ read: mappings.get });
  resource.put({
    ...checked,
    body: MappingBody,
    put: (id, draft) => mappings.put(id, draft, { replaces: place.putReplaces }),
  });
  resource.update({
    ...checked,
    summary: "Replaces the rules of a mapping",
    body: MappingBody,
    update: mappings.update,
  });
  resource.delete({ delete: mappings.delete });
  addEvaluationRoutes(server, path, mappings);
}

/** Dry runs: evaluate an assertion without storing anything. */
function addEvaluationRoutes(server: HttpServer, collection: string, mappings: MappingService): void {
  const route = createRoutes(server, "mappings");
  route("POST", `${collection}/:mapping_id/evaluate`, {
    access: "identity:get_mapping",
    summary: "Tells what a mapping makes of an assertion, and why",
    body: StoredEvaluation,
    response: EvaluationResponse,
    handle: async ({ params, body }, reply) =>
      sendTrace(reply, await mappings.evaluate(params.mapping_id, body.assertion)),
  });
  route("POST", `${collection}/evaluate`, {
    access: "identity:get_mapping",
    summary: "Tells what rules that are stored nowhere make of an assertion, and why",
    body: DraftEvaluation,
    response: EvaluationResponse,
    handle: async ({ body: { rules, schema_version: schemaVersion, assertion } }, reply) =>
      sendTrace(reply, traceMapping(await compileMappingInSlices({ rules, schemaVersion }), assertion)),
  });
}

/** Sends a dry run rule by rule: each rule repeats the values it received, so the text may be forty times the request's. */
function sendTrace(reply: Pick<FastifyReply, "type">, { trace, ...others }: MappingTrace) {
  async function* text(): AsyncGenerator<string> {
    yield `${JSON.stringify(others).slice(0, -1)},"trace":[`;
    for (const [index, rule] of trace.entries()) {
      yield `${index === 0 ? "" : ","}${JSON.stringify(rule)}`;
      await nextTurn();
    }
    yield "]}";
  }
  return reply.type("application/json; charset=utf-8").send(Readable.from(text(), { objectMode: false }));
}
