import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { logRequests } from "../../../src/platform/log.js";
import {
  pathOfTarget,
  routedPath,
  spelledAsRouted,
  targetToRoute,
} from "../../../src/platform/http/request-target.js";
import { rawRequest } from "../../raw-request.js";
import { testServer } from "../../test-server.js";

describe("a target is routed in one spelling", () => {
  // Origin and absolute form of RFC 9112, 3.2; normalization of RFC 3986, 6.2.2.
  it.each([
    ["/v3/users", "/v3/users"],
    ["/v3/users/", "/v3/users/"],
    ["/v3/%75sers?name=%75", "/v3/users?name=%75"],
    ["/v3/users/%7ea%2db%5f%2E", "/v3/users/~a-b_."],
    ["/v3/users/a%2fb", "/v3/users/a%2Fb"],
    ["/v3/users/%c3%a9", "/v3/users/%C3%A9"],
    ["/v3/users/%2575", "/v3/users/%2575"],
    ["/v3/users/%25%37%35", "/v3/users/%2575"],
    ["/v3/users/%3F%23", "/v3/users/%3F%23"],
    ["/v3/users/%c0%af", "/v3/users/%c0%af"],
    ["/v3/users/%ff", "/v3/users/%ff"],
    ["/v3/users/%zz", "/v3/users/%zz"],
    ["http://localhost/v3/%75sers", "/v3/users"],
    ["HTTPS://a@b:1/v3?x=http://c/d", "/v3?x=http://c/d"],
    ["http://localhost?x", "/?x"],
    ["ftp://localhost/v3", "/ftp://localhost/v3"],
    ["//localhost/v3", "//localhost/v3"],
    ["*", "*"],
    ["", "/"],
  ])("%s is %s", (target, expected) => {
    expect(targetToRoute(target)).toBe(expected);
    expect(targetToRoute(expected)).toBe(expected);
  });

  it("has a path up to its query or fragment", () => {
    expect(["/a?b#c", "/a#b?c", "/a", "/a%3F?%23", "?"].map(pathOfTarget)).toEqual([
      "/a",
      "/a",
      "/a",
      "/a%3F",
      "",
    ]);
  });

  it("has the path of its route, in which parameters are one segment each", () => {
    const routeOptions = { url: "/v3/projects/:project_id/tags/:value" };
    const params = { project_id: "a/b*", value: "é?#%" };
    expect(routedPath({ routeOptions, params, url: "/" })).toBe("/v3/projects/a%2Fb%2A/tags/%C3%A9%3F%23%25");
    expect(routedPath({ routeOptions: {}, params: {}, url: "/nowhere/?a" })).toBe("/nowhere/");
    expect(spelledAsRouted("/v3/%70rojects/{id}/%2a/**/")).toBe("/v3/projects/{id}/%2A/**");
  });
});

describe("a server", () => {
  const { server, lines, log } = testServer({ corsOrigins: ["https://a.example"] });
  beforeAll(async () => {
    logRequests(server, log);
    server.get("/things/:id", (request) => ({ url: request.url, params: request.params }));
    await server.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(() => server.close());
  const get = (target: string) => rawRequest(server, { method: "GET", target });

  it.each([
    "/things/a#",
    "/things/a#b",
    "/things/a?b#c",
    "/#",
    "/nowhere#/things/a",
    "http://localhost/things/a#b",
  ])("refuses a fragment in a target: %s", async (target) => {
    const { status, head, body } = await get(target);
    expect({ status, error: JSON.parse(body) as unknown }).toEqual({
      status: 400,
      error: {
        error: {
          code: 400,
          message: 'The request target contains "#", expected a path and a query without a fragment.',
          title: "Bad Request",
        },
      },
    });
    expect(head).toMatch(/x-openstack-request-id: req-/i);
  });

  it("logs neither the query nor the fragment", async () => {
    await get("/things/a#access_token=secret");
    await get("/things/a?access_token=secret");
    await get("/nowhere?access_token=secret#secret");
    expect(JSON.stringify(lines())).not.toContain("secret");
    expect(lines()).toContainEqual(expect.objectContaining({ path: "/things/a", status: 400 }));
  });

  it("serves an escaped path as the one it stands for", async () => {
    for (const target of ["/things/a", "/th%69ngs/a", "/th%69ngs/%61/", "http://evil.example/thing%73/a"])
      expect((await get(target)).body).toContain('"params":{"id":"a"}');
    expect((await get("/th%69ngs/a%2Fb")).body).toBe('{"url":"/things/a%2Fb","params":{"id":"a/b"}}');
    expect((await get("/th%69ngs/%2561")).body).toBe('{"url":"/things/%2561","params":{"id":"%61"}}');
  });
});
