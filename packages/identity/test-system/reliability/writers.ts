/** Concurrent writers, with a ledger of the writes that the service has acknowledged. */
import { setTimeout as delay } from "node:timers/promises";

import type { AdminClient, AdminResponse } from "./admin-client.js";

/** Acknowledged writes. */
export interface Ledger {
  /** Paths of things that are there, with what their answers have to contain. */
  readonly present: Map<string, object>;
  /** Paths of what was deleted. */
  readonly absent: Set<string>;
  /** Paths of grants, which answer with 204. */
  readonly grants: Set<string>;
  /** Names of users whose creation was requested, acknowledged or not. */
  readonly usersBegun: Set<string>;
  /** Every answer that was none of those that a client may expect. */
  readonly unexpected: string[];
  /** Requests by the status of their answer; 0 for none. */
  readonly counts: Map<number, number>;
}

export function emptyLedger(): Ledger {
  return {
    present: new Map(),
    absent: new Set(),
    grants: new Set(),
    usersBegun: new Set(),
    unexpected: [],
    counts: new Map(),
  };
}

/** Writers that are at work. */
export interface Writers {
  /** Waits until each writer has finished its current request. */
  stop(): Promise<void>;
}

/** Who never made a password of their own has this one. */
export const USER_PASSWORD = "pw-of-a-writer";

interface Writing {
  readonly client: AdminClient;
  readonly ledger: Ledger;
  /** For names: no two writings have the same. */
  readonly prefix: string;
  readonly roleId: string;
  /** How many write at the same time. */
  readonly writers: number;
  /** Requests of each writer; as fast as it is answered if left out. */
  readonly perSecond?: number;
}

/** Starts them. Each goes on whatever it is answered, and looks at each answer. */
export function startWriters({
  client,
  ledger,
  roleId,
  writers,
  prefix,
  perSecond = Infinity,
}: Writing): Writers {
  const stopping = new AbortController();
  const isStopped = () => stopping.signal.aborted;
  const work = Array.from({ length: writers }, async (_, writer) => {
    for (let round = 0; !isStopped(); round++)
      await writeRound({
        client,
        ledger,
        roleId,
        name: `${prefix}-${writer}-${round}`,
        intervalMs: 1000 / perSecond,
        isStopped,
      });
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(work);
    },
  };
}

interface Round extends Omit<Writing, "writers" | "prefix" | "perSecond"> {
  readonly name: string;
  /** Between the beginnings of two requests, at least. */
  readonly intervalMs: number;
  readonly isStopped: () => boolean;
}

/**
 * A project, a user in it, a role for the user, a service with its endpoint, a change, and deletions. No service is left: all are in the
 * catalog of each token, and no cloud has thousands.
 */
async function writeRound(round: Round): Promise<void> {
  const { ledger, name, roleId } = round;
  const project = await create(round, "project", { name, domain_id: "default" });
  if (project === undefined) return;
  ledger.usersBegun.add(name);
  const user = await create(round, "user", { name, default_project_id: project, password: USER_PASSWORD });
  if (user === undefined) return;
  const grant = `/v3/projects/${project}/users/${user}/roles/${roleId}`;
  if (await isDone(round, "PUT", grant)) ledger.grants.add(grant);
  const service = await create(round, "service", { name, type: "reliable" });
  if (service === undefined) return;
  const url = "http://127.0.0.1:1/";
  const endpoint = await create(round, "endpoint", { service_id: service, interface: "public", url });
  await change(round, `/v3/projects/${project}`, { project: { description: name } });
  if (endpoint !== undefined) await remove(round, `/v3/endpoints/${endpoint}`);
  await remove(round, `/v3/services/${service}`);
}

async function remove(round: Round, path: string): Promise<void> {
  // Unknown until the response.
  round.ledger.present.delete(path);
  if (await isDone(round, "DELETE", path)) round.ledger.absent.add(path);
}

async function create(round: Round, kind: string, facts: object): Promise<string | undefined> {
  const answer = await tell(round, "POST", `/v3/${kind}s`, { [kind]: facts });
  if (answer?.status !== 201) return undefined;
  const id = String(answer.body[kind].id);
  const { password: _, ...shown } = facts as { password?: string };
  round.ledger.present.set(`/v3/${kind}s/${id}`, { [kind]: shown });
  return id;
}

async function change(round: Round, path: string, body: Record<string, object>): Promise<void> {
  const before = round.ledger.present.get(path) as Record<string, object>;
  // Until the answer is there, both are right.
  round.ledger.present.set(path, {});
  const answer = await tell(round, "PATCH", path, body);
  const [kind = ""] = Object.keys(body);
  if (answer?.status === 200) round.ledger.present.set(path, { [kind]: { ...before[kind], ...body[kind] } });
}

async function isDone(round: Round, method: string, path: string): Promise<boolean> {
  return (await tell(round, method, path))?.status === 204;
}

async function tell(
  round: Round,
  method: string,
  path: string,
  body?: unknown,
): Promise<AdminResponse | undefined> {
  if (round.isStopped()) return undefined;
  const { ledger, client, intervalMs } = round;
  const begun = performance.now();
  const answer = await client.ask(method, path, body);
  ledger.counts.set(answer.status, (ledger.counts.get(answer.status) ?? 0) + 1);
  if (!isExpected(answer)) {
    const text = JSON.stringify(answer.body);
    ledger.unexpected.push(
      `${method} ${path}: ${answer.status} ${answer.headers.get("retry-after")} ${text}`,
    );
  }
  const earlyMs = begun + intervalMs - performance.now();
  if (earlyMs > 0) await delay(earlyMs);
  return answer;
}

/** Done, no answer at all, or: not now, but then. */
function isExpected({ status, headers }: AdminResponse): boolean {
  if (status === 503) return /^\d+$/.test(headers.get("retry-after") ?? "");
  return status === 0 || (status >= 200 && status < 300);
}

/** Acknowledged writes that the service does not return; none if nothing was lost. Whatever is unavailable is asked for again. */
export async function lostIn(client: AdminClient, ledger: Ledger): Promise<string[]> {
  const lost: string[] = [];
  const looks = [
    ...Array.from(ledger.present, ([path, facts]) => ({ path, status: 200, facts })),
    ...Array.from(ledger.grants, (path) => ({ path, status: 204, facts: {} })),
    ...Array.from(ledger.absent, (path) => ({ path, status: 404, facts: {} })),
  ].values();
  const lookOn = async () => {
    for (const { path, status, facts } of looks) {
      const { status: got, body } = await askUntilAvailable(client, path);
      if (got !== status || !contains(body ?? {}, facts))
        lost.push(`${path}: ${got} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, lookOn));
  return lost;
}

/** For how long what is unavailable is asked for again: a service that is not there has lost nothing yet. */
const MAX_AWAY_MS = 30_000;

async function askUntilAvailable(client: AdminClient, path: string): Promise<AdminResponse> {
  const deadline = performance.now() + MAX_AWAY_MS;
  for (;;) {
    const answer = await client.ask("GET", path);
    if ((answer.status !== 0 && answer.status !== 503) || performance.now() > deadline) return answer;
    await delay(500);
  }
}

function contains(value: unknown, facts: unknown): boolean {
  if (typeof facts !== "object" || facts === null) return value === facts;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(facts).every(([key, fact]) =>
    contains((value as Record<string, unknown>)[key], fact),
  );
}
