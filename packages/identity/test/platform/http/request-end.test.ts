/** What runs at the end of requests, and the logs of requests. */
import { expect, it } from "vitest";

import { atEndOf } from "../../../src/platform/http/request-end.js";
import { testServer } from "../../test-server.js";

it("the end of a request is told to listeners of the server, then to those of its route, in the order of their addition", async () => {
  const { server } = testServer();
  const told: unknown[] = [];
  server.endListeners.push((request, { statusCode }, { ms }) => {
    told.push(["all", request.url, statusCode, ms >= 0 && ms < 60_000]);
  });
  server.addHook("onRoute", (route) => {
    if (route.url === "/a") atEndOf(route, () => void told.push("added"));
  });
  const config = { endListeners: [() => void told.push("declared")] };
  server.get("/a", { config }, async () => ({}));
  server.get("/b", async () => ({}));
  for (const [method, url, route] of [
    ["GET", "/a", ["declared", "added"]],
    ["HEAD", "/a", ["declared", "added"]],
    ["GET", "/b", []],
    ["GET", "/c", []],
  ] as const) {
    told.length = 0;
    const { statusCode } = await server.inject({ method, url });
    expect(told).toEqual([["all", url, statusCode, true], ...route]);
  }
});

it("a listener that fails is logged with the request's id, and the others run", async () => {
  const { server, lines } = testServer();
  const told: string[] = [];
  server.endListeners.push(
    () => {
      throw new Error("broken");
    },
    () => void told.push("second"),
  );
  server.get("/", { config: { endListeners: [() => void told.push("route")] } }, async () => ({}));
  const { headers, statusCode } = await server.inject("/");
  expect([statusCode, told]).toEqual([200, ["second", "route"]]);
  expect(lines()).toMatchObject([
    { level: "error", request: headers["x-openstack-request-id"], err: { message: "broken" } },
  ]);
});

it("an error of a response that nothing listens to does not end the process", async () => {
  const { server } = testServer();
  server.get("/", async (_request, { raw }) => ({
    isHeard: raw.emit("error", new Error("written after the end")),
  }));
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  expect(await (await fetch(url, { headers: { connection: "close" } })).json()).toEqual({ isHeard: true });
  await server.close();
});

it("lines of requests, replies and the server itself are in its log", async () => {
  const { server, lines } = testServer();
  server.get("/", async (request, reply) => {
    for (const level of ["debug", "info", "warn", "error", "fatal"] as const) request.log[level](level);
    request.log.child({ part: 1 }).info("child");
    reply.log.info("reply");
    return { level: request.log.level };
  });
  const { headers, body } = await server.inject("/");
  server.log.info("server");
  const request = headers["x-openstack-request-id"];
  expect(JSON.parse(body)).toEqual({ level: "debug" });
  expect(lines().map(({ msg, request: id }) => [msg, id])).toEqual([
    ...["debug", "info", "warn", "error", "fatal", "child", "reply"].map((msg) => [msg, request]),
    ["server", undefined],
  ]);
});

it("a target that the router can't read is answered with the request's id in the log", async () => {
  const { server, lines } = testServer();
  server.get("/things/:id", async () => ({}));
  const { statusCode, headers } = await server.inject("/things/%c3%28");
  expect(statusCode).toBe(400);
  expect(lines()).toMatchObject([{ msg: "request refused", request: headers["x-openstack-request-id"] }]);
});
