/** The recorded discovery requests: versions, extensions and unknown paths. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "./databases.js";
import { goldenRows, hasGolden } from "./golden.js";
import { testApp, type TestApp } from "./test-app.js";

/** The recorded requests, without those about resources that have no folder yet. */
const requests = (hasGolden ? goldenRows("head", "01_discovery") : []).filter(
  ({ name, path }) => !name.endsWith("json-home") && path !== "/v3//registered_limits",
);

let service: TestApp;
beforeAll(async () => {
  service = await testApp(sqliteDatabases);
});
afterAll(() => service.remove());

describe(`the service on ${sqliteDatabases.name}`, () => {
  it("is ready", async () => {
    expect(await service.app.server.inject("/readyz")).toMatchObject({ statusCode: 200, body: "" });
  });

  it.each(requests)(
    "answers as recorded: $name",
    async ({ method, path, request_headers: headers, status, response_headers: wanted, response_body }) => {
      const isHtml = typeof response_body === "string" && response_body.startsWith("<!doctype");
      const got = await service.app.server.inject({ method: method as "GET", url: path, headers });
      expect(got.statusCode).toBe(status);
      for (const name of ["vary", "location"] as const) expect(got.headers[name]).toBe(wanted[name]);
      expect(methodsIn(got.headers.allow)).toEqual(methodsIn(wanted["allow"]));
      expect(got.headers["x-openstack-request-id"]).toMatch(/^req-[0-9a-f-]{36}$/);
      const type = isHtml ? "application/json" : String(wanted["content-type"]).split(";")[0];
      expect(String(got.headers["content-type"]).split(";")[0]).toBe(type);
      const body: unknown = type?.endsWith("json") && got.body !== "" ? got.json() : got.body;
      expect(body).toEqual(isHtml ? ourWords(status) : response_body);
    },
  );
});

/** Where Keystone answers in HTML: `errors-in-json` of docs/identity/differences.md. */
function ourWords(status: number): object {
  if (status === 405) return { message: "The method is not allowed for the requested URL." };
  const message = "Could not find the resource. The requested URL was not found on the server.";
  return { error: { code: 404, message, title: "Not Found" } };
}

function methodsIn(header: unknown): string[] {
  return typeof header === "string" ? header.split(", ").toSorted() : [];
}
