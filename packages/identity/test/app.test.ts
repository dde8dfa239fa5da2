import { expect, it } from "vitest";

import { sqliteDatabases } from "./databases.js";
import { testApp } from "./test-app.js";

it("lists no resource that does not exist", async () => {
  const service = await testApp(sqliteDatabases);
  const { server } = service.app;
  const home = await server.inject({ url: "/v3", headers: { accept: "application/json-home" } });
  const resources = Object.values(home.json<{ resources: Record<string, HomeResource> }>().resources);
  expect(resources.length).toBeGreaterThan(50);
  for (const { href, "href-template": template = "" } of resources) {
    const path = href ?? template.replaceAll(/\{\w+\}/g, "x");
    const answer = await server.inject({ method: "OPTIONS", url: `/v3${path}` });
    expect([path, answer.statusCode]).toEqual([path, 200]);
  }
  await service.remove();
});

interface HomeResource {
  readonly href?: string;
  readonly "href-template"?: string;
}

it("is not ready when it is about to stop, nor without its database, and sends Retry-After", async () => {
  const service = await testApp(sqliteDatabases);
  const { server, database } = service.app;
  service.app.announceStop();
  const answer = await server.inject("/readyz");
  expect(answer.statusCode).toBe(503);
  expect(answer.headers["retry-after"]).toBe("1");
  expect(answer.json()).toEqual({
    error: { code: 503, message: "The service is stopping.", title: "Service Unavailable" },
  });
  expect((await server.inject("/healthcheck")).statusCode).toBe(200);
  await service.remove();

  const other = await testApp(sqliteDatabases);
  await other.app.database.close();
  expect((await other.app.server.inject("/readyz")).statusCode).toBeGreaterThanOrEqual(500);
  void database;
});

it("counts requests by route, unless that is switched off", async () => {
  const service = await testApp(sqliteDatabases);
  await service.app.server.inject("/v3/");
  await service.app.server.inject("/v3/secret-name");
  const { body } = await service.app.server.inject("/metrics");
  expect(body).toContain('http_requests_total{method="GET",route="/v3",status="200"} 1\n');
  expect(body).toContain('http_requests_total{method="any",route="unmatched",status="404"} 1\n');
  expect(body).toContain('http_request_duration_seconds_count{method="GET",route="/v3"} 1\n');
  expect(body).not.toContain("secret-name");
  await service.remove();

  const silent = await testApp(sqliteDatabases, { IDENTITY_METRICS: "off" });
  expect((await silent.app.server.inject("/metrics")).statusCode).toBe(404);
  await silent.remove();

  const elsewhere = await testApp(sqliteDatabases, { IDENTITY_METRICS_PORT: "9100" });
  expect((await elsewhere.app.server.inject("/metrics")).statusCode).toBe(404);
  await elsewhere.remove();
});
