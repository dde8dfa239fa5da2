import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { once } from "node:events";

import { afterEach, describe, expect, it } from "vitest";

import { eventStreamSource, openFeed, type FeedSpot } from "../../../../src/feeds.js";
import { node, startClusterServer, type ClusterServer } from "../../../fixtures/cluster-server.js";
import { hamkit, IN_FILE, type Outcome, type RunOptions } from "../../run-cli.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const LINES = [
  "DX de DH1TW:     14025.0  W1AW         tnx                            1201Z",
  "DX de DH1TW:      7074.0  JA1ABC       FT8 -12dB                      1202Z",
  "WWV de W0MU <12Z> :   SFI=120, A=5, K=2, No Storms -> No Storms",
  "To ALL de DH1TW: good morning",
  "DX de W3LPL-#:   21025.0  DL1XX          CW    20 dB  25 WPM  CQ      1203Z",
];

async function serve(lines: readonly string[] = LINES): Promise<ClusterServer> {
  const server = await startClusterServer(node(...lines));
  cleanups.push(() => server.close());
  return server;
}

async function connect(
  server: ClusterServer,
  words: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<Outcome> {
  const connected = ["spots", "--connect", `127.0.0.1:${server.port}`, "--login", "N0CALL", ...IN_FILE];
  return hamkit([...connected, ...words], options);
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

describe("hamkit spots --connect", () => {
  it("shows the spots of a cluster with country and distance, and its bulletins", async () => {
    const server = await serve();
    const outcome = await connect(server, ["--count", "3", "--from", "JN48QM", "--command", "set/dx"], {
      now: "2024-06-30T12:04:00Z",
    });
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
    // Bulletins don't wait for spots.
    const [head, wwv, announcement, first, second, third, ...rest] = outcome.stdout.split("\n");
    expect(head).toMatch(/^Time +kHz +Mode +DX +Country +CQ +km +Deg +Spotter +Source +Comment$/);
    expect(first).toMatch(
      /^1201Z +14025\.0 +\(CW\) +W1AW +United States +5 +7697 +304 +DH1TW +127\.0\.0\.1:\d+ +tnx$/,
    );
    expect(second).toMatch(/^1202Z +7074\.0 +FT8 +JA1ABC +Japan .* FT8 -12dB$/);
    expect(wwv).toMatch(/^1200Z {2}WWV by W0MU: solar flux 120, A 5, K 2, No Storms -> No Storms$/);
    expect(announcement).toBe("To ALL de DH1TW: good morning");
    expect(third).toMatch(/ CW +DL1XX +Fed\. Rep\. of Germany .* W3LPL-# /);
    expect(rest).toEqual([""]);
    await expect.poll(() => server.received).toBe("N0CALL\r\nset/dx\r\n");
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  it.each([
    [
      ["--band", "40m,15m", "--count", "2"],
      ["JA1ABC", "DL1XX"],
    ],
    [["--mode", "ft8", "--count", "1"], ["JA1ABC"]],
    [["--dx-continent", "as", "--count", "1"], ["JA1ABC"]],
    [
      ["--dx-entity", "DL,339", "--count", "2"],
      ["JA1ABC", "DL1XX"],
    ],
    [["--spotter-continent", "NA", "--count", "1"], ["DL1XX"]],
    [["--spotter-entity", "W1AW", "--count", "1"], ["DL1XX"]],
    [
      ["--match", "JA*,*XX", "--count", "2"],
      ["JA1ABC", "DL1XX"],
    ],
    [["--skimmer", "--count", "1"], ["DL1XX"]],
    [
      ["--no-skimmer", "--count", "2"],
      ["W1AW", "JA1ABC"],
    ],
  ])("filters: %j", async (words, calls) => {
    const { stdout } = await connect(await serve(), [...words, "--json"]);
    const documents = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; dx?: string });
    expect(documents.flatMap(({ kind, dx }) => (kind === "spot" ? [dx] : []))).toEqual(calls);
  });

  it("writes one JSON object per spot and bulletin", async () => {
    const { stdout } = await connect(await serve(), ["--json", "--count", "3"], {
      now: "2024-06-30T12:04:00Z",
    });
    const documents = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [wwv, announcement, first, ...others] = documents;
    expect(others).toMatchObject([{ kind: "spot" }, { kind: "spot" }]);
    expect(announcement).toMatchObject({ kind: "announcement", to: "ALL", text: "good morning" });
    expect(first).toMatchObject({
      source: expect.stringMatching(/^127\.0\.0\.1:/) as string,
      time: expect.stringMatching(/T12:01:00\.000Z$/) as string,
      kind: "spot",
      dx: "W1AW",
      frequencyKHz: 14_025,
      band: "20m",
      mode: "CW",
      modeAssumed: true,
      dxStation: { country: "United States", adif: 291 },
    });
    expect(wwv).toMatchObject({ kind: "wwv", sfi: 120, source: first?.["source"] });
  });

  it("serves them as events, the last ones to clients that come later", async () => {
    const server = await serve();
    const port = await freePort();
    const spots: FeedSpot[] = [];
    let isOpen = true;
    const run = connect(server, ["--sse", String(port)], {
      io: {
        stdout: {
          write: () => true,
          ready: async () => isOpen,
          isTerminal: false,
          columns: undefined,
        },
      },
    });
    const url = `http://127.0.0.1:${port}/`;
    const feed = openFeed([{ ...eventStreamSource({ url }), retryDelayMs: 20 }], { duplicateWindowMs: 0 });
    cleanups.push(() => feed.close());
    for await (const spot of feed) {
      spots.push(spot);
      if (spots.length === 3) break;
    }
    expect(spots).toMatchObject([
      { dx: "W1AW", dxStation: { country: "United States" } },
      { dx: "JA1ABC" },
      { dx: "DL1XX", skimmer: true },
    ]);
    const statusOf = (path: string, method = "GET") =>
      new Promise<IncomingMessage>((resolve) => {
        get(`${url}${path}`, { method }, (response) => resolve(response.resume()));
      });
    expect((await statusOf("other")).statusCode).toBe(404);
    expect((await statusOf("", "POST")).statusCode).toBe(405);
    expect((await statusOf("")).headers["access-control-allow-origin"]).toBe("*");
    isOpen = false;
    for (const socket of server.sockets) socket.write(`${LINES[0]?.replace("W1AW", "W2AW")}\r\n`);
    expect((await run).exitCode).toBe(0);
    await feed.close();
  });

  it("warns where a connection is lost, and connects again", async () => {
    const server = await startClusterServer((socket) => socket.destroy(), node(...LINES));
    cleanups.push(() => server.close());
    const { stderr, exitCode } = await connect(server, ["--count", "1"]);
    expect(stderr).toMatch(
      /^warning: tcp:\/\/127\.0\.0\.1:\d+: the connection was closed; next attempt in [12] s\n$/,
    );
    expect(exitCode).toBe(0);
  });

  it("takes the password from the environment", async () => {
    const server = await startClusterServer((socket) => {
      socket.write("login: ");
      socket.once("data", () => {
        socket.write("password: ");
        socket.once("data", () => socket.write(`\r\n${LINES[0]}\r\n`));
      });
    });
    cleanups.push(() => server.close());
    const { exitCode } = await connect(server, ["--count", "1"], {
      env: { HAMKIT_CLUSTER_PASSWORD: "geheim" },
    });
    expect(exitCode).toBe(0);
    expect(server.received).toBe("N0CALL\r\ngeheim\r\n");
    const refused = await connect(server, ["--count", "1"]);
    expect(refused).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("asks for a password") as string,
    });
  });

  it("escapes what could control a terminal", async () => {
    const server = await serve([
      "DX de DH1TW: 14025.0 W1AW \u001b]0;x\u0007 1201Z",
      "To ALL de DH1TW: \u001b[31mred",
    ]);
    const { stdout } = await connect(server, ["--count", "1"]);
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  });

  it.each([
    [["--connect", "a b"], 2, "'a b' is no source: write HOST"],
    [["--connect", "127.0.0.1"], 2, "asks for a callsign: add --login CALL"],
    [["--connect", "rbn"], 2, "rbn asks for a callsign"],
    [["--connect", "pskreporter"], 2, "add --band or --mode"],
    [["--connect", "pskreporter", "--band", "#"], 2, "filter.band"],
    [["--connect", "pota", "--dx-continent", "XX"], 2, "Expected EU, NA"],
    [["--connect", "pota", "--dx-entity", "??"], 2, "'??' is no entity"],
    [["--connect", "pota", "--count", "0"], 2, "Expected an integer from 1"],
    [["--connect", "pota", "--sse", "70000"], 2, "Expected a port"],
    [["--connect", "pota", "--sse", "192.0.2.1:1"], 3, "http://192.0.2.1:1/"],
    [["--connect", "pota", "--from", "ZZ99"], 2, "--from"],
    [["--band", "20m"], 2, "--band needs --connect"],
    [["--dx-continent", "EU"], 2, "--dx-continent needs --connect"],
  ])("rejects %j", async (words, exitCode, message) => {
    expect(await hamkit(["spots", ...IN_FILE, ...words])).toMatchObject({
      exitCode,
      stdout: "",
      stderr: expect.stringContaining(message) as string,
    });
  });
});
