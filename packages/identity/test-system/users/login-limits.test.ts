/**
 * Logins by password over HTTP, at real processes, while other clients guess. Clients have addresses in 127.0.0.0/8, or that a
 * trusted proxy forwards.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { postgresDatabases, sqliteDatabases, type TestDatabase } from "../../test/databases.js";
import { ADMIN_PASSWORD, startService, type ServiceProcess } from "../service-process.js";

const LAYOUTS = [
  { name: "two workers", databases: sqliteDatabases, services: 1, workers: 2 },
  { name: "two replicas", databases: postgresDatabases, services: 2, workers: 1 },
] as const;

const DASHBOARD = "127.0.80.1";
const PROXY = "127.0.90.1";
/** On a busy computer. */
const PATIENCE_MS = 240_000;
/** Far below what is usual, so that guesses up to the limit take seconds. */
const ACCOUNT_FAILURES = 60;

interface Login {
  readonly from: string;
  readonly name?: string;
  readonly password?: string;
  readonly agent?: Agent;
  readonly forwardedFor?: string;
}

for (const { name, databases, services, workers } of LAYOUTS)
  describe(`logins while others guess, at ${name} on ${databases.name}`, { timeout: PATIENCE_MS }, () => {
    let place: TestDatabase;
    let folder: string;
    let running: ServiceProcess[];
    beforeAll(async () => {
      place = await databases.create();
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      running = [];
      const env = {
        IDENTITY_RATE_LIMIT: "on",
        IDENTITY_WORKERS: String(workers),
        IDENTITY_LOGIN_ACCOUNT_FAILURES: String(ACCOUNT_FAILURES),
        IDENTITY_LOGIN_DASHBOARDS: DASHBOARD,
        IDENTITY_TRUSTED_PROXIES: PROXY,
        // On a busy computer two hundred logins take longer than what operators would have clients wait.
        IDENTITY_LOGIN_WAIT: "240",
      };
      for (let service = 0; service < services; service++)
        running.push(await startService({ databaseUrl: place.url, folder, env }));
      await makeUsers(["glance", "nova", "swift", "ann", "bob", "eve", "kim", "lee"]);
    });
    afterAll(async () => {
      for (const service of running) await service.stop();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    });

    let turn = 0;
    /** At each service in turn. @returns The status. */
    const logIn = (login: Login) => post(running[turn++ % running.length] as ServiceProcess, login);

    async function makeUsers(names: readonly string[]): Promise<void> {
      const [{ url }] = running as [ServiceProcess];
      const headers = { "content-type": "application/json" };
      const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
      const identity = { methods: ["password"], password: { user } };
      const body = JSON.stringify({ auth: { identity, scope: { system: { all: true } } } });
      const answer = await fetch(`${url}/v3/auth/tokens`, { method: "POST", headers, body });
      const token = answer.headers.get("x-subject-token") ?? "";
      for (const each of names) {
        const draft = JSON.stringify({ user: { name: each, domain_id: "default", password: `pw-${each}` } });
        const init = { method: "POST", headers: { ...headers, "x-auth-token": token }, body: draft };
        expect((await fetch(`${url}/v3/users`, init)).status).toBe(201);
      }
    }

    /** Good logins over a number of connections. @returns How many had each status. */
    async function goodLogins(login: Login, { count, connections }: { count: number; connections: number }) {
      const statuses: number[] = [];
      let left = count;
      const connection = async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        while (left-- > 0) statuses.push(await logIn({ ...login, agent }));
        agent.destroy();
      };
      await Promise.all(Array.from({ length: connections }, connection));
      return tally(statuses);
    }

    /** Guesses without end from several addresses. @returns What ends it, and gives the statuses. */
    function startGuessing(addresses: readonly string[], user: string) {
      const statuses: number[] = [];
      const end = new AbortController();
      const guessing = addresses.map(async (from) => {
        while (!end.signal.aborted) {
          const status = await logIn({ from, name: user, password: "wrong" });
          statuses.push(status);
          // One that is refused comes back after a while, or it would keep the whole computer busy.
          if (status === 429) await delay(250);
        }
      });
      const stop = async () => {
        end.abort();
        await Promise.all(guessing);
        return tally(statuses);
      };
      onTestFinished(async () => void (await stop()));
      return stop;
    }

    /** Waits until each process refuses: several are asked at a time, by connections of their own. */
    const refusedEverywhere = async (login: () => Promise<number>) =>
      await expect
        .poll(async () => tally(await Promise.all(Array.from({ length: 8 }, login))), { timeout: 30_000 })
        .toEqual({ 429: 8 });

    it("200 good ones over 16 connections all succeed while another address guesses", async () => {
      const stop = startGuessing(Array<string>(8).fill("127.0.0.66"), "glance");
      const good = await goodLogins({ from: "127.0.0.10", name: "glance" }, { count: 200, connections: 16 });
      expect(good).toEqual({ 201: 200 });
      const { 401: guesses = 0, 429: refused = 0 } = await stop();
      expect(guesses).toBeGreaterThanOrEqual(10);
      expect(guesses).toBeLessThanOrEqual(services * workers * 10 + 1);
      expect(refused).toBeGreaterThan(0);
    });

    it("a hundred good ones at once all succeed, the first ones of an account", async () => {
      const good = await goodLogins({ from: "127.0.0.11", name: "nova" }, { count: 100, connections: 100 });
      expect(good).toEqual({ 201: 100 });
    });

    it("of a service that has logged in before succeed while many networks guess", async () => {
      const service = { from: "127.0.0.12", name: "swift" };
      expect(await logIn(service)).toBe(201);
      const attackers = Array.from({ length: 40 }, (_, number) => `127.0.66.${number + 1}`);
      const stop = startGuessing(attackers, "swift");
      const good = await goodLogins(service, { count: 100, connections: 16 });
      await expect.poll(() => logIn({ from: "127.0.0.99", name: "swift" }), { timeout: 30_000 }).toBe(429);
      const later = await goodLogins(service, { count: 32, connections: 32 });
      const { 401: guesses = 0 } = await stop();
      expect([good, later]).toEqual([{ 201: 100 }, { 201: 32 }]);
      // Each process may let through as many, until they have heard of each other.
      expect(guesses).toBeGreaterThanOrEqual(ACCOUNT_FAILURES);
      expect(guesses).toBeLessThanOrEqual(services * workers * ACCOUNT_FAILURES + 5);
    });

    it("ten wrong passwords from one address keep the right one out nowhere else", async () => {
      await refusedEverywhere(() => logIn({ from: "127.0.0.67", name: "ann", password: "wrong" }));
      expect(await logIn({ from: "127.0.0.67", name: "ann" })).toBe(429);
      expect(await logIn({ from: "127.0.0.13", name: "ann" })).toBe(201);
    });

    it("from one IPv6 network of 56 bits count together behind a trusted proxy", async () => {
      const by = (forwardedFor: string, password?: string) =>
        logIn({ from: PROXY, forwardedFor, name: "bob", ...(password !== undefined && { password }) });
      let guess = 0;
      await refusedEverywhere(() =>
        by(`2001:db8:0:4${(guess++ % 256).toString(16).padStart(2, "0")}::66`, "wrong"),
      );
      expect(await by("2001:db8:0:4ff::1")).toBe(429);
      expect(await by("2001:db8:0:500::1")).toBe(201);
    });

    it("behind a dashboard count per account alone", async () => {
      const wrong = { from: DASHBOARD, name: "eve", password: "wrong" };
      for (let guess = 0; guess < 25; guess++) expect(await logIn(wrong)).toBe(401);
      expect(await logIn({ from: DASHBOARD, name: "eve" })).toBe(201);
      expect(await logIn({ from: DASHBOARD, name: "kim" })).toBe(201);
    });

    it("are refused by each process for what the others have counted", async () => {
      const wrong = { from: "127.0.0.68", name: "lee", password: "wrong" };
      const statuses: number[] = [];
      // Slowly, so that processes hear of each other between two guesses. Without that each would check ten.
      while (statuses.slice(-8).join() !== "429,429,429,429,429,429,429,429" && statuses.length < 60) {
        statuses.push(await logIn(wrong));
        await delay(400);
      }
      const { 401: guesses = 0 } = tally(statuses);
      expect(guesses).toBeGreaterThanOrEqual(10);
      expect(guesses).toBeLessThan(services * workers * 10 - 2);
    });
  });

function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function post(
  { url }: ServiceProcess,
  { from, name = "", password = `pw-${name}`, agent, forwardedFor }: Login,
) {
  const user = { name, domain: { id: "default" }, password };
  const body = JSON.stringify({ auth: { identity: { methods: ["password"], password: { user } } } });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(forwardedFor !== undefined && { "x-forwarded-for": forwardedFor }),
  };
  return new Promise<number>((resolve, reject) => {
    const options = { method: "POST", headers, localAddress: from, agent: agent ?? false };
    const sent = request(`${url}/v3/auth/tokens`, options, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
