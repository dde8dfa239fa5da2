import { Validator } from "@seriousme/openapi-schema-validator";
import { Type } from "typebox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { addApiDocumentRoutes } from "../../../src/platform/api-document/api-document-routes.js";
import type { OpenApiDocument, Operation } from "../../../src/platform/api-document/openapi-types.js";
import type { HttpServer } from "../../../src/platform/http/http-server.js";
import { createLinks } from "../../../src/platform/http/links.js";
import {
  bodyOf,
  nullable,
  openObject,
  pathOf,
  queryOf,
} from "../../../src/platform/http/validation/schema-parts.js";
import { sqliteDatabases } from "../../databases.js";
import { testApp } from "../../test-app.js";
import { PUBLIC_URL, testServer } from "../../test-server.js";

const Thing = openObject({ name: Type.String({ maxLength: 8 }), parent: nullable(Type.String()) });

/** A server with the document and one route of each kind. */
async function documentedServer(): Promise<HttpServer> {
  const { server } = testServer();
  addApiDocumentRoutes(server, { links: createLinks(PUBLIC_URL) });
  const schema = { tags: ["things"], summary: "Lists <b>things</b>" };
  const params = pathOf("thing_id");
  server.get(
    "/v3/things",
    { config: { access: "public" }, schema: { ...schema, querystring: queryOf("name") } },
    () => "",
  );
  server.put(
    "/v3/things/:thing_id/x/:part",
    {
      config: { access: { action: "identity:create_region", target: () => ({}) } },
      schema: {
        tags: ["things"],
        summary: "Makes a thing",
        params,
        body: bodyOf("thing", Thing),
        response: { 201: bodyOf("thing", Thing) },
      },
    },
    () => ({ thing: { name: "", parent: null } }),
  );
  server.delete(
    "/v3/things/:thing_id",
    { config: { access: "identity:delete_region" }, schema: { tags: ["others"], summary: "Ends", params } },
    () => "",
  );
  server.get("/v3/unspoken", () => "");
  await server.ready();
  return server;
}

describe("the API's document", () => {
  let server: HttpServer;
  beforeEach(async () => {
    server = await documentedServer();
  });
  afterEach(() => server.close());

  const documentOf = async (from: HttpServer = server) =>
    (await from.inject("/openapi.json")).json<OpenApiDocument>();
  const operation = async (method: string, path: string): Promise<Operation | undefined> =>
    (await documentOf()).paths[path]?.[method];

  it("is one of OpenAPI 3.1", async () => {
    const document = await documentOf();
    expect(document.openapi).toBe("3.1.1");
    expect(await new Validator().validate(document as never)).toEqual({ valid: true });
  });

  it("has the routes with a summary", async () => {
    const { paths, servers, tags } = await documentOf();
    expect(servers).toEqual([{ url: PUBLIC_URL }]);
    expect(tags).toEqual([{ name: "things" }, { name: "others" }]);
    expect(Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)])).toEqual([
      ["/v3/things", ["get"]],
      ["/v3/things/{thing_id}/x/{part}", ["put"]],
      ["/v3/things/{thing_id}", ["delete"]],
    ]);
  });

  it("describes parameters, bodies, responses and access of a route", async () => {
    expect(await operation("put", "/v3/things/{thing_id}/x/{part}")).toMatchObject({
      operationId: "put_v3_things_thing_id_x_part",
      "x-required-action": "identity:create_region",
      parameters: [
        { name: "thing_id", in: "path", required: true },
        { name: "part", in: "path", required: true },
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema: { required: ["thing"], additionalProperties: false } } },
      },
      responses: {
        201: {
          description: "Created",
          content: { "application/json": { schema: { properties: { thing: { type: "object" } } } } },
        },
        400: {},
        401: {},
        403: {},
        404: {},
        default: {},
      },
    });
  });

  it("marks public routes and empty responses", async () => {
    const list = await operation("get", "/v3/things");
    expect(list).toMatchObject({ security: [], parameters: [{ name: "name", in: "query" }] });
    expect(Object.keys(list?.responses ?? {})).toEqual(["204", "400", "default"]);
    const end = await operation("delete", "/v3/things/{thing_id}");
    expect(end?.security).toBeUndefined();
    expect(end?.responses["204"]).toEqual({ description: "No Content" });
  });

  it.each(["/openapi.json", "/docs"])("is sent by %s to those who don't have it", async (url) => {
    const { headers, statusCode } = await server.inject(url);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ "cache-control": "public, max-age=300" });
    expect(headers.vary).toBeUndefined();
    const etag = String(headers.etag);
    const ask = (tag: string) => server.inject({ url, headers: { "if-none-match": tag } });
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
      expect(await ask(tag)).toMatchObject({ statusCode: 304, body: "", headers: { etag } });
    expect((await ask('"other"')).statusCode).toBe(200);
    expect(await server.inject({ method: "HEAD", url })).toMatchObject({ statusCode: 200, body: "" });
  });

  it("is that of the service", async () => {
    const service = await testApp(sqliteDatabases);
    const document = await documentOf(service.app.server);
    await service.remove();
    expect(await new Validator().validate(document as never)).toEqual({ valid: true });
    // Responses without a body have the status that they are sent with.
    const successes = (path: string, method: string) =>
      Object.keys(document.paths[path]?.[method]?.responses ?? {}).filter((status) => status.startsWith("2"));
    expect(successes("/v3/projects/{project_id}/tags/{value}", "put")).toEqual(["201"]);
    expect(successes("/v3/projects/{project_id}/tags/{value}", "delete")).toEqual(["204"]);
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("the API's page", () => {
  let server: HttpServer;
  beforeEach(async () => {
    server = await documentedServer();
  });
  afterEach(() => server.close());

  it("shows every operation, with what it takes and who may ask", async () => {
    const { body, headers } = await server.inject("/docs");
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(body.match(/<details id="[^"]*"/g)).toEqual([
      '<details id="get_v3_things"',
      '<details id="put_v3_things_thing_id_x_part"',
      '<details id="delete_v3_things_thing_id"',
    ]);
    expect(body).toContain("Requires a token that allows <code>identity:create_region</code>.");
    expect(body).toContain("Public: no token required.");
    expect(body).toContain("text, at most 8 characters");
    expect(body).toContain('href="http://127.0.0.1:5900/openapi.json"');
  });

  it("shows text as text", async () => {
    const { body } = await server.inject("/docs");
    expect(body).toContain("Lists &lt;b&gt;things&lt;/b&gt;");
    expect(body).not.toContain("<b>things");
  });

  it("forbids all but its own colors", async () => {
    const { headers } = await server.inject("/docs");
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });
});
