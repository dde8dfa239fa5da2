import { expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import { addHealthRoutes } from "../../../src/platform/health/health-routes.js";
import { testServer } from "../../test-server.js";

function askReady(impairments: () => Promise<readonly string[]>) {
  const { server } = testServer();
  addHealthRoutes(server, { impairments, isStopping: () => false });
  return server.inject("/readyz");
}

it("is ready with an empty body, or names the impaired parts while others can still be served", async () => {
  expect(await askReady(() => Promise.resolve([]))).toMatchObject({ statusCode: 200, body: "" });
  const impaired = await askReady(() => Promise.resolve(["One is slow.", "Another is away."]));
  expect(impaired).toMatchObject({ statusCode: 200, body: "One is slow.\nAnother is away.\n" });
  expect(impaired.headers["content-type"]).toBe("text/plain; charset=UTF-8");
});

it("is not ready when nothing can be served, or when the check takes more than two seconds", async () => {
  const away = await askReady(() => Promise.reject(new DatabaseUnavailable()));
  expect(away.statusCode).toBe(503);
  expect(away.headers["retry-after"]).toBe("1");
  expect((await askReady(() => new Promise(() => {}))).statusCode).toBe(503);
});
