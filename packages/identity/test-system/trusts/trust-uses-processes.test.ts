/** The remaining uses of a trust, taken by several processes on one database. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases } from "../../test/databases.js";
import type { TestDatabase } from "../../test/databases.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../service-process.js";

const PROCESSES = 3;
const TRIALS = 10;
const USES = 4;
const LOGINS = 15;

const SYSTEM = { system: { all: true } };

describe.each([sqliteDatabases, postgresDatabases])(
  "the uses of a trust by processes on $name",
  (databases) => {
    let folder: string;
    let place: TestDatabase;
    let processes: ServiceProcess[];
    let admin = "";
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      place = await databases.create();
      processes = [];
      // The first one migrates the database.
      while (processes.length < PROCESSES)
        processes.push(await startService({ databaseUrl: place.url, folder }));
      const named = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
      admin = (await logIn(0, named, SYSTEM)).token;
    }, 120_000);
    afterAll(async () => {
      for (const each of processes) await each.stop();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    });

    async function send(
      index: number,
      method: string,
      path: string,
      { token = admin, body }: { token?: string; body?: object } = {},
    ) {
      const answer = await fetch(`${processes[index % PROCESSES]?.url}${path}`, {
        method,
        headers: { "content-type": "application/json", ...(token !== "" && { "x-auth-token": token }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        token: answer.headers.get("x-subject-token") ?? "",
        // JSON of any shape.
        body: text === "" ? undefined : JSON.parse(text),
      };
    }

    const logIn = (index: number, user: object, scope: object) =>
      send(index, "POST", "/v3/auth/tokens", {
        token: "",
        body: { auth: { identity: { methods: ["password"], password: { user } }, scope } },
      });
    const byToken = (index: number, id: string, scope: object) =>
      send(index, "POST", "/v3/auth/tokens", {
        token: "",
        body: { auth: { identity: { methods: ["token"], token: { id } }, scope } },
      });

    it("are exact", async () => {
      const [trustor] = (await send(0, "GET", "/v3/users?name=admin")).body.users;
      const [project] = (await send(0, "GET", "/v3/projects?name=admin")).body.projects;
      const trustee = { name: "trustee", password: "a password", domain_id: "default" };
      const { id } = (await send(0, "POST", "/v3/users", { body: { user: trustee } })).body.user;
      const scoped = await byToken(0, admin, { project: { id: project.id } });
      const proof = await logIn(0, { id, password: "a password" }, "unscoped" as never);
      expect(proof.status).toBe(201);
      for (let trial = 0; trial < TRIALS; trial += 1) {
        const trust = {
          trustor_user_id: trustor.id,
          trustee_user_id: id,
          impersonation: trial % 2 === 0,
          project_id: project.id,
          roles: [{ name: "reader" }],
          remaining_uses: USES,
        };
        const made = await send(trial, "POST", "/v3/OS-TRUST/trusts", {
          token: scoped.token,
          body: { trust },
        });
        expect(made.status).toBe(201);
        const scope = { "OS-TRUST:trust": { id: made.body.trust.id } };
        const logins = await Promise.all(
          Array.from({ length: LOGINS }, (_, index) => byToken(index, proof.token, scope)),
        );
        expect(logins.filter(({ status }) => status === 201)).toHaveLength(USES);
        expect(logins.filter(({ status }) => status === 401)).toHaveLength(LOGINS - USES);
        // The last use ends the tokens, at every process.
        for (const { token } of logins.filter(({ status }) => status === 201))
          for (let index = 0; index < PROCESSES; index += 1)
            await expect
              .poll(async () => (await send(index, "GET", "/v3/auth/projects", { token })).status, {
                timeout: 2000,
              })
              .toBe(401);
      }
    }, 120_000);
  },
);
