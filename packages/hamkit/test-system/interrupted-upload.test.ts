/** `hamkit upload` that is killed while a service receives a contact, and is run again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const CONTACTS = 30;

let folder: string;
let server: Server;
/** Calls that the service has, with how often each was sent. */
let received: Map<string, number>;
/** Answers at once, or holds the answer back. */
let answer: (response: ServerResponse, call: string) => void;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  const log = Array.from(
    { length: CONTACTS },
    (_, index) => `<CALL:4>K${index + 10}A<BAND:3>20m<MODE:2>CW<QSO_DATE:8>20240630<TIME_ON:4>1200<EOR>\n`,
  );
  await writeFile(join(folder, "mylog.adi"), log.join(""));
  received = new Map();
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const call = /CALL:4>(K\d\dA)/.exec(new URLSearchParams(body).get("adif") ?? "")?.[1] ?? "";
      received.set(call, (received.get(call) ?? 0) + 1);
      answer(response, call);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function upload() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const [USER, PASSWORD, CALLSIGN] = ["dh1tw", "s3cret", "DH1TW"];
  const settings = { USER, PASSWORD, CALLSIGN, URL: url };
  const env = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`HAMKIT_HAMQTH_${name}`, value]),
  );
  const child = spawn(process.execPath, [MAIN, "upload", "mylog.adi", "--to", "hamqth"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  const ended = once(child, "close").then(() => ({ stdout, exitCode: child.exitCode }));
  return { child, ended };
}

describe("an upload that is killed", () => {
  it.each([1, 12, 30])("at contact %i goes on with that contact, and sends no other again", async (at) => {
    const last = `K${at + 9}A`;
    const held = new Promise<void>((resolve) => {
      answer = (response, call) => {
        if (call === last) resolve();
        else response.end("QSO inserted");
      };
    });
    const first = upload();
    await held;
    // Another run of this log is refused meanwhile.
    expect((await upload().ended).exitCode).toBe(2);
    first.child.kill("SIGKILL");
    await first.ended;
    answer = (response, call) => response.end(call === last ? "duplicate" : "QSO inserted");
    const { stdout, exitCode } = await upload().ended;
    expect(stdout).toContain(
      `HamQTH: ${CONTACTS - at} accepted, 1 known to the service already, ${at - 1} uploaded before`,
    );
    expect(exitCode).toBe(0);
    expect(received.size).toBe(CONTACTS);
    expect([...received].filter(([, times]) => times > 1)).toEqual([[last, 2]]);
    expect((await readFile(join(folder, "mylog.adi.uploads"), "utf8")).split("\n")).toHaveLength(
      CONTACTS + 1,
    );
  });
});
