/** The service in process, with receivers of its events that a test looks into. */
import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { vi } from "vitest";

import type { App } from "../../src/app.js";
import type { TestDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicasOptions } from "../test-app.js";

/** An event as the file has it. */
export interface ShownEvent {
  readonly id: string;
  readonly type: string;
  readonly outcome: string;
  readonly resource?: { readonly id: string };
  readonly initiator?: { readonly user_name?: string; readonly request_id: string };
  readonly [member: string]: unknown;
}

export interface AskOptions {
  readonly body?: object;
  readonly token?: string;
  readonly replica?: number;
}

/** @param count Replicas. */
export async function eventService(
  databases: TestDatabases,
  count: number,
  options: TestReplicasOptions = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-events-"));
  const file = join(folder, "events.jsonl");
  const env = { IDENTITY_EVENTS_FILE: file, ...options.env };
  const replicas = await testReplicas(databases, count, { ...options, env });

  async function ask(method: string, path: string, { body, token = admin, replica = 0 }: AskOptions = {}) {
    const app = replicas.apps[replica] as App;
    const headers = { "x-auth-token": token, "user-agent": "test/1" };
    const response = await app.server.inject({
      method: method as "GET",
      url: `/v3${path}`,
      headers,
      ...(body !== undefined && { body }),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.body === "" ? undefined : response.json(),
    };
  }

  const logIn = (name: string, password: string, scope: object | string = "unscoped") => ({
    auth: {
      identity: {
        methods: ["password"],
        password: { user: { name, domain: { id: "default" }, password } },
      },
      scope,
    },
  });
  let admin = "";
  const { headers } = await ask("POST", "/auth/tokens", {
    body: logIn("admin", ADMIN_PASSWORD, { system: { all: true } }),
  });
  admin = String(headers["x-subject-token"]);

  const text = () => readFile(file, "utf8").catch(() => "");
  const events = async () =>
    (await text())
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as ShownEvent);
  return {
    replicas,
    file,
    ask,
    logIn,
    text,
    /** All events once there are so many, or more. */
    eventsOnce: (total: number) =>
      vi.waitFor(
        async () => {
          const found = await events();
          if (found.length < total) throw new Error(`${found.length} events of ${total}`);
          return found;
        },
        { timeout: 15_000, interval: 20 },
      ),
    async remove() {
      await replicas.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface PostedBatch {
  readonly events: readonly ShownEvent[];
  /** Whether the signature is right. */
  readonly isSigned: boolean;
}

/** A webhook that answers with these statuses, then with 204. */
export async function startWebhook(secret: string, statuses: number[] = []) {
  const batches: PostedBatch[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const given = String(request.headers["x-identity-signature"]);
      const [, time = "", signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(given) ?? [];
      const right = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
      const status = statuses.shift() ?? 204;
      if (status === 204)
        batches.push({ ...(JSON.parse(body) as PostedBatch), isSigned: signature === right });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/events`, batches, close: () => server.close() };
}
