/** Runs the commands of docs/identity/scim.md by curl at one of two processes on PostgreSQL; the other one sees their effect. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, type TestDatabase } from "../../../test/databases.js";
import { asForwarded, asserted, AUTH, ENV, NAMED } from "../../../test/federation/login-server.js";
import { runProgram } from "../../run-program.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../../service-process.js";
import { readGuide, type Block } from "../keystone/guide.js";

let folder: string;
let database: TestDatabase;
let first: ServiceProcess;
let second: ServiceProcess;
let guide: readonly Block[];
/** What stands for the words in capitals. */
const values: Record<string, string> = { IDP: "idp" };
const followed = new Set<string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-scim-"));
  database = await postgresDatabases.create();
  const start = () => startService({ databaseUrl: database.url, folder, env: ENV });
  first = await start();
  second = await start();
  guide = readGuide("scim.md", { "https://id.example.org": first.url });
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const identity = { methods: ["password"], password: { user } };
  const scope = { system: { all: true } };
  const { headers } = await ask("POST", "/v3/auth/tokens", { auth: { identity, scope } });
  values["TOKEN"] = headers.get("x-subject-token") ?? "";
  const provider = { enabled: true, remote_ids: ["https://idp.example.org"] };
  const federation = "/v3/OS-FEDERATION";
  await ask("PUT", `${federation}/identity_providers/idp`, { identity_provider: provider });
  await ask("PUT", `${federation}/mappings/people`, { mapping: { rules: [NAMED] } });
  const protocol = { mapping_id: "people" };
  await ask("PUT", `${federation}/identity_providers/idp/protocols/mapped`, { protocol });
});

afterAll(async () => {
  await Promise.all([first, second].map((each) => each.stop()));
  await database.remove();
  await rm(folder, { recursive: true });
});

function ask(method: string, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json", "x-auth-token": values["TOKEN"] ?? "" };
  return fetch(`${first.url}${path}`, { method, headers, body: JSON.stringify(body) });
}

/** Runs a block of the guide. @returns The response, if it has a body. */
// JSON of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
async function run(name: string): Promise<any> {
  const block = guide.find((each) => each.name === name);
  if (block === undefined) throw new Error(`the guide has no block ${name}`);
  followed.add(name);
  const command = block.text.replaceAll(/\b[A-Z]+(?:_ID)?\b/g, (word) => values[word] ?? word);
  const { exit, output, errors } = await runProgram(["/bin/bash", "-ec", command], {
    env: { NO_PROXY: "127.0.0.1" },
  });
  expect([exit, errors]).toEqual([0, ""]);
  return output === "" ? undefined : (JSON.parse(output) as unknown);
}

const logIn = ({ url }: ServiceProcess, name: string) =>
  fetch(`${url}${AUTH}`, { headers: asForwarded(asserted(name)) });

async function statusOf(token: string, { url }: ServiceProcess): Promise<number> {
  const headers = { "x-auth-token": values["TOKEN"] ?? "", "x-subject-token": token };
  return (await fetch(`${url}/v3/auth/tokens`, { headers })).status;
}

describe("the guide to SCIM", () => {
  it("turns SCIM on, and makes a secret", async () => {
    expect((await run("turn-on")).identity_provider).toMatchObject({ scim_unique_id: "userName" });
    const { scim_secret: made } = await run("create-secret");
    values["SECRET"] = made.secret;
    expect(await run("check")).toMatchObject({ patch: { supported: true }, bulk: { supported: false } });
  });

  it("replaces a secret", async () => {
    const { scim_secret: other } = await run("create-secret");
    values["SECRET_ID"] = other.id;
    expect((await run("list-secrets")).scim_secrets).toHaveLength(2);
    expect(await run("delete-secret")).toBeUndefined();
    expect((await run("list-secrets")).scim_secrets).toHaveLength(1);
  });

  it("has Entra ID push a user and a group", async () => {
    expect(await run("entra-test")).toMatchObject({ totalResults: 0 });
    const user = await run("entra-user");
    values["USER_ID"] = user.id;
    values["GROUP_ID"] = (await run("entra-group")).id;
    expect(await run("entra-member")).toBeUndefined();
    const members = await fetch(`${second.url}/v3/groups/${values["GROUP_ID"]}/users`, {
      headers: { "x-auth-token": values["TOKEN"] ?? "" },
    });
    expect(await members.json()).toMatchObject({ users: [{ id: user.id, name: "anna@example.org" }] });
  });

  it("has a deactivated user without a valid token on every process", async () => {
    const tokens: string[] = [];
    for (const each of [first, second]) {
      const { status, headers } = await logIn(each, "anna@example.org");
      expect(status).toBe(201);
      tokens.push(headers.get("x-subject-token") ?? "");
    }
    const every = () =>
      Promise.all(tokens.flatMap((token) => [first, second].map((each) => statusOf(token, each))));
    expect(await every()).toEqual([200, 200, 200, 200]);
    expect(await run("entra-deactivate")).toMatchObject({ active: false });
    await expect.poll(every).toEqual([404, 404, 404, 404]);
    for (const each of [first, second]) expect((await logIn(each, "anna@example.org")).status).toBe(401);
  });

  it("has Okta push a user, and deactivate it", async () => {
    expect(await run("okta-find")).toMatchObject({ totalResults: 0 });
    const user = await run("okta-user");
    values["USER_ID"] = user.id;
    expect(await run("okta-find")).toMatchObject({ totalResults: 1, Resources: [{ id: user.id }] });
    expect(await run("okta-deactivate")).toMatchObject({ active: false });
  });

  it("has no other command", () => {
    expect(followed).toEqual(new Set(guide.map(({ name }) => name)));
  });
});
