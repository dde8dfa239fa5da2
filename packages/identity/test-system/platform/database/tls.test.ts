/** TLS, SCRAM and client certificates at PostgreSQL, by the parameters of its address. */
import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { messageOf } from "../../../src/platform/errors.js";
import { makeCertificate, type Certificate } from "../../certificates.js";
import { startPostgres, type PostgresServer } from "../../postgres-server.js";

const PASSWORD = "pw-of-a-role";
/** Who may log in how, the first match counts. */
const HBA = `
hostssl all bycertificate 127.0.0.1/32 cert
hostssl all bycertificate ::1/128 cert
host all byscram all scram-sha-256
host all bymd5 all md5
host all postgres all trust
`;

describe("PostgreSQL with TLS", () => {
  let plain: PostgresServer;
  let server: PostgresServer;
  let folder: string;
  let own: Certificate;
  let other: Certificate;
  let client: Certificate;
  let stranger: Certificate;
  beforeAll(async () => {
    plain = await startPostgres();
    server = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), "hamkit-tls-"));
    own = makeCertificate({ folder, name: "localhost" });
    other = makeCertificate({ folder, name: "elsewhere.example.org" });
    client = makeCertificate({ folder, name: "bycertificate" });
    stranger = makeCertificate({ folder, name: "stranger" });
    await run(server, "set password_encryption = 'md5'", `create role bymd5 login password '${PASSWORD}'`);
    await run(
      server,
      "set password_encryption = 'scram-sha-256'",
      `create role byscram login password '${PASSWORD}'`,
      "create role bycertificate login",
    );
    const [{ hba_file: hba } = {}] = await run(server, "show hba_file");
    writeFileSync(String(hba), HBA);
    await useCertificate(own);
  });
  afterAll(() => {
    server.remove();
    plain.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Has the server show this certificate to connections that come. */
  async function useCertificate({ cert, key }: Certificate): Promise<void> {
    const [{ data_directory: data } = {}] = await run(server, "show data_directory");
    for (const [from, name] of [
      [cert, "server.pem"],
      [key, "server.key"],
      [client.cert, "clients.pem"],
    ] as const) {
      const path = join(String(data), name);
      copyFileSync(from, path);
      chownSync(path, statSync(String(data)).uid, -1);
    }
    await run(
      server,
      "alter system set ssl_cert_file = 'server.pem'",
      "alter system set ssl_key_file = 'server.key'",
      "alter system set ssl_ca_file = 'clients.pem'",
      "alter system set ssl = on",
      "select pg_reload_conf()",
    );
    // The server reloads when it gets to it.
    const trusting = at(server, `sslmode=verify-ca&sslrootcert=${cert}`);
    for (let tries = 0; tries < 100; tries++) {
      if ((await encryptionOf(trusting).catch(() => undefined)) !== undefined) return;
      await delay(50);
    }
    throw new Error("the server does not use the certificate");
  }

  const at = ({ url }: PostgresServer, parameters: string, user = "postgres") =>
    `postgres://${user}@localhost:${new URL(url).port}/postgres?${parameters}`;

  async function encryptionOf(url: string): Promise<unknown> {
    const database = openDatabase(url);
    try {
      const { rows } = await sql`
        select usename::text as user, ssl from pg_stat_ssl join pg_stat_activity using (pid)
        where pid = pg_backend_pid()`.execute(database.tables());
      return rows[0];
    } finally {
      await database.close();
    }
  }

  async function failureAt(url: string): Promise<string> {
    const failure = await encryptionOf(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    return messageOf(failure);
  }

  it.each([
    ["", false],
    ["sslmode=disable", false],
    ["sslmode=prefer", true],
    ["sslmode=require", true],
  ])("encrypts as sslmode requires: %s", async (parameters, ssl) => {
    expect(await encryptionOf(at(server, parameters))).toMatchObject({ ssl });
  });

  it("is used without TLS by sslmode=prefer alone if it has none", async () => {
    expect(await encryptionOf(at(plain, "sslmode=prefer"))).toMatchObject({ ssl: false });
    expect(await failureAt(at(plain, "sslmode=require"))).toContain("does not support SSL");
  });

  it("is verified by its authority, and by its name with verify-full", async () => {
    const trusting = ({ cert }: Certificate, mode: string) =>
      at(server, `sslmode=${mode}&sslrootcert=${cert}`);
    for (const mode of ["require", "verify-ca", "verify-full"]) {
      expect(await encryptionOf(trusting(own, mode))).toMatchObject({ ssl: true });
      expect(await failureAt(trusting(other, mode))).toMatch(/self-signed certificate/);
    }
    expect(await failureAt(at(server, "sslmode=verify-full"))).toMatch(/self-signed certificate/);
    await useCertificate(other);
    onTestFinished(() => useCertificate(own));
    expect(await encryptionOf(trusting(other, "verify-ca"))).toMatchObject({ ssl: true });
    expect(await failureAt(trusting(other, "verify-full"))).toMatch(/does not match certificate/);
  });

  it("is trusted with a renewed root certificate without a restart", async () => {
    const root = join(folder, "root.pem");
    copyFileSync(own.cert, root);
    const database = openDatabase(at(server, `sslmode=verify-ca&sslrootcert=${root}`));
    onTestFinished(() => database.close());
    await database.ping();
    await useCertificate(other);
    onTestFinished(() => useCertificate(own));
    copyFileSync(other.cert, root);
    await run(server, "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    await expect.poll(() => database.ping().then(() => "up", String)).toBe("up");
  });

  it("proves by SCRAM that no one is in between, where channel_binding requires it", async () => {
    const scram = (parameters: string, password = PASSWORD) => at(server, parameters, `byscram:${password}`);
    const bound = "sslmode=require&channel_binding=require";
    expect(await encryptionOf(scram(bound))).toMatchObject({ user: "byscram", ssl: true });
    expect(await encryptionOf(scram("sslmode=require&channel_binding=disable"))).toMatchObject({ ssl: true });
    expect(await encryptionOf(scram("sslmode=disable"))).toMatchObject({ ssl: false });
    expect(await failureAt(scram(bound, "wrong"))).toContain("password authentication failed");
    // Neither a password of another kind nor none at all proves anything.
    const refusal = "does not offer SCRAM-SHA-256-PLUS";
    expect(await failureAt(at(server, bound, `bymd5:${PASSWORD}`))).toContain(refusal);
    expect(await failureAt(at(server, bound))).toContain(refusal);
    expect(await encryptionOf(at(server, "sslmode=require", `bymd5:${PASSWORD}`))).toMatchObject({
      ssl: true,
    });
  });

  it("authenticates by a client certificate", async () => {
    const showing = ({ cert, key }: Certificate) =>
      at(server, `sslmode=require&sslcert=${cert}&sslkey=${key}`, "bycertificate");
    expect(await encryptionOf(showing(client))).toMatchObject({ user: "bycertificate", ssl: true });
    await failureAt(showing(stranger));
    await failureAt(at(server, "sslmode=require", "bycertificate"));
  });

  it("is unavailable, and the file is named, where one can't be read", async () => {
    const missing = `sslmode=verify-ca&sslrootcert=${join(folder, "missing.pem")}`;
    expect(await failureAt(at(server, missing))).toMatch(/sslrootcert: ENOENT.*missing\.pem/);
  });
});

async function run({ url }: PostgresServer, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}
