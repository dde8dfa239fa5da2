import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { fails, sends, startFileServer, type FileServer } from "../../fixtures/file-server.js";
import { ENGLAND, tells, tellsEach } from "../../fixtures/log-service.js";
import { COUNTRY_FILE, hamkit, hamkitJson } from "../run-cli.js";

const LOG_XML = fileURLToPath(new URL("../../fixtures/small-log.xml", import.meta.url));
const IN_LOG = ["--in", `logxml=${LOG_XML}`];

let folder: string;
let server: FileServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-cli-"));
  server = await startFileServer();
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

async function credentials(text: string, mode = 0o600): Promise<string> {
  const path = join(folder, "credentials");
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

/** Where settings may be set. */
const WHERE =
  "in the environment or a file of credentials, or store a secret by hamkit keyring set (keyring: none in tests)";

describe("hamkit call --in", () => {
  it("looks up in log XML, by the time", async () => {
    const { stdout } = await hamkit(["call", "OK1ABC", "--at", "1980-06-30", ...IN_LOG]);
    expect(stdout).toContain("Country    CZECHOSLOVAKIA");
    expect(stdout).toContain("ITU zone   none");
    expect(stdout).toContain(`Data: ${LOG_XML} of 2026-02-01; as of 1980-06-30`);
  });

  it("reports invalid operations and calls that are not on a whitelist", async () => {
    expect(await hamkit(["call", "OK9BAD", "--at", "1995-06-30", ...IN_LOG])).toMatchObject({
      exitCode: 1,
      stderr: 'error: callsign "OK9BAD" was an operation that does not count for DXCC\n',
    });
    const { stdout } = await hamkit(["call", "KH4AB", ...IN_LOG]);
    expect(stdout).toContain("Listed     no: only operations that the DXCC desk lists count");
  });

  it("asks several in their order, and names the one that answered", async () => {
    const both = ["--in", `logxml=${LOG_XML},countryfile=${COUNTRY_FILE}`];
    const { calls } = (await hamkitJson(["call", "VE8EV", "9H1XYZ", ...both])) as { calls: object[] };
    expect(calls).toMatchObject([
      { country: "CANADA", cqz: 2, source: LOG_XML },
      { country: "Malta", source: expect.stringContaining(COUNTRY_FILE) as string },
    ]);
  });

  it.each([
    ["clublog", "Expected one or more of countryfile, logxml, logapi"],
    ["", "Expected one or more of countryfile, logxml"],
  ])("refuses %o", async (databases, message) => {
    const { exitCode, stderr } = await hamkit(["call", "DH1TW", "--in", databases]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("asks the log service for many callsigns in one batch, and for one with all fields", async () => {
    const env = { HAMKIT_LOG_APIKEY: "KEY", HAMKIT_LOGAPI_URL: new URL("/dxcc", server.url).href };
    server.answers = [
      tellsEach(({ C }) => ({ A: { G3ABC: 223, DH1TW: 230 }[C] ?? 0, Z: 14 })),
      tells(ENGLAND),
    ];
    const many = await hamkit(["call", "G3ABC", "DH1TW", "NOCALL", "--in", "logapi"], { env });
    expect(many.stdout).toMatch(/^G3ABC .* 223 .*\nDH1TW .* 230 /m);
    expect(many.exitCode).toBe(1);
    expect(server.requests.map(({ method }) => method)).toEqual(["POST"]);
    const { stdout } = await hamkit(["call", "G3ABC", "--in", "logapi"], { env });
    expect(stdout).toContain("Country    ENGLAND");
    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("refuses --file beside it", async () => {
    const { exitCode, stderr } = await hamkit(["call", "DH1TW", "--file", COUNTRY_FILE, ...IN_LOG]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("write --in countryfile=PATH")]);
  });
});

describe("keys and accounts", () => {
  const world = (env: Record<string, string> = {}) => ({
    env: { HAMKIT_CACHE_DIR: join(folder, "cache"), HAMKIT_LOGXML_URL: server.url, ...env },
  });
  const ask = (words: string[] = [], env?: Record<string, string>) =>
    hamkit(["call", "OK1ABC", "--in", "logxml", ...words], world(env));
  const keyAsked = (): string | null =>
    new URL(server.requests.at(-1)?.url ?? "", server.url).searchParams.get("api");

  beforeEach(async () => {
    const { readFile } = await import("node:fs/promises");
    server.answers = [sends(await readFile(LOG_XML, "utf8"))];
  });

  it("are required", async () => {
    const hint = `error: logxml: set HAMKIT_LOG_APIKEY ${WHERE}, or name a local file: --in logxml=PATH\n`;
    expect(await ask()).toMatchObject({ exitCode: 2, stderr: hint });
    expect(server.requests).toHaveLength(0);
  });

  it("are required by name, before any request", async () => {
    const call = (type: string) => hamkit(["call", "OK1ABC", "--in", type], world());
    expect((await call("logapi")).stderr).toBe(`error: logapi: set HAMKIT_LOG_APIKEY ${WHERE}\n`);
    expect(await call("callbook,logxml")).toMatchObject({
      exitCode: 2,
      stderr: `error: callbook: set HAMKIT_CALLBOOK_USERNAME, HAMKIT_CALLBOOK_PASSWORD ${WHERE}\n`,
    });
    expect(server.requests).toHaveLength(0);
  });

  it("are not needed where the data is on this computer", async () => {
    expect(await ask(["--offline"])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("there is no cached copy of the file") as string,
    });
  });

  it("come from the environment", async () => {
    expect(await ask([], { HAMKIT_LOG_APIKEY: "from-environment" })).toMatchObject({ exitCode: 0 });
    expect(keyAsked()).toBe("from-environment");
  });

  it("come from a file, and from the environment before it", async () => {
    const path = await credentials("# keys\n\nHAMKIT_LOG_APIKEY = from-file\n");
    await ask(["--credentials", path]);
    expect(keyAsked()).toBe("from-file");
    await rm(join(folder, "cache"), { recursive: true });
    await ask([], { HAMKIT_CREDENTIALS: path, HAMKIT_LOG_APIKEY: "from-environment" });
    expect(keyAsked()).toBe("from-environment");
  });

  it("come from the user's own file", async () => {
    await mkdir(join(folder, ".config", "hamkit"), { recursive: true });
    const own = join(folder, ".config", "hamkit", "credentials");
    await writeFile(own, "HAMKIT_LOG_APIKEY=own", { mode: 0o600 });
    expect(await ask([], { HOME: folder })).toMatchObject({ exitCode: 0 });
    expect(keyAsked()).toBe("own");
  });

  it.skipIf(process.platform === "win32")("are not taken from a file that others can read", async () => {
    const path = await credentials("HAMKIT_LOG_APIKEY=k", 0o644);
    const { exitCode, stderr } = await ask(["--credentials", path]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("chmod 600")]);
    expect(server.requests).toHaveLength(0);
  });

  it("are not shown where a line can't be understood", async () => {
    const path = await credentials("HAMKIT_LOG_APIKEY=k\nPASSWORD=s3cret\n");
    const { exitCode, stderr } = await ask(["--credentials", path]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("line 2: expected one of HAMKIT_LOG_APIKEY"),
    ]);
    expect(stderr).not.toContain("s3cret");
  });

  it("are not looked for without need", async () => {
    const path = join(folder, "nothing-here");
    const { exitCode } = await hamkit(
      ["call", "DH1TW", "--file", COUNTRY_FILE],
      world({ HAMKIT_CREDENTIALS: path }),
    );
    expect(exitCode).toBe(0);
    expect(await ask(["--credentials", path])).toMatchObject({ exitCode: 3 });
  });

  it("are not shown where the service refuses them", async () => {
    server.answers = [fails(403)];
    const { exitCode, stderr } = await ask([], { HAMKIT_LOG_APIKEY: "s3cret" });
    expect([exitCode, stderr]).toEqual([3, "error: log XML service: the apikey was refused\n"]);
  });
});
