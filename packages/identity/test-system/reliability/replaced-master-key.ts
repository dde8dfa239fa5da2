/** Replaces the master key of a running service while users log in by all methods: once for each change, in all ways in rehearsals. */
import { copyFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createHmac, randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { signatureV2 } from "../../src/credentials/signatures/ec2-signature.js";
import type { TestDatabase, TestDatabases } from "../../test/databases.js";
import { createBrowser } from "../../test/federation/openid/test-browser.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../test/federation/openid/test-provider.js";
import { MAIN, runCommand } from "../run-command.js";
import { freePort } from "../free-port.js";
import { runProgram } from "../run-program.js";
import { startService, type ServiceProcess } from "../service-process.js";
import { adminClient, type AdminClient } from "./admin-client.js";

const PROTOCOL = "/v3/OS-FEDERATION/identity_providers/op/protocols/openid";
/** Secrets that a process reads when they are used. */
const OF_USERS = new Set(["an EC2 key", "a one-time secret"]);
/** At once, so that several workers get some of the connections. */
const TURNS = 8;

/** How the next key comes into the file. */
export type Way = "rename" | "in place" | "SIGHUP";

export interface Replacement {
  readonly databases: TestDatabases;
  readonly workers: number;
  /** In turn. */
  readonly ways: readonly Way[];
}

/** Declares the tests. */
export function testReplacement({ databases, workers, ways }: Replacement): void {
  let place: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  let service: ServiceProcess;
  let op: TestProvider;
  let client: AdminClient;
  let consumer: { id: string; secret: string };
  let key: { access: string; secret: string };
  let totp: string;

  beforeAll(async () => {
    place = await databases.create();
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    op = await startProvider(`${url}${PROTOCOL}/auth`);
    env = { IDENTITY_DATABASE_URL: place.url, IDENTITY_MASTER_KEY_FILE: join(folder, "master.key") };
    const more = { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_WORKERS: String(workers) };
    service = await startService({ databaseUrl: place.url, folder, port, env: more });
    client = await adminClient(url);
    await setUp();
  });
  afterAll(async () => {
    await service.stop();
    await op.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function made(method: string, path: string, body?: object) {
    const answer = await client.ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    // JSON of any shape.
    // oxlint-disable-next-line typescript/no-unsafe-return
    return answer.body;
  }

  async function setUp(): Promise<void> {
    const provider = PROTOCOL.replace("/protocols/openid", "");
    const rules = [{ remote: [{ type: "REMOTE_USER" }], local: [{ user: { name: "{0}" } }] }];
    await made("PUT", "/v3/OS-FEDERATION/mappings/op", { mapping: { rules } });
    await made("PUT", provider, { identity_provider: { enabled: true, remote_ids: [op.issuer] } });
    const settings = { type: "openid", issuer: op.issuer, client_id: CLIENT_ID, audiences: [AUDIENCE] };
    await made("PUT", PROTOCOL, {
      protocol: { mapping_id: "op", settings: { ...settings, client_secret: CLIENT_SECRET } },
    });
    const { users } = await made("GET", "/v3/users?name=admin");
    const id = users[0].id as string;
    const { projects } = await made("GET", "/v3/projects?name=admin");
    const ec2 = { tenant_id: projects[0].id as string };
    ({ credential: key } = await made("POST", `/v3/users/${id}/credentials/OS-EC2`, ec2));
    const otp = { user_id: id, type: "totp", blob: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };
    totp = (await made("POST", "/v3/credentials", { credential: otp })).credential.id as string;
    ({ consumer } = await made("POST", "/v3/OS-OAUTH1/consumers", { consumer: {} }));
  }

  /** With a connection of its own. */
  async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        connection: "close",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "manual",
    });
    return { status: answer.status, text: await answer.text() };
  }
  const asAdmin = (method: string, path: string, body?: object) =>
    ask(method, path, { "x-auth-token": client.token }, body);

  /** Each uses a stored secret. */
  const USES: Readonly<Record<string, () => Promise<number>>> = {
    "a token": async () => (await asAdmin("GET", "/v3/auth/projects")).status,
    "a code of the provider": async () => {
      const browser = createBrowser();
      const goal = `${service.url}${PROTOCOL}/auth?`;
      const back = await browser.follow(`${service.url}${PROTOCOL}/auth`, goal);
      const cookie = browser.cookiesFor(back.href);
      return (await ask("GET", back.pathname + back.search, { cookie })).status;
    },
    "an access token of the provider": async () => {
      const exp = Math.floor(Date.now() / 1000) + 60;
      const claims = { iss: op.issuer, sub: "kim", aud: AUDIENCE, exp, scope: "a" };
      const authorization = `Bearer ${await op.keys.sign(claims)}`;
      return (await ask("POST", `${PROTOCOL}/auth`, { authorization })).status;
    },
    "an EC2 key": async () => {
      const request = { verb: "GET", host: "nova.example.com", path: "/" };
      const params = {
        AWSAccessKeyId: key.access,
        SignatureVersion: "2",
        Timestamp: new Date().toISOString(),
      };
      const signature = signatureV2({ ...request, parameters: new Map(Object.entries(params)) }, key.secret);
      const signed = { access: key.access, signature, ...request, params, headers: {} };
      return (await asAdmin("POST", "/v3/ec2tokens", { credentials: signed })).status;
    },
    "a one-time secret": async () => (await asAdmin("GET", `/v3/credentials/${totp}`)).status,
    "a consumer of OAuth 1.0a": async () => {
      const { projects } = (await client.ask("GET", "/v3/projects?name=admin")).body;
      const values: Record<string, string> = {
        oauth_callback: "oob",
        oauth_consumer_key: consumer.id,
        oauth_nonce: randomBytes(8).toString("hex"),
        oauth_signature_method: "HMAC-SHA1",
        oauth_timestamp: String(Math.floor(Date.now() / 1000)),
        oauth_version: "1.0",
      };
      const path = "/v3/OS-OAUTH1/request_token";
      const pairs = Object.entries(values).map((pair) => pair.join("="));
      const base = ["POST", service.url + path, pairs.join("&")].map(encodeURIComponent).join("&");
      const signature = createHmac("sha1", `${consumer.secret}&`).update(base).digest("base64");
      const header = Object.entries({ ...values, oauth_signature: encodeURIComponent(signature) });
      return (
        await ask("POST", path, {
          authorization: `OAuth ${header.map(([name, value]) => `${name}="${value}"`).join(", ")}`,
          "requested-project-id": projects[0].id as string,
        })
      ).status;
    },
    "SAML metadata": async () => (await ask("GET", "/v3/OS-FEDERATION/saml2/metadata")).status,
  };

  /** Storing a secret needs the key in force: request tokens are such. */
  async function useAll(names = Object.keys(USES)): Promise<Record<string, number[]>> {
    const found: Record<string, number[]> = {};
    for (const name of names) {
      const uses = Array.from({ length: TURNS }, async () => (await USES[name]?.()) ?? 0);
      const statuses = new Set(await Promise.all(uses));
      found[name] = [...statuses];
    }
    return found;
  }

  /** Workers with another key than the one in force: which worker takes a connection depends on which is busy, this counts all of them. */
  async function workersBehind(): Promise<number> {
    const { text } = await ask("GET", "/metrics");
    return Number(/^master_key_not_in_force (\d+)$/m.exec(text)?.[1]);
  }

  /** Of the workers that happen to take a connection. */
  async function readiness(): Promise<string[]> {
    const answers = await Promise.all(Array.from({ length: TURNS }, () => ask("GET", "/readyz")));
    const texts = new Set(
      answers.map(({ status, text }) => `${status} ${text}`.replace(/ Refused so far: .*/, "")),
    );
    return [...texts];
  }

  const reseal = (file: string) =>
    runCommand(["keys", "reseal", "--next-key-file", file], {
      ...env,
      PATH: process.env["PATH"] ?? "",
    });

  it(`goes on with what was used before, reports the state, and takes the key: ${ways.join(", ")}`, async () => {
    const file = join(folder, "master.key");
    const next = join(folder, "next.key");
    const before = await useAll();
    expect(
      Object.values(before)
        .flat()
        .filter((status) => status >= 300),
    ).toEqual([]);
    const storing = ["a consumer of OAuth 1.0a"];
    const others = Object.keys(USES).filter((name) => !storing.includes(name));
    // Which of the workers has used which secret of users is chance.
    const kept = workers === 1 ? others : others.filter((name) => !OF_USERS.has(name));
    // For up to a second one worker has the new key, with which it seals pending logins, and another has not.
    const inTurn = workers === 1 ? kept : kept.filter((name) => name !== "a code of the provider");

    for (const way of ways) {
      const statuses = new Set<number>();
      const end = new AbortController();
      const logins = (async () => {
        while (!end.signal.aborted) for (const name of inTurn) statuses.add((await USES[name]?.()) ?? 0);
      })();
      await rm(next, { force: true });
      await reseal(next);
      await expect.poll(workersBehind).toBe(workers);
      await expect
        .poll(readiness)
        .toEqual([expect.stringMatching(/^200 Master key \w+ of this process is not in force/)]);
      for (const [name, found] of Object.entries(await useAll(kept)))
        expect({ way, name, found }).toEqual({ way, name, found: before[name] });
      expect((await useAll(storing))[storing[0] ?? ""]).toEqual([503]);
      const doctor = await runProgram([process.execPath, MAIN, "doctor"], {
        env: { ...env, IDENTITY_PUBLIC_URL: service.url },
      });
      expect(doctor.output + doctor.errors).toMatch(/is not in force/);

      // A wrong file changes nothing but the report.
      await copyFile(file, join(folder, "former.key"));
      await writeFile(file, randomBytes(32).toString("base64"));
      await expect.poll(readiness).toEqual([expect.stringMatching(/not in force.*\n.*a restart would fail/)]);
      if (way === "rename") await rename(next, file);
      else await copyFile(next, file);
      if (way === "SIGHUP") process.kill(service.pid, "SIGHUP");
      await expect.poll(workersBehind).toBe(0);
      await expect.poll(readiness).toEqual(["200 "]);
      expect(await useAll()).toEqual(before);
      end.abort();
      expect(await logins).toBeUndefined();
      expect([...statuses].filter((status) => status >= 300)).toEqual([]);
    }
  }, 120_000);

  it("fails no login if the next key waits beside the former one", async () => {
    const staged = join(folder, "master.key.next");
    await writeFile(staged, randomBytes(32).toString("base64"), { mode: 0o600 });
    // Longer than the files are read again.
    await delay(2500);
    const others = Object.keys(USES).filter((name) => name !== "a consumer of OAuth 1.0a");
    const statuses = new Set<number>();
    const use = async () => {
      for (const found of Object.values(await useAll(others)))
        for (const status of found) statuses.add(status);
    };
    await Promise.all([use(), reseal(staged), use()]);
    await use();
    await expect
      .poll(readiness)
      .toEqual([expect.stringMatching(/^200 The master key file .* a restart would fail/)]);
    await use();
    await rename(staged, join(folder, "master.key"));
    await expect.poll(readiness).toEqual(["200 "]);
    await use();
    expect([...statuses].filter((status) => status >= 300)).toEqual([]);
  }, 120_000);
}
