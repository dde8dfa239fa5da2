/**
 * The bound on users of workloads, with many different subjects at once at several processes of the service: it is never exceeded, not
 * for a moment, and unused users make room.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openDatabase } from "../../../src/platform/database/open-database.js";
import type { Database } from "../../../src/platform/database/database.js";
import type { TestDatabase, TestDatabases } from "../../../test/databases.js";
import { createIssuer, jobAt } from "../../../test/federation/workload/issuer.js";
import { SETTINGS } from "../../../test/federation/workload/workload-server.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../service-process.js";

export interface WorkloadBoundOptions {
  /** Settings of each process. */
  readonly processes: readonly Readonly<Record<string, string>>[];
  /** Workloads that log in for the first time. */
  readonly subjects: number;
  /** How many of them may become users. */
  readonly maxUsers: number;
  /** Logins at a time. */
  readonly connections: number;
}

interface Tables {
  readonly federated_user: { idp_id: string; last_login_at: number | null };
}

const PROVIDER = "/v3/OS-FEDERATION/identity_providers/ci";
const DAY_MS = 86_400_000;

export function workloadBoundContract(databases: TestDatabases, options: WorkloadBoundOptions): void {
  const { processes, subjects, maxUsers, connections } = options;

  describe(`the bound on users of workloads, at ${processes.length} processes on ${databases.name}`, () => {
    const issuer = createIssuer();
    let place: TestDatabase;
    let folder: string;
    let database: Database;
    let services: ServiceProcess[] = [];
    /** Of the administrator, and of a user of the first wave. */
    let admin: string;
    let early: string;
    beforeAll(async () => {
      place = await databases.create();
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      await start();
      database = openDatabase(place.url);
      ({ token: admin } = await adminClient(services[0]?.url ?? ""));
      const put = async (path: string, body: object) => {
        const headers = { "x-auth-token": admin, "content-type": "application/json" };
        const sent = { method: "PUT", headers, body: JSON.stringify(body) };
        expect((await fetch(`${services[0]?.url}${path}`, sent)).status).toBe(201);
      };
      const rules = [{ remote: [{ type: "OIDC-sub" }], local: [{ user: { name: "{0}" } }] }];
      await put("/v3/OS-FEDERATION/mappings/jobs", { mapping: { rules } });
      await put(PROVIDER, { identity_provider: { enabled: true, remote_ids: [SETTINGS.issuer] } });
      const settings = { ...SETTINGS, jwks: { keys: [issuer.jwk] }, max_users: maxUsers };
      await put(`${PROVIDER}/protocols/jobs`, { protocol: { mapping_id: "jobs", settings } });
    }, 120_000);
    afterAll(async () => {
      await stop();
      await database.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    });

    async function start(): Promise<void> {
      for (const env of processes) services.push(await startService({ databaseUrl: place.url, folder, env }));
    }

    async function stop(): Promise<void> {
      for (const service of services) await service.stop();
      services = [];
    }

    async function users(): Promise<number> {
      const { count } = await database
        .tables<Tables>()
        .selectFrom("federated_user")
        .select((eb) => eb.fn.countAll<number | string>().as("count"))
        .where("idp_id", "=", "ci")
        .executeTakeFirstOrThrow();
      return Number(count);
    }

    async function logIn(token: string, number = 0): Promise<Response> {
      const { url } = services[number % services.length] as ServiceProcess;
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}${PROVIDER}/protocols/jobs/auth`, { method: "POST", headers });
      await answer.text();
      return answer;
    }

    async function check(token: string): Promise<number> {
      const headers = { "x-auth-token": admin, "x-subject-token": token };
      return (await fetch(`${services[0]?.url}/v3/auth/tokens`, { headers })).status;
    }

    /** The number of new users, and what the services have logged if it is not the bound. */
    function outcome(created = 0): { readonly created: number; readonly errors: string } {
      if (created === maxUsers) return { created, errors: "" };
      const lines = services.flatMap((service) => service.output().split("\n"));
      const errors = lines.filter((line) => line.includes('"level":"error"'));
      return { created, errors: errors.slice(-5).join("\n") };
    }

    /** A login of each subject, many at a time at all processes. @returns How often each status came, the most users seen, and a token. */
    async function wave(name: string) {
      const statuses: Record<number, number> = {};
      let [next, most, last] = [0, 0, early];
      const end = new AbortController();
      const logInAll = async () => {
        for (let number = next++; number < subjects; number = next++) {
          const sub = `repo:octo-org/octo-repo:${name}:${number}`;
          const token = await issuer.sign(jobAt(Date.now(), { sub }));
          const { status, headers } = await logIn(token, number);
          statuses[status] = (statuses[status] ?? 0) + 1;
          last = headers.get("x-subject-token") ?? last;
        }
      };
      const watch = async () => {
        while (!end.signal.aborted) most = Math.max(most, await users());
      };
      const watching = watch();
      await Promise.all(Array.from({ length: connections }, logInAll));
      end.abort();
      await watching;
      return { statuses, most: Math.max(most, await users()), last };
    }

    it("is reached, and not exceeded for a moment", async () => {
      const { statuses, most, last } = await wave("first");
      early = last;
      expect(most).toBe(maxUsers);
      expect(await users()).toBe(maxUsers);
      expect(outcome(statuses[201])).toEqual({ created: maxUsers, errors: "" });
      // First logins at several processes wait for each other: none has to try again.
      expect(statuses).toEqual({ 201: maxUsers, 403: subjects - maxUsers });
    });

    it("makes room by the deletion of unused users, and is not exceeded by those who come", async () => {
      await stop();
      const longAgo = Date.now() - 40 * DAY_MS;
      await database.tables<Tables>().updateTable("federated_user").set({ last_login_at: longAgo }).execute();
      await start();
      expect(await check(early)).toBe(200);
      let created = 0;
      let token = "";
      // Where conflicts with logins at the other process end a search, the next logins go on with it.
      for (let number = 2; number < 7 && created < maxUsers; number += 1) {
        const { statuses, most, last } = await wave(`wave ${number}`);
        expect(most).toBeLessThanOrEqual(maxUsers);
        created += statuses[201] ?? 0;
        token = last;
      }
      expect(outcome(created)).toEqual({ created: maxUsers, errors: "" });
      expect(await users()).toBe(maxUsers);
      const oldest = await database
        .tables<Tables>()
        .selectFrom("federated_user")
        .select((eb) => eb.fn.min("last_login_at").as("at"))
        .executeTakeFirstOrThrow();
      expect(Number(oldest.at)).toBeGreaterThan(Date.now() - DAY_MS);
      expect([await check(early), await check(token)]).toEqual([404, 200]);
    });
  });
}
