/** The `openstack` command with an application credential in `clouds.yaml`. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { administratorOf } from "../clients/openstack-shell.js";
import { runProgram, type ProgramEnd } from "../run-program.js";
import { runService, type ReachableService } from "../service-process.js";

let service: ReachableService;
let folder: string;
let clouds: string;
let credential: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  service = await runService(sqliteDatabases);
  folder = await mkdtemp(join(tmpdir(), "hamkit-clouds-"));
  clouds = join(folder, "clouds.yaml");
  const made = await openstack(
    ["application", "credential", "create", "--role", "reader", "-f", "json", "robot"],
    administratorOf(service.url),
  );
  credential = JSON.parse(made.output) as typeof credential;
  // `wrong` has another secret.
  await writeFile(
    clouds,
    JSON.stringify({
      clouds: { robot: cloudWith(credential.secret), wrong: cloudWith(`${credential.secret}x`) },
    }),
    { mode: 0o600 },
  );
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

function cloudWith(secret: string): object {
  return {
    auth_type: "v3applicationcredential",
    identity_api_version: 3,
    auth: {
      auth_url: `${service.url}/v3`,
      application_credential_id: credential.id,
      application_credential_secret: secret,
    },
  };
}

function openstack(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProgramEnd> {
  return runProgram(["/usr/bin/openstack", ...args], { env });
}

function inCloud(cloud: string, ...args: string[]): Promise<ProgramEnd> {
  return openstack(["--os-cloud", cloud, ...args], { OS_CLIENT_CONFIG_FILE: clouds, NO_PROXY: "127.0.0.1" });
}

it("openstack logs in with an application credential in clouds.yaml", async () => {
  const { exit, output } = await inCloud("robot", "token", "issue", "-f", "json");
  expect(exit).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ project_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
});

it("openstack shows the application credential that it logs in with", async () => {
  const { output } = await inCloud("robot", "application", "credential", "show", "-f", "json", credential.id);
  expect(JSON.parse(output)).toMatchObject({ id: credential.id, name: "robot", unrestricted: false });
});

it("openstack creates no application credential by a restricted one, and no project by the role reader", async () => {
  for (const args of [
    ["application", "credential", "create", "second"],
    ["project", "create", "second"],
  ]) {
    const { exit, errors } = await inCloud("robot", ...args);
    expect([exit, errors]).toEqual([1, expect.stringContaining("(HTTP 403)")]);
  }
});

it("openstack is not logged in with a wrong secret", async () => {
  const { exit, errors } = await inCloud("wrong", "token", "issue");
  expect([exit, errors]).toEqual([1, expect.stringContaining("(HTTP 401)")]);
});
