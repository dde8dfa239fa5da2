import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startService, type ServiceProcess } from "../service-process.js";
import { adminClient, type AdminClient, type AdminResponse } from "./admin-client.js";

/** Files are limited to 2 MiB: the error of a longer one is like that of a full disk. */
const FULL_AT = ["/bin/sh", "-c", 'ulimit -f 4096 && exec "$@"', "sh"];
/** Regions that surely do not fit. */
const TOO_MANY = 3000;

describe("the service on SQLite, whose disk is full", () => {
  const created: string[] = [];
  let folder: string;
  let service: ServiceProcess;
  let client: AdminClient;
  let refused: AdminResponse | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    service = await startService({ ...options(), through: FULL_AT });
    client = await adminClient(service.url);
    while (refused === undefined && created.length < TOO_MANY) {
      const answer = await createRegion();
      if (answer.status === 201) created.push(String(answer.body.region.id));
      else refused = answer;
    }
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const options = () => ({ databaseUrl: `sqlite:${join(folder, "identity.db")}`, folder });
  const createRegion = () => client.ask("POST", "/v3/regions", { region: { description: "x".repeat(200) } });

  it("answers 503 with Retry-After", async () => {
    expect(refused?.status).toBe(503);
    expect(refused?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(refused?.body).toEqual({
      error: {
        code: 503,
        message: "The service is unavailable at present. Please try again later.",
        title: "Service Unavailable",
      },
    });
    expect((await createRegion()).status).toBe(503);
  });

  it("still reads", async () => {
    expect((await client.ask("GET", `/v3/regions/${created[0]}`)).status).toBe(200);
  });

  it("reports no valid token as revoked", async () => {
    const { token } = await adminClient(service.url);
    const answer = await fetch(`${service.url}/v3/auth/tokens`, {
      method: "DELETE",
      headers: { "x-auth-token": client.token, "x-subject-token": token },
    });
    expect(answer.status).toBe(503);
  });

  it("has all that it acknowledged, and no more, once there is room", async () => {
    await service.stop();
    service = await startService({ ...options(), port: service.port });
    const { body } = await client.ask("GET", "/v3/regions");
    const ids = body.regions.map(({ id }: { id: string }) => id) as string[];
    expect(ids.filter((id) => id !== "RegionOne").toSorted()).toEqual(created.toSorted());
    expect((await createRegion()).status).toBe(201);
  });
});
