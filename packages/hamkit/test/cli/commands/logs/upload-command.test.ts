import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../../run-cli.js";

const P12 = fileURLToPath(new URL("../../../uploads/modern.p12", import.meta.url));
const LOG = `<CALL:4>W1AW<QSO_DATE:8>20240630<TIME_ON:4>1200<BAND:3>20m<MODE:2>CW<EOR>
<CALL:5>K1ABC<QSO_DATE:8>20240630<TIME_ON:4>1210<BAND:3>20m<MODE:2>CW<EOR>
<CALL:5>K2ABC<QSO_DATE:8>20100630<TIME_ON:4>1210<BAND:3>20m<MODE:2>CW<CLUBLOG_QSO_UPLOAD_STATUS:1>Y<EOR>
`;

let folder: string;
let log: string;
let server: Server;
let url: string;
let replies: { status: number; body: string }[];
let received: number;
let paths: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  log = join(folder, "mylog.adi");
  await writeFile(log, LOG);
  await copyFile(P12, join(folder, "dh1tw.p12"));
  received = 0;
  paths = [];
  server = createServer((request, response) => {
    received++;
    paths.push(request.url ?? "");
    request.resume();
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    response.writeHead(reply?.status ?? 500).end(reply?.body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await rm(folder, { recursive: true });
});

const env = () => ({
  HAMKIT_CLUBLOG_EMAIL: "a@example.org",
  HAMKIT_CLUBLOG_PASSWORD: "s3cret",
  HAMKIT_CLUBLOG_CALLSIGN: "DH1TW",
  HAMKIT_CLUBLOG_KEY: "program-key",
  HAMKIT_CLUBLOG_URL: url,
  HAMKIT_HAMQTH_USER: "dh1tw",
  HAMKIT_HAMQTH_PASSWORD: "s3cret",
  HAMKIT_HAMQTH_CALLSIGN: "DH1TW",
  HAMKIT_HAMQTH_URL: url,
  HAMKIT_LOTW_P12: join(folder, "dh1tw.p12"),
  HAMKIT_LOTW_P12_PASSWORD: "secret-of-test",
  HAMKIT_LOTW_URL: url,
});

const text = (output: string) => output.replaceAll(`${folder}/`, "");

describe("hamkit upload", () => {
  it("says what it would send, and sends nothing", async () => {
    const { stdout, exitCode } = await hamkit(["upload", log, "--to", "lotw,clublog,qrz", "--dry-run"], {
      env: env(),
    });
    expect(text(stdout)).toBe(`mylog.adi: 3 contacts
LoTW: 2 would be sent, 0 uploaded before, 1 refused
  K2ABC 20100630 1210 20m CW: QSO_DATE: 2010-06-30 is not from 2020-01-01 to 2030-12-31, as the certificate says
Club Log: 2 would be sent, 1 uploaded before
QRZ: 3 would be sent, 0 uploaded before
  missing: HAMKIT_QRZ_KEY
`);
    expect(exitCode).toBe(1);
    expect(received).toBe(0);
  });

  it("goes on where it ended, and shows no secret", async () => {
    replies = [
      { status: 200, body: "QSO inserted" },
      { status: 403, body: "Login of dh1tw with s3cret rejected" },
    ];
    const words = ["upload", log, "--to", "hamqth"];
    const first = await hamkit(words, { env: env() });
    expect(text(first.stdout)).toContain(
      "HamQTH: 1 accepted, 0 known to the service already, 0 uploaded before\n  stopped: login-failed: Login of dh1tw with *** rejected\n",
    );
    expect(first.exitCode).toBe(3);
    expect(await readFile(`${log}.uploads`, "utf8")).toBe("hamqth  W1AW 20M  CW  20240630 1200\n");
    replies = [
      { status: 200, body: "duplicate" },
      { status: 200, body: "QSO inserted" },
    ];
    expect(await hamkitJson(words, { env: env() })).toMatchObject({
      services: [{ accepted: 1, duplicates: 1, known: 1, stopped: null }],
    });
    expect(received).toBe(4);
    expect(await readFile(log, "utf8")).toBe(LOG);
  });

  it("sends several contacts to Club Log in a file, and one by itself", async () => {
    replies = [{ status: 200, body: "accepted" }];
    const words = ["upload", log, "--to", "clublog"];
    expect((await hamkit([...words, "--limit", "1"], { env: env() })).stdout).toContain("1 accepted");
    await rm(`${log}.uploads`);
    expect((await hamkit(words, { env: env() })).stdout).toContain("Club Log: 2 accepted");
    expect(paths).toEqual(["/", "/putlogs.php"]);
    expect((await readFile(`${log}.uploads`, "utf8")).split("\n")).toHaveLength(3);
  });

  it("runs once at a time for a log", async () => {
    replies = [{ status: 200, body: "OK" }];
    const words = ["upload", log, "--to", "clublog"];
    const outcomes = await Promise.all([hamkit(words, { env: env() }), hamkit(words, { env: env() })]);
    expect(new Set(outcomes.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 2]));
    expect(outcomes.map(({ stderr }) => text(stderr)).join("")).toBe(
      `error: another upload of this log runs (process ${process.pid}); if none does, delete mylog.adi.uploads.lock\n`,
    );
    expect(received).toBe(1);
    await expect(readFile(`${log}.uploads.lock`)).rejects.toThrow("ENOENT");
  });

  it.each([
    ["that was killed", "4194304\n"], // more than Linux gives
    ["of the same number, in another container", `${process.pid}\n`],
  ])("takes over from a run %s, and from a line that was cut off", async (_, lock) => {
    replies = [{ status: 200, body: "OK" }];
    await writeFile(`${log}.uploads.lock`, lock);
    await writeFile(`${log}.uploads`, "hamqth  W1AW 20M  CW  20240630 1200\nhamqth  K1A");
    const { stdout } = await hamkit(["upload", log, "--to", "hamqth"], { env: env() });
    expect(stdout).toContain("HamQTH: 2 accepted, 0 known to the service already, 1 uploaded before");
    expect((await readFile(`${log}.uploads`, "utf8")).split("\n")).toEqual([
      "hamqth  W1AW 20M  CW  20240630 1200",
      "hamqth  K1A",
      "hamqth  K1ABC 20M  CW  20240630 1210",
      "hamqth  K2ABC 20M  CW  20100630 1210",
      "",
    ]);
  });

  it("sends nothing that it could not note", async () => {
    const words = ["upload", log, "--to", "clublog", "--journal", join(folder, "missing", "journal")];
    const { stderr, exitCode } = await hamkit(words, { env: env() });
    expect(stderr).toContain("the journal of uploads can't be written");
    expect({ exitCode, received }).toEqual({ exitCode: 3, received: 0 });
  });

  it("takes keys and passwords from a file that only its owner can read", async () => {
    replies = [{ status: 200, body: "OK" }];
    const file = join(folder, "credentials");
    const lines = Object.entries(env()).map(([name, value]) => `${name}=${value}`);
    await writeFile(file, lines.join("\n"), { mode: 0o600 });
    const words = ["upload", log, "--to", "clublog", "--credentials", file];
    expect((await hamkit(words)).stdout).toContain("Club Log: 2 accepted");
    await chmod(file, 0o644);
    expect(await hamkit(words)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("chmod 600") as string,
    });
  });

  it("signs for LoTW", async () => {
    replies = [{ status: 200, body: "<!-- .UPL. accepted -->" }];
    const words = ["upload", log, "--to", "lotw", "--place", "GRIDSQUARE=JN48QM"];
    const { stdout, exitCode } = await hamkit(words, { env: env() });
    expect(stdout).toContain("LoTW: 2 accepted");
    expect(exitCode).toBe(1); // one is refused
    expect(received).toBe(1);
  });

  it("needs settings, services and a password that fits", async () => {
    expect(await hamkit(["upload", log, "--to", "qrz"])).toMatchObject({
      exitCode: 2,
      stderr:
        "error: QRZ: set HAMKIT_QRZ_KEY in the environment or a file of credentials, or store a secret by hamkit keyring set (keyring: none in tests)\n",
    });
    expect((await hamkit(["upload", log, "--to", "qsl"])).exitCode).toBe(2);
    expect((await hamkit(["upload", log, "--to", "lotw", "--place", "x"], { env: env() })).exitCode).toBe(2);
    const wrong = { ...env(), HAMKIT_LOTW_P12_PASSWORD: "wrong" };
    const { stderr, exitCode } = await hamkit(["upload", log, "--to", "lotw"], { env: wrong });
    expect(stderr).toContain("the password does not open it");
    expect(exitCode).toBe(3);
    expect((await hamkit(["upload", P12, "--to", "qrz", "--dry-run"])).exitCode).not.toBe(0);
  });
});
