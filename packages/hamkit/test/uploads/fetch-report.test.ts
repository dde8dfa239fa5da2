import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { parseAdif } from "../../src/adif.js";
import { fetchReport, type ReportServiceName } from "../../src/uploads.js";
import { hamkit } from "../cli/run-cli.js";

/** After the services' public documents and clients. */
const RECORD =
  "<CALL:4>W1AW<QSO_DATE:8>20240630<TIME_ON:6>120000<BAND:3>20M<MODE:2>CW<QSL_RCVD:1>Y<QSLRDATE:8>20240701<EOR>\n";
const LOTW = `ARRL Logbook of the World Status Report\n<PROGRAMID:4>LoTW<EOH>\n${RECORD}<APP_LoTW_EOF>\n`;
const EQSL_PAGE = `Your ADIF log file has been built <LI><A HREF="/downloadedfiles/dh1tw.adi">.ADI file</A>`;
const EQSL = `ADIF 3 Export from eQSL.cc<EOH>\n${RECORD}`;
const QRZ = `RESULT=OK&COUNT=1&LOGIDS=1&ADIF=${RECORD.replaceAll("<", "&lt;").replaceAll(">", "&gt;")}`;

const SETTINGS: Readonly<Record<ReportServiceName, Readonly<Record<string, string>>>> = {
  lotw: { user: "dh1tw", password: "s3cret&" },
  eqsl: { user: "DH1TW", password: "s3cret&" },
  qrz: { key: "ABCD-1234" },
};

let server: Server;
let url: string;
let folder: string;
let asked: { readonly path: string; readonly body: string }[];
let reply: (path: string) => { readonly body: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report`;
});
afterAll(async () => {
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  asked.push({ path, body: await bodyOf(request) });
  response.writeHead(200, { connection: "close" }).end(reply(path).body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request as AsyncIterable<Uint8Array>) text += Buffer.from(piece).toString();
  return text;
}

const ask = (service: ReportServiceName, since?: Date) =>
  fetchReport({ service, settings: { ...SETTINGS[service], reportUrl: url }, since });

describe("fetchReport", () => {
  it.each<[ReportServiceName, (path: string) => string, string[]]>([
    ["lotw", () => LOTW, ["login=dh1tw", "password=s3cret%26", "qso_qsl=yes", "qso_qslsince=2024-06-30"]],
    [
      "eqsl",
      (path) => (path === "/report" ? EQSL_PAGE : EQSL),
      ["UserName=DH1TW", "Password=s3cret%26", "RcvdSince=202406300000"],
    ],
    ["qrz", () => QRZ, ["KEY=ABCD-1234", "ACTION=FETCH", "MODSINCE%3A2024-06-30"]],
  ])("has the confirmations of %s", async (service, answer, words) => {
    reply = (path) => ({ body: answer(path) });
    const { records } = parseAdif(await ask(service, new Date("2024-06-30T12:00Z")));
    expect(records).toMatchObject([{ CALL: "W1AW", BAND: "20M", QSL_RCVD: "Y", QSLRDATE: "20240701" }]);
    const [request] = asked;
    for (const word of words) expect(`${request?.path} ${request?.body}`).toContain(word);
    expect(asked.map(({ path }) => path.split("?")[0])).toEqual(
      service === "eqsl" ? ["/report", "/downloadedfiles/dh1tw.adi"] : ["/report"],
    );
  });

  it.each<[ReportServiceName, string]>([
    ["lotw", "<HTML>Username/password incorrect: s3cret&</HTML>"],
    ["eqsl", "<html>Error: No such Username/Password found s3cret&</html>"],
    ["qrz", "RESULT=FAIL&REASON=invalid api key ABCD-1234"],
  ])("asks %s once where the login fails, and shows no secret", async (service, body) => {
    reply = () => ({ body });
    const failure = await ask(service).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: "login/refused" });
    expect((failure as Error).message).not.toMatch(/s3cret|ABCD/);
    expect(asked).toHaveLength(1);
  });

  it.each<[ReportServiceName, string]>([
    ["lotw", LOTW.replace("<APP_LoTW_EOF>", "")],
    ["eqsl", '<A HREF="http://example.org/other.adi">'],
    ["qrz", "<html>maintenance</html>"],
  ])("takes no part of a report of %s, or another page, for it", async (service, body) => {
    reply = () => ({ body });
    await expect(ask(service)).rejects.toMatchObject({ code: "io/unreadable-answer" });
  });

  it("has no contacts where there are none", async () => {
    reply = () => ({ body: "You have no log entries to download" });
    expect(parseAdif(await ask("eqsl")).records).toEqual([]);
    reply = () => ({ body: "RESULT=OK&COUNT=0" });
    expect(parseAdif(await ask("qrz")).records).toEqual([]);
  });

  it("needs its settings, and a service that has reports", async () => {
    await expect(fetchReport({ service: "qrz", settings: {} })).rejects.toThrow("settings.key");
    await expect(fetchReport({ service: "hamqth" as ReportServiceName, settings: {} })).rejects.toThrow(
      "lotw, eqsl, qrz",
    );
  });
});

describe("hamkit log fetch", () => {
  const env = () => ({
    HAMKIT_LOTW_USER: "dh1tw",
    HAMKIT_LOTW_PASSWORD: "s3cret&",
    HAMKIT_LOTW_REPORT_URL: url,
  });

  it("writes a report, which match adds to a log", async () => {
    reply = () => ({ body: LOTW });
    const [report, log] = [join(folder, "lotw.adi"), join(folder, "mylog.adi")];
    await writeFile(log, "<CALL:4>W1AW<QSO_DATE:8>20240630<TIME_ON:4>1201<BAND:3>20m<MODE:2>CW<EOR>\n");
    const words = ["log", "fetch", "lotw", "-o", report];
    const { stdout, exitCode } = await hamkit(words, { env: env() });
    expect([stdout.split("\n")[0], exitCode]).toEqual([`LoTW: 1 contacts in ${report}`, 0]);
    expect(await readFile(report, "utf8")).toBe(LOTW);
    await hamkit(["log", "match", log, report, "--source", "lotw"]);
    expect(await readFile(join(folder, "mylog.matched.adi"), "utf8")).toContain("<LOTW_QSL_RCVD:1>Y");
    // What exists is not replaced, and then nothing is asked for.
    asked = [];
    expect((await hamkit(words, { env: env() })).exitCode).toBe(2);
    expect(asked).toEqual([]);
  });

  it("names settings that are missing", async () => {
    const { stderr, exitCode } = await hamkit(["log", "fetch", "lotw", "-o", join(folder, "no.adi")]);
    expect(stderr).toContain("set HAMKIT_LOTW_USER, HAMKIT_LOTW_PASSWORD in the environment");
    expect(exitCode).toBe(2);
  });
});
