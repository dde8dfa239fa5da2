/** `hamkit keyring` with GNOME Keyring, on a session bus of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

let folder: string;
let server: Server;
let keys: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  await writeFile(join(folder, "mylog.adi"), "<CALL:4>W1AW<QSO_DATE:8>20240630<TIME_ON:4>1200<EOR>\n");
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      keys.push(new URLSearchParams(body).get("KEY") ?? "");
      response.end("RESULT=OK&COUNT=1");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly output: string;
  readonly exitCode: number | null;
}

/** Runs lines of a shell, with `hamkit` as a command. */
async function shell(lines: string, command: readonly string[] = ["sh", "-e", "-c"]): Promise<Outcome> {
  const [program = "", ...words] = command;
  const child = spawn(program, [...words, `hamkit() { "${process.execPath}" "${MAIN}" "$@"; }\n${lines}`], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      HAMKIT_QRZ_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (output += text.toString()));
  await once(child, "close");
  return { output, exitCode: child.exitCode };
}

/** The same on a bus with a keyring that is unlocked. */
async function withKeyring(lines: string): Promise<Outcome> {
  const unlock = 'eval "$(printf %s test | gnome-keyring-daemon --unlock --components=secrets)"';
  const outcome = await shell(`${unlock}\n${lines}`, ["dbus-run-session", "--", "sh", "-e", "-c"]);
  const output = outcome.output.replaceAll(/^dbus-daemon.*\n/gm, "");
  return { ...outcome, output };
}

describe("hamkit keyring", () => {
  it("stores a key that hamkit upload reads, and other programs", async () => {
    keys = [];
    expect(
      await withKeyring(`
        printf 'of-the-keyring\\n' | hamkit keyring set HAMKIT_QRZ_KEY
        hamkit keyring list
        secret-tool lookup service hamkit username HAMKIT_QRZ_KEY; echo
        hamkit upload mylog.adi --to qrz
        hamkit keyring delete HAMKIT_QRZ_KEY
        hamkit keyring delete HAMKIT_QRZ_KEY || echo "exit code $?"
        hamkit upload mylog.adi --to qrz --journal other || echo "exit code $?"`),
    ).toEqual({
      output: `HAMKIT_QRZ_KEY is in the keyring.
HAMKIT_QRZ_KEY
of-the-keyring
mylog.adi: 1 contacts
QRZ: 1 accepted, 0 known to the service already, 0 uploaded before
HAMKIT_QRZ_KEY was deleted.
HAMKIT_QRZ_KEY is not in the keyring.
exit code 1
error: QRZ: set HAMKIT_QRZ_KEY in the environment or a file of credentials, or store a secret by hamkit keyring set
exit code 2
`,
      exitCode: 0,
    });
    expect(keys).toEqual(["of-the-keyring"]);
  });

  it("reads what another program stored", async () => {
    keys = [];
    const { output } = await withKeyring(`
      printf other | secret-tool store --label=hamkit service hamkit username HAMKIT_QRZ_KEY
      hamkit upload mylog.adi --to qrz --journal second`);
    expect(output).toContain("QRZ: 1 accepted");
    expect(keys).toEqual(["other"]);
  });

  it("says where a secret may be, without a keyring", async () => {
    const { output, exitCode } = await shell("hamkit upload mylog.adi --to qrz --journal third");
    expect(output).toMatch(
      /^error: QRZ: set HAMKIT_QRZ_KEY in the environment or a file of credentials, or store a secret by hamkit keyring set \(keyring: this system has no keyring that can be used: .*\)\n$/,
    );
    expect(exitCode).toBe(2);
    expect(await shell("printf s3cret | hamkit keyring set HAMKIT_QRZ_KEY")).toMatchObject({
      output: expect.stringMatching(/^error: keyring: this system has no keyring/) as string,
      exitCode: 3,
    });
  });

  it("shows nothing of what is typed at a terminal", async () => {
    // `script` runs a command at a terminal, which it types to.
    const type = `(sleep 2; printf 's3cx\\177ret\\r'; sleep 2) | script -qec "$RUN" /dev/null`;
    const { output } = await withKeyring(`
      RUN='"${process.execPath}" "${MAIN}" keyring set HAMKIT_EQSL_PASSWORD'
      ${type}
      secret-tool lookup service hamkit username HAMKIT_EQSL_PASSWORD | sha256sum`);
    const lines = output.replaceAll("\r", "").trimEnd().split("\n");
    expect(lines.slice(0, -1)).toEqual(["HAMKIT_EQSL_PASSWORD: ", "HAMKIT_EQSL_PASSWORD is in the keyring."]);
    // Of "s3cret".
    expect(lines.at(-1)).toContain("1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0");
  });
});
