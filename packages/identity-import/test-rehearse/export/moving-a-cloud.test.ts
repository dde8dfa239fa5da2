/** Follows the guide "Moving a cloud" with Debian's Keystone: there, and back. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../../identity/test/databases.js";
import {
  fileOf,
  linesFor,
  readGuide,
  type Block,
} from "../../../identity/test-system/federation/keystone/guide.js";
import { freePort } from "../../../identity/test-system/free-port.js";
import { runProgram, type ProgramEnd } from "../../../identity/test-system/run-program.js";
import { startService, type ServiceProcess } from "../../../identity/test-system/service-process.js";
import {
  createKeystoneDatabase,
  type KeystoneDatabase,
} from "../../test-system/export/keystone-databases.js";
import { makePeer, type KeystonePeer } from "../../test-system/export/keystone-peer.js";
import { MAIN } from "../../../identity/test-system/run-command.js";

const SETUP_MS = 240_000;
const PASSWORD = "adminpw";
const METHODS = ["password", "token", "application_credential"];

let folder: string;
let own: TestDatabase;
let databases: readonly KeystoneDatabase[] = [];
let guide: readonly Block[];
let old: KeystonePeer;
let next: KeystonePeer;
let proxy: ChildProcess | undefined;
let service: ServiceProcess | undefined;
let ports: { readonly front: number; readonly keystone: number; readonly service: number };
/** The address that clients know. */
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-moving-"));
  own = await sqliteDatabases.create();
  databases = [await createKeystoneDatabase(), await createKeystoneDatabase()];
  ports = { front: await freePort(), keystone: await freePort(), service: await freePort() };
  url = `http://127.0.0.1:${ports.front}`;
  const [etc, renewed] = [join(folder, "keystone"), join(folder, "renewed")];
  const common = { publicUrl: `${url}/`, methods: METHODS };
  old = await makePeer({ ...common, folder: etc, connection: databases[0]?.connection ?? "" });
  next = await makePeer({ ...common, folder: renewed, connection: databases[1]?.connection ?? "" });
  guide = readGuide("moving-a-cloud.md", {
    "127.0.0.1:5000": `127.0.0.1:${ports.front}`,
    "127.0.0.1:5001": `127.0.0.1:${ports.keystone}`,
    "127.0.0.1:5002": `127.0.0.1:${ports.service}`,
    "PORT=5002": `PORT=${ports.service}`,
    "/etc/keystone/new-keystone.conf": next.configuration,
    "/etc/keystone/keystone.conf": old.configuration,
    "/etc/nginx": folder,
    "nginx -s reload": `/usr/sbin/nginx -e ${folder}/error.log -p ${folder} -c ${folder}/nginx.conf -s reload`,
  });
  await makeCommand("hamkit-identity", `exec ${process.execPath} ${MAIN} "$@"`);
  await old.run("sync", "keys", "bootstrap", PASSWORD, `${url}/v3`);
  await old.start(ports.keystone);
  await startProxy();
}, SETUP_MS);

afterAll(async () => {
  await service?.kill();
  await old.stop();
  await next.stop();
  proxy?.kill();
  for (const place of [own, ...databases]) await place.remove();
  await rm(folder, { recursive: true, force: true });
});

it("moves a cloud there and back", { timeout: SETUP_MS }, async () => {
  const { projectId, credential } = await fillCloud();
  const token = await tokenOf(await logIn({ name: "admin", password: PASSWORD }));

  expect(await type("rehearsal")).toMatch(/^user +2 +2 +0$/m);
  await startHere();
  // Without unknown differences, it succeeds.
  const comparison = await type("comparison", { IDENTITY_IMPORT_TOKEN: token });
  expect(comparison).toMatch(
    /^\d+ requests, \d\d+ with the same response, \d+ with a known difference, 0 with another$/m,
  );
  expect(comparison).toMatch(/^ {2}links-lead-there: GET \/v3\/projects\/\w+\/tags and \d+ more$/m);
  expect(comparison).toMatch(/^ {2}links-of-implied-roles: GET \/v3\/role_assignments\?/m);
  await stopHere();
  await type("catching-up");

  // After the rehearsal, before the switch.
  const late = await send("POST", "/v3/projects", token, { project: { name: "late", domain_id: "default" } });
  expect(late.status).toBe(201);
  await type("stop");
  expect((await fetch(`${url}/v3`)).status).toBe(503);
  await startHere();
  await type("switch");
  await isThrough();
  const projects = await namesOf("projects", token);
  expect(projects).toContain("late");
  const alice = { name: "alice", password: "before-the-move" };
  expect((await logIn(alice)).status).toBe(201);
  expect((await logInBy(credential)).status).toBe(201);
  // Here only.
  const change = { user: { name: "bob", password: "after-the-move", domain_id: "default" } };
  expect((await send("POST", "/v3/users", token, change)).status).toBe(201);

  await stopHere();
  await old.stop();
  await type("export");
  await next.run("keys");
  await next.start(ports.keystone);
  await type("back");
  await isThrough();
  for (const user of [alice, { name: "bob", password: "after-the-move" }])
    expect((await logIn(user)).status).toBe(201);
  expect((await logIn({ ...alice, password: "wrong" })).status).toBe(401);
  expect((await logInBy(credential)).status).toBe(201);
  const returned = await tokenOf(await logIn({ name: "admin", password: PASSWORD }));
  expect(await namesOf("projects", returned)).toEqual(projects);
  expect((await send("GET", `/v3/projects/${projectId}`, returned)).status).toBe(200);

  expect(await type("finish")).toContain("The import is finished");
});

/** Waits until all processes of the proxy have read its configuration: those from before answer for a moment longer. */
async function isThrough(): Promise<void> {
  const statuses = async () => {
    const answers = Array.from({ length: 20 }, () =>
      fetch(`${url}/v3`, { headers: { connection: "close" } }),
    );
    return new Set((await Promise.all(answers)).map(({ status }) => status));
  };
  await expect.poll(statuses).toEqual(new Set([200]));
}

/** A project, a user with a role on it, and an application credential of that user. */
async function fillCloud() {
  const token = await tokenOf(await logIn({ name: "admin", password: PASSWORD }));
  const made = await send("POST", "/v3/projects", token, {
    project: { name: "atelier", domain_id: "default" },
  });
  const { id: projectId } = ((await made.json()) as { project: { id: string } }).project;
  const user = {
    name: "alice",
    password: "before-the-move",
    domain_id: "default",
    default_project_id: projectId,
  };
  const { id } = (
    (await (await send("POST", "/v3/users", token, { user })).json()) as { user: { id: string } }
  ).user;
  const { roles } = (await (await send("GET", "/v3/roles?name=member", token)).json()) as {
    roles: { id: string }[];
  };
  await send("PUT", `/v3/projects/${projectId}/users/${id}/roles/${roles[0]?.id}`, token);
  const ownToken = await tokenOf(await logIn({ name: "alice", password: "before-the-move" }));
  const path = `/v3/users/${id}/application_credentials`;
  const secret = "secret-of-alice";
  const response = await send("POST", path, ownToken, { application_credential: { name: "ci", secret } });
  const body = (await response.json()) as { application_credential: { id: string } };
  return { projectId, credential: { id: body.application_credential.id, secret } };
}

/** Runs the commands of a place. @returns What they printed. @throws One failed. */
async function type(place: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { exit, output, errors } = await run(place, env);
  if (exit !== 0) throw new Error(`${place}\n${output}${errors}`);
  return output;
}

async function run(place: string, env: Readonly<Record<string, string>> = {}): Promise<ProgramEnd> {
  const lines = linesFor(guide, place);
  if (lines === "") throw new Error(`the guide has no commands ${place}`);
  return runProgram(["/bin/bash", "-euc", lines], {
    env: { ...environment(), ...env, PATH: `${folder}/bin:/usr/bin:/bin` },
  });
}

/** What the guide sets, and where this machine's database is. */
function environment(): Record<string, string> {
  const lines = linesFor(guide, "environment").trim().split("\n");
  return {
    ...Object.fromEntries(lines.map((line) => line.replace("export ", "").split("=") as [string, string])),
    IDENTITY_DATABASE_URL: own.url,
    IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
  };
}

async function startHere(): Promise<void> {
  service = await startService({ databaseUrl: own.url, folder, port: ports.service, env: environment() });
}

async function stopHere(): Promise<void> {
  await service?.stop();
  service = undefined;
}

async function makeCommand(name: string, line: string): Promise<void> {
  await mkdir(join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "bin", name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

/** With the files of the guide, in a process of the test's own. */
async function startProxy(): Promise<void> {
  for (const name of ["identity.conf", "identity-upstream.conf"])
    await writeFile(join(folder, name), fileOf(guide, name));
  await writeFile(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 1;
user root; events {} http { access_log off; include ${folder}/identity.conf; }`,
  );
  proxy = spawn("/usr/sbin/nginx", [
    "-e",
    `${folder}/error.log`,
    "-p",
    folder,
    "-c",
    join(folder, "nginx.conf"),
  ]);
  for (let tries = 0; tries < 200; tries++) {
    const isReady = await fetch(`${url}/v3`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    if (proxy.exitCode !== null) break;
    await delay(50);
  }
  throw new Error("no proxy");
}

function send(method: string, path: string, token: string, body?: unknown): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...(token !== "" && { "X-Auth-Token": token }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function namesOf(collection: string, token: string): Promise<string[]> {
  const body = (await (await send("GET", `/v3/${collection}`, token)).json()) as Record<
    string,
    { name: string }[]
  >;
  return (body[collection] ?? []).map(({ name }) => name).toSorted();
}

/** The administrator's login is for the system. */
function logIn(user: { readonly name: string; readonly password: string }): Promise<Response> {
  const identity = { methods: ["password"], password: { user: { ...user, domain: { id: "default" } } } };
  const scope = user.name === "admin" && { scope: { system: { all: true } } };
  return send("POST", "/v3/auth/tokens", "", { auth: { identity, ...scope } });
}

function logInBy(credential: { readonly id: string; readonly secret: string }): Promise<Response> {
  const identity = { methods: ["application_credential"], application_credential: credential };
  return send("POST", "/v3/auth/tokens", "", { auth: { identity } });
}

async function tokenOf(response: Response): Promise<string> {
  await response.text();
  const token = response.headers.get("x-subject-token");
  if (token === null) throw new Error(`no token: ${response.status}`);
  return token;
}
