/** Logins that race against a change that revokes tokens, at real processes over HTTP. */
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { TestDatabase, TestDatabases } from "../../test/databases.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../service-process.js";

export interface RacesOptions {
  /** Settings of each process, and the programs through which they are started. */
  readonly processes: readonly {
    readonly env?: Readonly<Record<string, string>>;
    readonly through?: readonly string[];
  }[];
  /** Connections in all: workers of one process get them in turn. */
  readonly connections: number;
  /** Races for each kind of change. */
  readonly trials: number;
}

/** How long a replica may take to hear of a change. */
const PATIENCE_MS = 2000;
/** The race is over this long after the change was answered. */
const AFTERWARDS_MS = 60;

const OLD = "the old password";
const NEW = "the new password";

interface Racer {
  readonly userId: string;
  readonly projectId: string;
  readonly groupId: string;
}

interface Change {
  readonly name: string;
  make(admin: Client, racer: Racer): Promise<void>;
  /** What makes tokens good again that were not ended, once everything that was asked has been answered. */
  undo?(admin: Client, racer: Racer): Promise<void>;
  /** Whether logins by password go on; those that were answered after the change had begun may be of later. */
  readonly goesOn?: true;
  /** The password in the end. */
  readonly password: string;
}

const CHANGES: readonly Change[] = [
  {
    name: "an administrator sets another password",
    make: (admin, { userId }) => admin.patchUser(userId, { password: NEW }),
    password: NEW,
  },
  {
    name: "the user changes the password",
    make: (admin, { userId }) =>
      admin.expect(204, "POST", `/v3/users/${userId}/password`, {
        user: { original_password: OLD, password: NEW },
      }),
    password: NEW,
  },
  {
    name: "the user is disabled, and enabled again when all is over",
    make: (admin, { userId }) => admin.patchUser(userId, { enabled: false }),
    undo: (admin, { userId }) => admin.patchUser(userId, { enabled: true }),
    password: OLD,
  },
  {
    name: "the project is disabled, and enabled again when all is over",
    make: (admin, { projectId }) => admin.patchProject(projectId, { enabled: false }),
    undo: (admin, { projectId }) => admin.patchProject(projectId, { enabled: true }),
    password: OLD,
  },
  {
    name: "the user is taken out of a group",
    make: (admin, { groupId, userId }) =>
      admin.expect(204, "DELETE", `/v3/groups/${groupId}/users/${userId}`),
    goesOn: true,
    password: OLD,
  },
];

export function tokenRacesContract(databases: TestDatabases, options: RacesOptions): void {
  const { processes, connections, trials } = options;
  describe(`several processes on one ${databases.name}: of the tokens from before, rescoped ones too, none is left`, () => {
    let database: TestDatabase;
    let folder: string;
    const services: ServiceProcess[] = [];
    const clients: Client[] = [];
    beforeAll(async () => {
      database = await databases.create();
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      for (const each of processes)
        services.push(await startService({ databaseUrl: database.url, folder, ...each }));
      while (clients.length < connections)
        for (const { url } of services) clients.push(await createClient(url));
    });
    afterAll(async () => {
      for (const client of clients) client.close();
      for (const service of services) await service.stop();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    });

    it.each(CHANGES)(
      `when $name, in ${trials} races of ${trials}`,
      async (change) => {
        const admin = clients[0] as Client;
        const lost: string[] = [];
        for (let trial = 0; trial < trials; trial++) {
          const racer = await createRacer(admin);
          const tokens = await race(clients, racer, { change, startMs: (trial % 6) * 5 });
          const alive = await survivors(clients, tokens);
          if (alive > 0) lost.push(`race ${trial}: ${alive} of ${tokens.length} tokens are left`);
          await checkAfterwards(clients, racer, change.password);
        }
        expect(lost).toEqual([]);
      },
      600_000,
    );
  });
}

async function createRacer(admin: Client): Promise<Racer> {
  const name = `racer-${crypto.randomUUID()}`;
  const created = async (kind: string, attributes: object) => {
    const { status, body, text } = await admin.ask("POST", `/v3/${kind}s`, {
      [kind]: { name, ...attributes },
    });
    if (status !== 201) throw new Error(text);
    return (body as Record<string, { id: string }>)[kind]?.id ?? "";
  };
  const projectId = await created("project", { domain_id: "default" });
  const groupId = await created("group", { domain_id: "default" });
  const userId = await created("user", {
    domain_id: "default",
    password: OLD,
    default_project_id: projectId,
  });
  const { body } = await admin.ask("GET", "/v3/roles?name=member");
  const roleId = (body as { roles: { id: string }[] }).roles[0]?.id ?? "";
  await admin.expect(204, "PUT", `/v3/projects/${projectId}/users/${userId}/roles/${roleId}`);
  await admin.expect(204, "PUT", `/v3/groups/${groupId}/users/${userId}`);
  return { userId, projectId, groupId };
}

/** All tokens for the project that were had before the change and while it was made. */
async function race(
  clients: readonly Client[],
  racer: Racer,
  { change, startMs }: { readonly change: Change; readonly startMs: number },
): Promise<string[]> {
  const scope = { project: { id: racer.projectId } };
  const byPassword = { methods: ["password"], password: { user: { id: racer.userId, password: OLD } } };
  const [admin, ...racing] = clients as [Client, ...Client[]];
  const first = await admin.logIn({ identity: byPassword, scope });
  const unscoped = await admin.logIn({ identity: byPassword, scope: "unscoped" });
  if (first === undefined || unscoped === undefined) throw new Error("the user can't log in");
  const tokens = [first];
  let hasBegun = false;
  const end = new AbortController();
  const rescope = async (client: Client, from: string) => {
    const identity = { methods: ["token"], token: { id: from } };
    while (!end.signal.aborted) {
      const token = await client.logIn({ identity, scope });
      if (token !== undefined) tokens.push(token);
      else if (hasBegun) return;
    }
  };
  const logInAgain = async (client: Client) => {
    while (!end.signal.aborted) {
      const token = await client.logIn({ identity: byPassword, scope });
      if (token !== undefined && !(change.goesOn === true && hasBegun)) tokens.push(token);
      else if (hasBegun) return;
    }
  };
  const racers = racing.map((client, index) =>
    index === 1 || index === 2 ? logInAgain(client) : rescope(client, index % 4 < 2 ? first : unscoped),
  );
  await delay(startMs);
  hasBegun = true;
  await change.make(admin, racer);
  await delay(AFTERWARDS_MS);
  end.abort();
  await Promise.all(racers);
  await change.undo?.(admin, racer);
  return tokens;
}

/** How many of the tokens are still taken by any process when all of them have had time to hear of the change. */
async function survivors(clients: readonly Client[], tokens: readonly string[]): Promise<number> {
  const end = performance.now() + PATIENCE_MS;
  const alive = async (token: string) => {
    const answers = await Promise.all(clients.map((client) => client.isGood(token)));
    return answers.includes(true) ? [token] : [];
  };
  let left = [...tokens];
  for (;;) {
    const isLast = performance.now() >= end;
    const still: string[] = [];
    for (const token of left) still.push(...(await alive(token)));
    left = still;
    if (left.length === 0 || isLast) return left.length;
    await delay(20);
  }
}

/** A login of later gives a token that is good everywhere, also for another token. */
async function checkAfterwards(
  clients: readonly Client[],
  { userId, projectId }: Racer,
  password: string,
): Promise<void> {
  const identity = (given: string) => ({
    methods: ["password"],
    password: { user: { id: userId, password: given } },
  });
  const scope = { project: { id: projectId } };
  const ends = [clients.at(0), clients.at(-1)] as [Client, Client];
  for (const [client, other] of [ends, ends.toReversed()] as [Client, Client][]) {
    const token = await client.logIn({ identity: identity(password), scope });
    const taken = await Promise.all(clients.map((each) => each.isGood(token ?? "")));
    expect(taken).toEqual(clients.map(() => true));
    const rescoped = await other.logIn({ identity: { methods: ["token"], token: { id: token } }, scope });
    expect(await client.isGood(rescoped ?? "")).toBe(true);
    const byOld = await client.logIn({ identity: identity(OLD), scope });
    expect(byOld !== undefined).toBe(password === OLD);
  }
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: unknown;
  readonly token: string | undefined;
}

/** A client with one connection, which stays with the process that accepted it. */
interface Client {
  ask(method: string, path: string, body?: object): Promise<Reply>;
  /** @throws Any other status. */
  expect(status: number, method: string, path: string, body?: object): Promise<void>;
  patchUser(id: string, attributes: object): Promise<void>;
  patchProject(id: string, attributes: object): Promise<void>;
  /** The token, if there is one. */
  logIn(auth: { readonly identity: object; readonly scope: object | string }): Promise<string | undefined>;
  /** Whether the process takes a token. */
  isGood(token: string): Promise<boolean>;
  close(): void;
}

async function createClient(url: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (
    method: string,
    path: string,
    { body, headers }: { readonly body?: object | undefined; readonly headers: Record<string, string> },
  ) =>
    new Promise<Reply>((resolve, reject) => {
      const outgoing = request(url + path, { method, agent, headers, timeout: 20_000 }, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (part: string) => (text += part));
        incoming.on("end", () => {
          const token = incoming.headers["x-subject-token"];
          const isJson = String(incoming.headers["content-type"]).startsWith("application/json");
          resolve({
            status: incoming.statusCode ?? 0,
            text,
            body: isJson && text !== "" ? (JSON.parse(text) as unknown) : undefined,
            token: typeof token === "string" ? token : undefined,
          });
        });
      });
      outgoing
        .on("error", reject)
        .on("timeout", () => outgoing.destroy(new Error(`${method} ${path}: late`)));
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const logIn: Client["logIn"] = async (auth) => {
    const headers = { "content-type": "application/json" };
    const { status, token, text } = await send("POST", "/v3/auth/tokens", { body: { auth }, headers });
    if (status !== 201 && status !== 401 && status !== 404) throw new Error(`a login: ${status} ${text}`);
    return token;
  };
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const identity = { methods: ["password"], password: { user } };
  const admin = (await logIn({ identity, scope: { system: { all: true } } })) ?? "";
  const ask: Client["ask"] = (method, path, body) => {
    const headers = { "x-auth-token": admin, "content-type": "application/json" };
    return send(method, path, { body, headers });
  };
  const exactly: Client["expect"] = async (status, method, path, body) => {
    const reply = await ask(method, path, body);
    if (reply.status !== status) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  };
  return {
    ask,
    expect: exactly,
    patchUser: (id, attributes) => exactly(200, "PATCH", `/v3/users/${id}`, { user: attributes }),
    patchProject: (id, attributes) => exactly(200, "PATCH", `/v3/projects/${id}`, { project: attributes }),
    logIn,
    async isGood(token) {
      const headers = { "x-auth-token": admin, "x-subject-token": token };
      return (await send("HEAD", "/v3/auth/tokens", { headers })).status === 200;
    },
    close: () => agent.destroy(),
  };
}
