/** `/mappings` of the federation. */
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

import type { FastifyReply } from "fastify";

import { homeIn, type ExtensionPlace } from "../platform/http/extension-place.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { PAGE_PARAMETERS, pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
import { compileMappingInSlices } from "./rules/compile-mapping.js";
import {
  ChangedMappingAnswer,
  DraftEvaluation,
  EvaluationAnswer,
  MappingAnswer,
  MappingBody,
  MappingList,
  StoredEvaluation,
} from "./mapping-schema.js";
import type { CheckedMapping, MappingService } from "./mapping-service.js";
import type { StoredMapping } from "./mapping-store.js";
import { traceMapping, type MappingTrace } from "./rules/trace-mapping.js";

export interface MappingRoutesDeps {
  readonly mappings: MappingService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

const tags = ["mappings"];
const params = pathOf("mapping_id");

export function addMappingRoutes(
  server: HttpServer,
  place: ExtensionPlace,
  { mappings, links, listLimit }: MappingRoutesDeps,
): void {
  const collection = `${place.prefix}/mappings`;
  const member = `${collection}/:mapping_id`;
  const viewOf = ({ id, rules, schemaVersion }: StoredMapping) => ({
    id,
    rules: [...rules],
    schema_version: schemaVersion,
    links: { self: links.self(collection, id) },
  });
  const show = (mapping: StoredMapping) => ({ mapping: viewOf(mapping) });
  const showChanged = ({ mapping, warnings }: CheckedMapping) => ({
    mapping: { ...viewOf(mapping), ...(warnings.length > 0 && { warnings }) },
  });

  const readPart = async (part: Page) => (await mappings.list(part)).map(viewOf);

  server.get(
    collection,
    {
      config: { access: "identity:list_mappings", home: homeIn(place, "mappings") },
      schema: {
        tags,
        summary: "Lists mappings",
        querystring: queryOf(...PAGE_PARAMETERS),
        response: { 200: MappingList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      return sendPages(reply, "mappings", readPart, { page, links, url });
    },
  );

  server.get(
    member,
    {
      config: { access: "identity:get_mapping", home: homeIn(place, "mapping", "mapping_id") },
      schema: { tags, summary: "Shows a mapping", params, response: { 200: MappingAnswer } },
    },
    async ({ params: { mapping_id: id } }) => show(await mappings.get(id)),
  );

  server.put(
    member,
    {
      config: { access: "identity:create_mapping" },
      schema: {
        tags,
        summary: place.putReplaces ? "Creates or replaces a mapping" : "Creates a mapping",
        params,
        body: MappingBody,
        response: { 200: ChangedMappingAnswer, 201: ChangedMappingAnswer },
      },
    },
    async ({ params: { mapping_id: id }, body }, reply) => {
      const { isNew, ...checked } = await mappings.put(id, body.mapping, { replaces: place.putReplaces });
      return reply.code(isNew ? 201 : 200).send(showChanged(checked));
    },
  );

  server.patch(
    member,
    {
      config: { access: "identity:update_mapping" },
      schema: {
        tags,
        summary: "Replaces the rules of a mapping",
        params,
        body: MappingBody,
        response: { 200: ChangedMappingAnswer },
      },
    },
    async ({ params: { mapping_id: id }, body }) => showChanged(await mappings.update(id, body.mapping)),
  );

  server.delete(
    member,
    {
      config: { access: "identity:delete_mapping" },
      schema: { tags, summary: "Deletes a mapping", params },
    },
    async ({ params: { mapping_id: id } }, reply) => {
      await mappings.delete(id);
      return reply.code(204).send();
    },
  );

  addEvaluationRoutes(server, collection, mappings);
}

/** Dry runs: what an assertion would become. Nothing is stored, and nobody logged in. */
function addEvaluationRoutes(server: HttpServer, collection: string, mappings: MappingService): void {
  const config = { access: "identity:get_mapping" } as const;

  server.post(
    `${collection}/:mapping_id/evaluate`,
    {
      config,
      schema: {
        tags,
        summary: "Tells what a mapping makes of an assertion, and why",
        params,
        body: StoredEvaluation,
        response: { 200: EvaluationAnswer },
      },
    },
    async ({ params: { mapping_id: id }, body }, reply) =>
      sendTrace(reply, await mappings.evaluate(id, body.assertion)),
  );

  server.post(
    `${collection}/evaluate`,
    {
      config,
      schema: {
        tags,
        summary: "Tells what rules that are stored nowhere make of an assertion, and why",
        body: DraftEvaluation,
        response: { 200: EvaluationAnswer },
      },
    },
    async ({ body: { rules, schema_version: schemaVersion, assertion } }, reply) =>
      sendTrace(reply, traceMapping(await compileMappingInSlices({ rules, schemaVersion }), assertion)),
  );
}

/** Sends a dry run rule by rule: each rule repeats the values it received, so the text may be forty times the request's. */
function sendTrace(reply: Pick<FastifyReply, "type">, { trace, ...others }: MappingTrace) {
  async function* text(): AsyncGenerator<string> {
    let lead = `${JSON.stringify(others).slice(0, -1)},"trace":[`;
    for (const rule of trace) {
      yield lead + JSON.stringify(rule);
      lead = ",";
      await nextTurn();
    }
    yield trace.length === 0 ? `${lead}]}` : "]}";
  }
  return reply
    .type("application/json; charset=utf-8")
    .send(Readable.from(text(), { objectMode: false })) as never;
}
