/** Databases of Keystones on the PostgreSQL server of the tests: a database each, since Keystone names no schema. */
import { randomUUID } from "node:crypto";

import pg from "pg";

import { onServer } from "../../../identity/test/databases.js";
import { runProgram } from "../../../identity/test-system/run-program.js";

export interface KeystoneDatabase {
  readonly url: string;
  /** As in `[database] connection`. */
  readonly connection: string;
  /** Runs statements. @returns The rows of the last one, every value as text. */
  query(statements: string): Promise<Record<string, string | null>[]>;
  /** Runs the SQL of a file, which may be a dump. */
  load(text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function createKeystoneDatabase(): Promise<KeystoneDatabase> {
  const name = `exp_${randomUUID().replaceAll("-", "")}`;
  await onServer(`create database ${name} template template0 encoding 'UTF8' locale 'C'`);
  const url = new URL(process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test");
  url.pathname = `/${name}`;
  url.search = "";
  return {
    url: url.href,
    connection: url.href.replace(/^postgres(?:ql)?:/, "postgresql+psycopg2:"),
    async query(statements) {
      const client = new pg.Client({
        connectionString: url.href,
        types: { getTypeParser: () => (text: unknown) => text },
      });
      await client.connect();
      try {
        const result = (await client.query(statements)) as unknown as pg.QueryResult<
          Record<string, string | null>
        >;
        return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
      } finally {
        await client.end();
      }
    },
    async load(text) {
      const command = ["psql", "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", `--dbname=${url.href}`];
      const { exit, errors } = await runProgram(command, { input: text });
      if (exit !== 0) throw new Error(errors);
    },
    remove: async () => void (await onServer(`drop database if exists ${name} with (force)`)),
  };
}
