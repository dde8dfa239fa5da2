/** Policy files of a service with several workers: every worker applies a change within seconds, and none a broken file. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ADMIN_PASSWORD, refusedStart, startService, type ServiceProcess } from "../service-process.js";

let folder: string;
let service: ServiceProcess;
let token: string;
const options = () => ({
  databaseUrl: `sqlite:${join(folder, "identity.db")}`,
  folder,
  env: { IDENTITY_WORKERS: "2", IDENTITY_POLICY_FILE: join(folder, "policy.yaml") },
});
const write = (text: string) => writeFile(join(folder, "policy.yaml"), text);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "policy-"));
  await write("");
  service = await startService(options());
  token = await logIn();
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function logIn(): Promise<string> {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const identity = { methods: ["password"], password: { user } };
  const response = await fetch(`${service.url}/v3/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ auth: { identity, scope: { system: { all: true } } } }),
  });
  return response.headers.get("x-subject-token") ?? "";
}

/** Of requests over connections of their own, which the workers share. */
async function statuses(): Promise<readonly number[]> {
  const headers = { "x-auth-token": token, connection: "close" };
  const asked = Array.from(
    { length: 12 },
    async () => (await fetch(`${service.url}/v3/regions`, { headers })).status,
  );
  return [...new Set(await Promise.all(asked))];
}

const readiness = async () =>
  (await fetch(`${service.url}/readyz`, { headers: { connection: "close" } })).text();

it("applies a change in all workers, keeps it when the file breaks, and refuses a start with that file", async () => {
  expect(await statuses()).toEqual([200]);
  await write('"identity:list_regions": "!"');
  await expect.poll(statuses, { timeout: 8000 }).toEqual([403]);

  await write('"identity:list_regions": no');
  await expect.poll(readiness, { timeout: 8000 }).toContain("The policy files are refused");
  expect(service.output()).toMatch(/policy\.yaml:1: identity:list_regions:/);
  expect(await statuses()).toEqual([403]);
  const { exit, output } = await refusedStart({
    ...options(),
    databaseUrl: `sqlite:${join(folder, "other.db")}`,
  });
  expect({ exit, output }).toEqual({
    exit: 1,
    output: expect.stringMatching(/policy\.yaml:1: identity:list_regions: "no" is no check/) as string,
  });

  await write("");
  await expect.poll(statuses, { timeout: 8000 }).toEqual([200]);
});
