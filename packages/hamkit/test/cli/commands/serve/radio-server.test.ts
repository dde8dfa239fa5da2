import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startLiveFeed, type LiveFeed } from "../../../../src/cli/commands/serve/live-feed.js";
import { readPageFiles } from "../../../../src/cli/commands/serve/page-files.js";
import { startRadioServer } from "../../../../src/cli/commands/serve/radio-server.js";
import { watchLogs, type WatchedLogs } from "../../../../src/cli/commands/serve/watched-logs.js";
import { loadEmbeddedCountryFile } from "../../../../src/lookup.js";

let folder: string;
let url: string;
let logs: WatchedLogs;
let feed: LiveFeed;
const cleanups: (() => unknown)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "radio-server-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "page/assets"), { recursive: true });
  await writeFile(join(folder, "page/index.html"), "<!doctype html>\n<html>\n  <head>\n  </head>\n</html>\n");
  await writeFile(join(folder, "page/assets/index-Ab12.js"), "export {};\n");
  await writeFile(join(folder, "secret.txt"), "secret");
  await writeFile(
    join(folder, "a.adi"),
    "<CALL:4>W1AW<QSO_DATE:8>20240601<BAND:3>20m<MODE:2>CW<DXCC:3>291<EOR>\n",
  );
  logs = await watchLogs([join(folder, "a.adi")], {
    onChange: () => {},
    table: await loadEmbeddedCountryFile(),
  });
  cleanups.push(() => logs.close());
  feed = startLiveFeed({
    sources: [],
    table: await loadEmbeddedCountryFile(),
    locator: undefined,
    filter: () => true,
    logs: () => logs,
    onState: () => {},
    warn: () => {},
  });
  cleanups.push(() => feed.close());
  const server = await startRadioServer({
    address: "127.0.0.1",
    port: 0,
    hosts: ["Shack.local"],
    files: await readPageFiles(join(folder, "page"), "jn48qm"),
    hub: feed.hub,
    logs,
  });
  cleanups.push(() => server.close());
  ({ url } = server);
});
afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What is waited for of a stream, which does not end. */
  readonly until?: string;
}

/** By Node's own client, which sends any `Host`. */
function ask(
  path: string,
  { method = "GET", headers = {}, body, until = "event: hello" }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let text = "";
      const done = () => {
        resolve({ status: response.statusCode, headers: response.headers, text });
        sent.destroy();
      };
      response.on("data", (bytes: Buffer) => {
        text += bytes.toString();
        if (path.startsWith("/live/events") && text.includes(until)) done();
      });
      response.on("end", done);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const needs = (stations: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask("/live/needs", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(stations),
  });

describe("the server of the radio page", () => {
  it("serves the page, which says that it has a server, under a policy", async () => {
    const page = await ask("/");
    expect(page.status).toBe(200);
    const facts = ['<meta name="live" content="./live/" />', '<meta name="locator" content="JN48QM" />'];
    expect(page.text).toContain(["<head>", ...facts].join("\n    "));
    expect(page.headers["content-security-policy"]).toContain("connect-src 'self'");
    expect(page.headers["content-security-policy"]).not.toContain("unsafe");
    expect(page.headers["cache-control"]).toBe("no-cache");
    const { etag = "" } = page.headers;
    expect((await ask("/", { headers: { "if-none-match": etag } })).status).toBe(304);
    const script = await ask("/assets/index-Ab12.js", { headers: { "accept-encoding": "gzip" } });
    expect(script.headers["content-encoding"]).toBe("gzip");
    expect(script.headers["cache-control"]).toContain("immutable");
  });

  it.each([
    "/secret.txt",
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "//secret.txt",
    "/assets/",
    "/live/",
    "/live/logs/1",
  ])("has nothing at %s", async (path) => {
    const { status, text } = await ask(path);
    expect(status).toBe(404);
    expect(text).not.toContain("secret\n");
  });

  it.each([
    ["127.0.0.1:8080", 200],
    ["localhost", 200],
    ["LOCALHOST:1", 200],
    ["[::1]:8080", 200],
    ["192.168.1.20:8080", 200],
    ["shack.local:8080", 200],
    ["evil.example", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1.evil.example", 403],
    ["shack.local.evil.example", 403],
    ["127.0.0.1@evil.example", 403],
  ])(
    "answers requests for the host %s with %i: a site may have any name point to this computer",
    async (host, status) => {
      expect((await ask("/", { headers: { host } })).status).toBe(status);
      expect((await ask("/live/events", { headers: { host } })).status).toBe(status);
    },
  );

  it.each([
    [{ origin: "http://localhost:8080", host: "localhost:8080" }, 200],
    [{ origin: "https://shack.local", host: "shack.local" }, 200],
    [{ origin: "http://evil.example", host: "localhost:8080" }, 403],
    [{ origin: "http://localhost:9999", host: "localhost:8080" }, 403],
    [{ origin: "null", host: "localhost:8080" }, 403],
    [{ "sec-fetch-site": "cross-site", host: "localhost:8080" }, 403],
    [{ "sec-fetch-site": "same-site", host: "localhost:8080" }, 403],
    [{ "sec-fetch-site": "same-origin", host: "localhost:8080" }, 200],
    [{ "sec-fetch-site": "none", host: "localhost:8080" }, 200],
  ] as const)("answers a request for live data with %j with %i", async (headers, status) => {
    for (const path of ["/live/events", "/live/logs/0"]) {
      const answer = await ask(path, { headers });
      expect({ path, status: answer.status }).toEqual({ path, status });
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
    expect((await needs([], headers)).status).toBe(status);
  });

  it("opens the page for a link of another site", async () => {
    expect((await ask("/", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(200);
  });

  it("sends the logs, and what stations would be for them", async () => {
    expect((await ask("/live/logs/0")).text).toContain("<CALL:4>W1AW");
    const { text } = await needs([
      { dx: "W2ABC", band: "20m", mode: "CW" },
      { dx: "JA1ABC", band: "20m", mode: "CW" },
    ]);
    const [known = [], unknown = []] = JSON.parse(text) as { key: string; state: string }[][];
    expect(known).toContainEqual(expect.objectContaining({ key: "dxcc.band.20m", state: "unconfirmed" }));
    expect(unknown).toContainEqual(
      expect.objectContaining({ key: "dxcc.band.20m", state: "new", unit: 339 }),
    );
  });

  it("rejects questions that are none", async () => {
    for (const stations of [
      {},
      [{}],
      [{ dx: 5 }],
      [null],
      Array.from({ length: 1001 }, () => ({ dx: "W1AW" })),
    ])
      expect((await needs(stations)).status).toBe(400);
    expect((await needs([{ dx: "W1AW", comment: "x".repeat(2_000_000) }])).status).toBe(400);
    expect((await needs([], { "content-type": "text/plain" })).status).toBe(415);
    expect((await ask("/live/needs")).status).toBe(405);
    expect((await ask("/live/events", { method: "POST" })).status).toBe(405);
    expect((await ask("/", { method: "POST" })).status).toBe(405);
  });

  it("greets with sources, logs, and the number of spots that were missed; sends those after the last one", async () => {
    const spot = { source: "x", time: new Date(0), frequencyKHz: 14_025, skimmer: false, comment: "" };
    for (let count = 0; count < 4500; count++) feed.hub.send({ ...spot, dx: `W${count}` });
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    const all = await ask("/live/events", { until: '"dx":"W4499"' });
    const last = ids(all.text).at(-1) ?? 0;
    expect(all.text).toContain('"logs":[{"name":"a.adi","contacts":1}]');
    const some = await ask(`/live/events?after=${last - 2}`, { until: '"dx":"W4499"' });
    expect(some.text).toContain('"missed":0');
    expect(ids(some.text)).toEqual([last - 1, last]);
    const late = await ask("/live/events", { headers: { "last-event-id": String(last - 3000) } });
    expect(late.text).toContain('"missed":1000');
  });
});
