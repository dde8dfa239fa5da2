import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { AS_UNPRIVILEGED, startService, type ServiceProcess } from "../service-process.js";
import { adminClient, type AdminClient } from "./admin-client.js";

describe("the service on SQLite, with files and a folder that it may only read", () => {
  let folder: string;
  let data: string;
  let service: ServiceProcess;
  let client: AdminClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    data = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    const options = { databaseUrl: `sqlite:${join(data, "identity.db")}`, folder };
    const first = await startService(options);
    client = await adminClient(first.url);
    await client.ask("POST", "/v3/regions", { region: { id: "here" } });
    await first.stop();
    for (const file of await readdir(data)) await chmod(join(data, file), 0o400);
    await chmod(data, 0o500);
    service = await startService({ ...options, port: first.port, through: AS_UNPRIVILEGED });
  });
  afterAll(async () => {
    await service.stop();
    await chmod(data, 0o700);
    await Promise.all([folder, data].map((path) => rm(path, { recursive: true, force: true })));
  });

  it("reads", async () => {
    expect((await client.ask("GET", "/v3/regions/here")).status).toBe(200);
  });

  it("names the reason in /readyz", async () => {
    const answer = await fetch(`${service.url}/readyz`);
    expect(`${answer.status} ${await answer.text()}`).toMatch(
      /^200 The (?:database can't be changed|last change of the database failed): SQLITE_READONLY/,
    );
  });

  it.each([
    ["POST", "/v3/regions", { region: {} }],
    ["PATCH", "/v3/regions/here", { region: { description: "new" } }],
    ["DELETE", "/v3/regions/here", undefined],
  ])("says of a %s that it is unavailable", async (method, path, body) => {
    const answer = await client.ask(method, path, body);
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 503 } } });
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await client.ask("GET", "/v3/regions/here")).body.region.description).toBe("");
  });
});
