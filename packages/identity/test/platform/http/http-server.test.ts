import { Type } from "typebox";
import { describe, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  TooManyError,
  UnauthorizedError,
} from "../../../src/platform/errors.js";
import type { HttpServer } from "../../../src/platform/http/http-server.js";
import { addressList } from "../../../src/platform/trusted-proxies.js";
import { PUBLIC_URL, testServer } from "../../test-server.js";

const ADVICE =
  "The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";
const NO_JSON = `Expecting to find valid JSON in request body. ${ADVICE}`;
const UNSTORABLE = "A text of the request holds a character that can't be stored.";
const NO_JSON_TYPE = `Expecting to find application/json in Content-Type header. ${ADVICE}`;

/** A server that answers what it was sent. */
function echo(): HttpServer {
  const { server } = testServer();
  server.post("/echo", (request) => ({ body: request.body ?? "none" }));
  server.get("/things/:id", (request) => request.params);
  server.delete("/things/:id", (_request, reply) => reply.code(204).send());
  return server;
}

function failing(error: Error): Promise<Answer> {
  const { server } = testServer();
  server.get("/fail", () => {
    throw error;
  });
  return server.inject("/fail");
}
type Answer = Awaited<ReturnType<HttpServer["inject"]>>;

describe("a failure", () => {
  it.each([
    [new NotFoundError("Could not find region: x."), 404, "Not Found"],
    [new ConflictError("Duplicate entry."), 409, "Conflict"],
    [new ForbiddenError("You are not authorized."), 403, "Forbidden"],
    [new TooManyError("Slow down."), 429, "Too Many Requests"],
    [new DatabaseUnavailable(), 503, "Service Unavailable"],
  ])("of its kind has its status: %s", async (error, code, title) => {
    const answer = await failing(error);
    expect(answer.statusCode).toBe(code);
    expect(answer.json()).toEqual({ error: { code, message: error.message, title } });
    expect(answer.headers).toMatchObject({
      vary: "X-Auth-Token",
      "x-openstack-request-id": expect.stringMatching(/^req-/) as string,
    });
    expect("retry-after" in answer.headers).toBe(code === 429 || code === 503);
  });

  it("to authenticate does not return the reason", async () => {
    const answer = await failing(new UnauthorizedError("password of alice is wrong"));
    expect(answer.headers["www-authenticate"]).toBe(`Keystone uri="${PUBLIC_URL}/v3"`);
    expect(answer.json()).toEqual({
      error: {
        code: 401,
        message: "The request you have made requires authentication.",
        title: "Unauthorized",
      },
    });
  });

  it("that is unexpected is logged with its causes, and returned without them", async () => {
    const { server, lines } = testServer();
    server.get("/fail", () => {
      throw new TypeError("x is undefined", { cause: new Error("row 7") });
    });
    const answer = await server.inject("/fail");
    expect(answer.json()).toEqual({
      error: {
        code: 500,
        message: "An unexpected error prevented the server from fulfilling your request.",
        title: "Internal Server Error",
      },
    });
    expect(lines()).toContainEqual(
      expect.objectContaining({
        level: "error",
        request: answer.headers["x-openstack-request-id"],
        err: expect.objectContaining({
          name: "TypeError",
          message: "x is undefined",
          cause: expect.objectContaining({ message: "row 7" }) as unknown,
        }) as unknown,
      }),
    );
  });
});

describe("a body", () => {
  const post = (payload: string | Buffer, contentType?: string) =>
    echo().inject({
      method: "POST",
      url: "/echo",
      payload,
      headers: contentType === undefined ? {} : { "content-type": contentType },
    });

  it.each([
    ["JSON", '{"a":[1,"é"]}', "application/json", { a: [1, "é"] }],
    ["JSON with a charset", '{"a":1}', "application/json; charset=utf-8", { a: 1 }],
    ["JSON without a type", '{"a":1}', undefined, { a: 1 }],
    ["nothing", "", "application/json", {}],
    ["nothing of another type", "", "text/plain", {}],
    ["the same key twice", '{"a":1,"a":2}', "application/json", { a: 2 }],
  ])("may be %s", async (_name, payload, type, body) => {
    expect((await post(payload, type)).json()).toEqual({ body });
  });

  it.each([
    ["half of JSON", '{"a":'],
    ["a list", "[]"],
    ["a text", '"x"'],
    ["null", "null"],
    ["NaN", '{"a": NaN}'],
    ["bytes that are no UTF-8", Buffer.from('{"a":"\xff"}', "latin1")],
    ["a change of what objects are", '{"__proto__": {"isAdmin": true}}'],
    ["a thousand lists in each other", `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`],
  ])("is not %s", async (_name, payload) => {
    const answer = await post(payload, "application/json");
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ error: { code: 400, message: NO_JSON, title: "Bad Request" } });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/json-patch", "nonsense"])(
    "is not of type %j",
    async (type) => {
      const answer = await post('{"a":1}', type);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: { message: NO_JSON_TYPE } });
    },
  );

  it.each(['{"a":["x\\u0000"]}', '{"a\\u0000":1}'])(
    "texts-have-no-nul: is refused with U+0000: %s",
    async (payload) => {
      const answer = await post(payload, "application/json");
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: { message: UNSTORABLE } });
    },
  );

  it("may speak of an escape", async () => {
    expect((await post(String.raw`{"a":"\\u0000"}`, "application/json")).json()).toEqual({
      body: { a: String.raw`\u0000` },
    });
  });

  it("has a limit", async () => {
    const answer = await post(JSON.stringify({ a: "x".repeat(5000) }), "application/json");
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toEqual({
      error: { code: 413, message: "Request is too large.", title: "Request Entity Too Large" },
    });
  });
});

describe("an address", () => {
  it("may have a slash at its end", async () => {
    expect((await echo().inject("/things/a/")).json()).toEqual({ id: "a" });
  });

  it("may have any id in it", async () => {
    for (const id of ["a/b", "ä ☃", "50%", "x".repeat(1000), "__proto__"])
      expect((await echo().inject(`/things/${encodeURIComponent(id)}`)).json()).toEqual({ id });
  });

  it("with doubled slashes leads to the one without, never elsewhere", async () => {
    const answer = await echo().inject("//things//a?x=//y");
    expect(answer.statusCode).toBe(308);
    expect(answer.headers.location).toBe(`${PUBLIC_URL}/things/a?x=//y`);
    expect((await echo().inject("//example.com/")).statusCode).toBe(404);
  });

  it.each(["/things/a%00b", "/things/a?x=%00"])(
    "texts-have-no-nul: is refused with U+0000: %s",
    async (url) => {
      const answer = await echo().inject(url);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: { message: UNSTORABLE } });
    },
  );

  it("may hold what looks like an escape", async () => {
    expect((await echo().inject("/things/a%2500b")).json()).toEqual({ id: "a%00b" });
  });

  it.each(["/things/%zz", "/things/%FF"])(
    "addresses-are-utf-8: %s escapes nothing, and is refused",
    async (url) => {
      const answer = await echo().inject(url);
      expect(answer.statusCode).toBe(400);
      expect(answer.headers).toMatchObject({
        vary: "X-Auth-Token",
        "x-openstack-request-id": expect.stringMatching(/^req-/) as string,
      });
    },
  );

  it("answers HEAD with the headers of GET, in failures too", async () => {
    const server = echo();
    for (const url of ["/things/a", "/nowhere"]) {
      const [get, head] = [await server.inject(url), await server.inject({ method: "HEAD", url })];
      expect(head.statusCode).toBe(get.statusCode);
      expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
      expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
      expect(head.body).toBe("");
    }
  });

  it("answers an undefined result with 204", async () => {
    const answer = await echo().inject({ method: "DELETE", url: "/things/a" });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).not.toHaveProperty("content-type");
  });

  it("lists its methods on OPTIONS, and with 405", async () => {
    const options = await echo().inject({ method: "OPTIONS", url: "/things/a" });
    expect(options.statusCode).toBe(200);
    expect(options.headers.allow).toBe("DELETE, GET, HEAD, OPTIONS");
    expect(options.headers["content-length"]).toBe("0");
    const patch = await echo().inject({ method: "PATCH", url: "/things/a/" });
    expect(patch.statusCode).toBe(405);
    expect(patch.headers.allow).toBe("DELETE, GET, HEAD, OPTIONS");
    expect(patch.json()).toEqual({ message: "The method is not allowed for the requested URL." });
  });
});

describe("a request", () => {
  it("of a schema that it does not fit is refused after all hooks before", async () => {
    const { server } = testServer();
    const seen: string[] = [];
    const body = Type.Object({ a: Type.String() }, { additionalProperties: false });
    const preValidation = async () => void seen.push("permission");
    server.post("/typed", { schema: { body }, preValidation }, (request) => ({ got: request.body.a }));
    const send = (payload: object) => server.inject({ method: "POST", url: "/typed", payload });
    expect((await send({ a: "x" })).json()).toEqual({ got: "x" });
    expect((await send({ a: 1 })).json()).toMatchObject({
      error: {
        code: 400,
        message: "Invalid input for field/attribute a. Value: 1. 1 is not of type 'string'",
      },
    });
    expect((await server.inject({ method: "POST", url: "/typed" })).json()).toMatchObject({
      error: { message: "'a' is a required property" },
    });
    expect(seen).toHaveLength(3);
  });

  it("has the client address that a trusted proxy forwards, and no other", async () => {
    const ask = async (proxies: string) => {
      const { server } = testServer({ isTrustedProxy: addressList.parse(proxies) ?? (() => false) });
      server.get("/ip", (request) => ({ ip: request.clientAddress }));
      const headers = { "x-forwarded-for": "6.6.6.6, 192.0.2.7" };
      return (await server.inject({ url: "/ip", headers, remoteAddress: "127.0.0.1" })).json<object>();
    };
    expect(await ask("")).toEqual({ ip: "127.0.0.1" });
    expect(await ask("127.0.0.0/8")).toEqual({ ip: "192.0.2.7" });
    expect(await ask("10.0.0.0/8")).toEqual({ ip: "127.0.0.1" });
  });
});

describe("a hostile request", () => {
  const nest = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

  it.each([
    ["as it is", `{"a":${nest(150)}}`],
    ["with brackets in a string before it", `{"b":"${"]".repeat(150)}","a":${nest(150)}}`],
    ["with a quote in that string", `{"b":"\\"${"]".repeat(150)}","a":${nest(150)}}`],
  ])("that is nested too deeply is no JSON: %s", async (_, payload) => {
    const headers = { "content-type": "application/json" };
    const answer = await echo().inject({ method: "POST", url: "/echo", headers, payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ error: { message: string } }>().error.message).toBe(NO_JSON);
  });

  it("may hold brackets in strings, as many as it likes", async () => {
    const body = { text: "[{".repeat(500) };
    const answer = await echo().inject({ method: "POST", url: "/echo", payload: body });
    expect(answer.json()).toEqual({ body });
  });

  it("names another host in vain", async () => {
    const { server } = testServer();
    server.get("/things", (request) => ({ url: request.url }));
    for (const url of ["http://evil.example/things?a=http://b", "HTTPS://evil.example:1/things?a=http://b"])
      expect((await server.inject(url)).json()).toEqual({ url: "/things?a=http://b" });
  });
});
