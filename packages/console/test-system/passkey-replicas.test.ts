/** Passkeys where two replicas on one PostgreSQL answer a browser's requests in turns. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as ask, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startChromium } from "../../hamkit/test-system/chromium.js";
import { freePort } from "../../identity/test-system/free-port.js";
import {
  ADMIN_PASSWORD,
  startService,
  type ServiceProcess,
} from "../../identity/test-system/service-process.js";
import { postgresDatabases } from "../../identity/test/databases.js";
import { signIn } from "./console-browser.js";
import { addPasskey, withAuthenticator, type Credential } from "./virtual-authenticator.js";

/** A request that changes something, and which replica answered it. */
interface Passed {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly replica: number;
}

const passed: Passed[] = [];
const replicas: ServiceProcess[] = [];
const ends: (() => unknown)[] = [];
let url: string;
let browser: Browser;

beforeAll(async () => {
  const database = await postgresDatabases.create();
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  ends.push(
    () => database.remove(),
    () => rm(folder, { recursive: true }),
  );
  const port = await freePort();
  url = `http://localhost:${port}`;
  browser = await startChromium();
  ends.push(() => browser.close());
  const env = { IDENTITY_PUBLIC_URL: url, IDENTITY_LOG_LEVEL: "info" };
  for (const _ of [0, 1]) {
    const replica = await startService({ databaseUrl: database.url, folder, env });
    replicas.push(replica);
    ends.push(() => replica.stop());
  }
  const balancer = await balance(port);
  ends.push(() => balancer.close());
}, 60_000);
afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Sends a request to a replica, as if it had come to the address of both. */
function send(replica: number, { method, path, headers, body }: Omit<Passed, "replica">) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const options = { port: replicas[replica]?.port, method, path, headers };
    const sent = ask("http://127.0.0.1", options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Answers by the replicas in turns, those that change something in turns of their own. */
async function balance(port: number) {
  const turns = { reads: 0, changes: 0 };
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "GET", url: path = "/", headers } = request;
      const isChange = method !== "GET";
      const replica = (isChange ? turns.changes++ : turns.reads++) % replicas.length;
      const given = { method, path, headers, body: await text(request) };
      if (isChange) passed.push({ ...given, replica });
      const answer = await send(replica, given);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "localhost", resolve));
  return {
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The last change of a path. */
function lastTo(path: RegExp): Passed {
  const found = passed.findLast((each) => path.test(each.path));
  if (found === undefined) throw new Error(`no request to ${String(path)}`);
  return found;
}

/** The statuses of a request that is sent again, to one replica and to the other. */
async function replayed(request: Passed): Promise<number[]> {
  const statuses: number[] = [];
  for (const replica of [0, 1]) statuses.push((await send(replica, request)).status);
  return statuses;
}

it("are registered and sign in across replicas, and neither takes a challenge a second time", async () => {
  const open = async (credential?: Credential) =>
    withAuthenticator({ page: await browser.newPage(), faults: [] }, credential);
  const first = await open();
  await signIn(first, url, { path: "/console/account/passkeys", name: "admin", password: ADMIN_PASSWORD });
  await addPasskey(first.page, "laptop");
  const registration = lastTo(/\/passkeys$/);
  expect(registration.replica).not.toBe(lastTo(/\/passkeys\/options$/).replica);

  const fresh = await first.credential();
  const next = await open(fresh);
  await next.page.goto(`${url}/console/account/passkeys`);
  await next.page.getByRole("button", { name: "Use a passkey" }).click();
  await next.page.getByRole("link", { name: "admin" }).waitFor();
  const login = lastTo(/\/session$/);
  expect(login.body).toContain("webauthn");
  expect(login.replica).not.toBe(lastTo(/\/webauthn\/options$/).replica);

  expect(await replayed(login)).toEqual([401, 401]);
  for (const replica of replicas) await expect.poll(() => replica.output()).toContain("passkey-replayed");
  expect(await replayed(registration)).toEqual([400, 400]);
  await next.page.reload();
  await next.page.getByRole("listitem").filter({ hasText: "laptop" }).waitFor();
  expect(await next.page.getByRole("listitem").filter({ hasText: "laptop" }).count()).toBe(1);

  // A copy of the authenticator from before these logins, whose counter has not risen.
  const copy = await open(fresh);
  await copy.page.goto(`${url}/console`);
  await copy.page.getByRole("button", { name: "Use a passkey" }).click();
  await copy.page.getByText("No account accepts this passkey").waitFor();
});
