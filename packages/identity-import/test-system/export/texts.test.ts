/** Texts of an export reach Keystone's databases unchanged, by a connection and by a file of SQL that their clients load. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openMysqlTarget, openPostgresTarget } from "../../src/export/database-target.js";
import type { KeystoneTarget, TargetKind } from "../../src/export/keystone-target.js";
import { openSqlFile } from "../../src/export/sql-file-target.js";
import { insertTexts } from "../../src/export/sql-text.js";
import { parseSourceAddress } from "../../src/import/source/source-address.js";
import { startMariadb, type MariadbServer } from "../import/mariadb-server.js";
import { createKeystoneDatabase, type KeystoneDatabase } from "./keystone-databases.js";

const MADE: readonly string[] = [
  "a\r\nb",
  "\r",
  "\n\r\n\n",
  "tab\tbell\u0007escape\u001b[31mdelete\u007f",
  'it\'s "quoted" `here`',
  String.raw`C:\new\table\0\'; drop table texts; --`,
  "\\",
  "''\\''",
  "\\g \\! \\c",
  "delimiter //\nselect 1; -- /* # */",
  "? :name $1 ${x} %s",
  "😀 𝕏 👩‍🚀 \u{10FFFF}",
  "é e\u0301 \u202E \u2028 \uFEFF",
  " trailing ",
  "",
  "NULL",
  "x'41'",
  ...Array.from({ length: 31 }, (_, code) => `c${String.fromCharCode(code + 1)}c`),
];

const ANY = fc.array(
  fc
    .oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({
        unit: fc.constantFrom("\r", "\n", "\t", "\\", "'", '"', "`", ";", "-", "😀", "é", "\u0001", "%", "a"),
      }),
    )
    .filter((text) => !text.includes("\0") && Buffer.from(text).toString() === text),
  { minLength: 200, maxLength: 300 },
);
const TEXTS = [...MADE, ...(fc.sample(ANY, { numRuns: 1, seed: 9 })[0] ?? [])];
const ROWS = TEXTS.map((text, id) => ({ id, text }));

let folder: string;
let mariadb: MariadbServer;
let postgres: KeystoneDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-texts-"));
  mariadb = await startMariadb();
  postgres = await createKeystoneDatabase();
}, 120_000);
afterAll(async () => {
  await mariadb.remove();
  await postgres.remove();
  await rm(folder, { recursive: true, force: true });
});

async function write(target: KeystoneTarget, kind: TargetKind): Promise<void> {
  for (const statement of insertTexts(kind, "texts", ROWS)) await target.write(statement);
  await target.commit();
  await target.close();
}

/** The texts as the database holds them: their bytes, which no client translates. */
type Read = () => Promise<string[]>;

async function fileOf(kind: TargetKind): Promise<Buffer> {
  const path = join(folder, `${kind}.sql`);
  await write(openSqlFile({ path, kind, schema: "head" }), kind);
  return readFile(path);
}

function run(command: string, args: readonly string[], input: Buffer): void {
  const { status, stderr } = spawnSync(command, args, { input });
  if (status !== 0) throw new Error(stderr.toString());
}

const TABLE = "create table texts (id integer primary key, text text not null)";

describe("MariaDB", () => {
  /** Under another mode than the export's. */
  const modes = [
    "",
    "ANSI_QUOTES",
    "NO_BACKSLASH_ESCAPES",
    "ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES",
  ];

  async function reader(address: string): Promise<Read> {
    const { url } = parseSourceAddress(address);
    return async () => {
      const target = await openMysqlTarget(url);
      const found: string[] = [];
      for await (const rows of target.read("select hex(text) as text from texts order by id"))
        for (const { text } of rows) found.push(Buffer.from(text ?? "", "hex").toString());
      await target.close();
      return found;
    };
  }

  it("takes them by a connection", async () => {
    const address = mariadb.restore("direct", `${TABLE} character set utf8mb4;`);
    const target = await openMysqlTarget(parseSourceAddress(address).url);
    await write({ ...target, hasColumn: () => true }, "mysql");
    expect(await (await reader(address))()).toEqual(TEXTS);
  });

  it("takes them from a file, in whatever mode the server is", async () => {
    const file = await fileOf("mysql");
    for (const [index, mode] of modes.entries()) {
      const name = `file_${index}`;
      const address = mariadb.restore(
        name,
        `${TABLE} character set utf8mb4; set global sql_mode = '${mode}';`,
      );
      const socket = new URL(address.replace("mysql+pymysql", "mysql")).searchParams.get("unix_socket") ?? "";
      run("mariadb", ["--no-defaults", `--socket=${socket}`, "--user=root", name], file);
      expect(await (await reader(address))()).toEqual(TEXTS);
    }
  });
});

describe("PostgreSQL", () => {
  const read: Read = async () => {
    const rows = await postgres.query(
      "select encode(convert_to(text, 'UTF8'), 'hex') as text from texts order by id",
    );
    return rows.map(({ text }) => Buffer.from(text ?? "", "hex").toString());
  };

  it("takes them by a connection", async () => {
    await postgres.query(`drop table if exists texts; ${TABLE}`);
    const target = await openPostgresTarget(postgres.url);
    await write({ ...target, hasColumn: () => true }, "postgres");
    expect(await read()).toEqual(TEXTS);
  });

  it.each(["on", "off"])("takes them from a file, with standard_conforming_strings %s", async (strings) => {
    await postgres.query(
      `drop table if exists texts; ${TABLE}; set standard_conforming_strings = ${strings}`,
    );
    const path = join(folder, `postgres-${strings}.sql`);
    await write(openSqlFile({ path, kind: "postgres", schema: "head" }), "postgres");
    run("psql", ["--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", postgres.url], await readFile(path));
    expect(await read()).toEqual(TEXTS);
  });
});
