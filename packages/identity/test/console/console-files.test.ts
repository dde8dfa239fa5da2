/** The console's pages and files, and what they let a browser do. */
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, gunzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { sqliteDatabases } from "../databases.js";
import { testReplicas, type TestReplicas } from "../test-app.js";

const PAGE = `<!doctype html><html><head>
<meta property="csp-nonce" nonce="__CSP_NONCE__">
<script type="module" src="/console/assets/index-ab12.js" nonce="__CSP_NONCE__"></script>
<link rel="stylesheet" href="./assets/index-cd34.css"></head><body></body></html>`;
const SCRIPT = "export const answer = 42;".repeat(100);

let folder: string;
let started: TestReplicas[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "console-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), PAGE);
  await writeFile(join(folder, "favicon.svg"), "<svg/>");
  await writeFile(join(folder, "assets/index-ab12.js"), SCRIPT);
  await writeFile(join(folder, "assets/index-ab12.js.gz"), gzipSync(SCRIPT));
  await writeFile(join(folder, "assets/index-cd34.css"), "body{}");
  await writeFile(join(folder, "notes.secret"), "not for the web");
});
afterAll(async () => {
  for (const each of started) await each.remove();
  await rm(folder, { recursive: true });
});

async function start(publicUrl?: string, consoleFolder = folder) {
  const replicas = await testReplicas(sqliteDatabases, 1, { consoleFolder, ...(publicUrl && { publicUrl }) });
  started = [...started, replicas];
  const { server } = replicas.apps[0] as App;
  return (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });
}

describe("the console's page", () => {
  it.each(["/console", "/console/", "/console/users", "/console/users/a%2Fb?q=x", "/console/projects/1.2"])(
    "is at %s",
    async (url) => {
      const ask = await start();
      const { statusCode, headers, body } = await ask(url);
      expect([statusCode, headers["content-type"], headers["cache-control"]]).toEqual([
        200,
        "text/html; charset=utf-8",
        "no-store",
      ]);
      expect(body).toContain('src="/console/assets/index-ab12.js"');
      expect(body).toContain('href="/console/assets/index-cd34.css"');
    },
  );

  it("lets nothing run inline, nothing load from elsewhere, and no page frame it", async () => {
    const ask = await start();
    const { headers, body } = await ask("/console");
    const nonce = /nonce="([\w-]{22})"/.exec(body)?.[1] ?? "";
    const policies = String(headers["content-security-policy"]).split("; ");
    expect(policies).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(String(headers["content-security-policy"])).not.toMatch(/unsafe|\*|http/);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
  });

  it("is at the name of the public URL: browsers at another one of this machine are sent there", async () => {
    const ask = await start();
    const { statusCode, headers } = await ask("/console/users?q=a", { host: "localhost:5900" });
    expect([statusCode, headers.location]).toEqual([302, "http://127.0.0.1:5900/console/users?q=a"]);
    for (const host of ["127.0.0.1:5900", "localhost:8080", "id.example.org:5900", "[", "evil.example.org"])
      expect([host, (await ask("/console/users", { host })).statusCode]).toEqual([host, 200]);
    const secure = await start("https://localhost:5900");
    expect((await secure("/console", { host: "127.0.0.1:5900" })).statusCode).toBe(200);
  });

  it("has a nonce of its own each time", async () => {
    const ask = await start();
    const bodies = [(await ask("/console")).body, (await ask("/console")).body];
    expect(bodies[0]).not.toBe(bodies[1]);
    expect(bodies.join()).not.toContain("__CSP_NONCE__");
  });

  it("names its files below the path of the public URL", async () => {
    const ask = await start("https://id.example.org/identity");
    const { body, headers } = await ask("/console");
    expect(body).toContain('src="/identity/console/assets/index-ab12.js"');
    expect(body).toContain('href="/identity/console/assets/index-cd34.css"');
    expect(headers["strict-transport-security"]).toBe("max-age=31536000");
  });
});

describe("the console's files", () => {
  it("are kept by browsers, where their names change with their content", async () => {
    const ask = await start();
    const script = await ask("/console/assets/index-ab12.js");
    expect([script.statusCode, script.body]).toEqual([200, SCRIPT]);
    expect(script.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    const icon = await ask("/console/favicon.svg");
    expect([icon.headers["cache-control"], icon.headers["content-type"]]).toEqual([
      "no-cache",
      "image/svg+xml",
    ]);
  });

  it("are compressed for those who take it", async () => {
    const ask = await start();
    const zipped = await ask("/console/assets/index-ab12.js", { "accept-encoding": "br;q=0, gzip" });
    expect(zipped.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(SCRIPT);
    for (const accepted of ["", "identity", "gzip;q=0", "br"]) {
      const plain = await ask("/console/assets/index-ab12.js", { "accept-encoding": accepted });
      expect([plain.headers["content-encoding"], plain.body]).toEqual([undefined, SCRIPT]);
    }
  });

  it.each([
    "/console/assets/none.js",
    "/console/none.js",
    "/console/api/none",
    "/console/api",
    "/console/index.html.js",
    "/console/assets/..%2f..%2fpackage.json",
  ])("are no others: %s", async (url) => {
    const ask = await start();
    const { statusCode, body } = await ask(url);
    expect(statusCode).toBe(404);
    expect(body).toMatch(/"code":404/);
  });

  it.each(["/console/notes.secret", "/console/..%2foutside.js", "/console/%2e%2e/outside.js"])(
    "are those of known kinds in their folder: %s is a page of the application",
    async (url) => {
      await writeFile(join(folder, "../outside.js"), "not for the web");
      const ask = await start();
      const { body } = await ask(url);
      await rm(join(folder, "../outside.js"));
      expect(body).not.toContain("not for the web");
    },
  );

  it("are missing without a build, which the service says", async () => {
    const ask = await start(undefined, join(folder, "none"));
    const { statusCode, body } = await ask("/console/users");
    expect([statusCode, body]).toEqual([
      503,
      "This installation has no console: its pages were not built.\n",
    ]);
  });
});
