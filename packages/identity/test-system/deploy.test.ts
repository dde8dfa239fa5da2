/** The files in `deploy/`, tried with the programs that read them. */
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it, onTestFinished } from "vitest";

import { commandLine, freePort } from "../test/command-line.js";
import { makeCertificate } from "./certificates.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const { folder, start } = commandLine();

function deployed(name: string): string {
  return readFileSync(join(ROOT, "deploy", name), "utf8");
}

it("runs behind nginx, which forwards the client's address, whatever the client sends", async () => {
  const [port, httpsPort, httpPort] = [await freePort(), await freePort(), await freePort()];
  const service = start(["serve"], {
    IDENTITY_PORT: String(port),
    IDENTITY_PUBLIC_URL: `https://127.0.0.1:${httpsPort}`,
    IDENTITY_TRUSTED_PROXIES: "127.0.0.1",
  });
  await expect.poll(service.output, { timeout: 20_000 }).toContain('"msg":"serving"');
  await startNginx({ port, httpsPort, httpPort });

  const answer = await ask(httpsPort, "/v3", { "x-forwarded-for": "203.0.113.9" });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({
    version: { links: [{ href: `https://127.0.0.1:${httpsPort}/v3/` }] },
  });
  expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
  await expect
    .poll(() => service.lines())
    .toContainEqual(expect.objectContaining({ path: "/v3", from: "127.0.0.2" }));

  for (const path of [
    "/metrics",
    "/metrics/",
    "/m%65trics",
    "//metrics/",
    "/readyz",
    "/readyz/?a",
    "/x/../readyz",
  ])
    expect([path, (await ask(httpsPort, path)).status]).toEqual([path, 403]);
  expect((await ask(httpsPort, "/v3/auth/tokens", { "x-auth-token": "x".repeat(8000) })).status).not.toBe(
    414,
  );
  const plain = await fetch(`http://127.0.0.1:${httpPort}/v3?x=1`, { redirect: "manual" });
  expect(plain.status).toBe(308);
  expect(plain.headers.get("location")).toBe("https://127.0.0.1/v3?x=1");
});

it.each([
  "deploy/Containerfile",
  "scripts/start.mjs",
  "bench/identity-service.mjs",
  "packages/identity/test-system/service-process.ts",
])("has the unit's settings of malloc in %s, too", (file) => {
  const settings = deployed("hamkit-identity.service").match(/MALLOC_\w+=\d+/g) ?? [];
  expect(settings).toHaveLength(2);
  const text = readFileSync(join(ROOT, file), "utf8");
  expect(text.match(/MALLOC_\w+(?:=|: ")\d+/g)?.map((each) => each.replace(': "', "="))).toEqual(settings);
});

it("is described to systemd in words that it knows", () => {
  if (!existsSync("/usr/bin/systemd-analyze")) return;
  const unit = join(folder(), "hamkit-identity.service");
  writeFileSync(unit, deployed("hamkit-identity.service").replace("/usr/bin/node", process.execPath));
  const verified = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
  expect(verified.stderr.split("\n").filter((line) => line.includes("hamkit-identity"))).toEqual([]);
  expect(verified.status).toBe(0);
});

it("starts from the files that the container image holds", () => {
  const copied = [...deployed("Containerfile").matchAll(/^COPY --from=build ((?:.|\\\n)+)$/gm)];
  const paths = copied.flatMap(([, words = ""]) => words.match(/\/app\/\S+/g) ?? []).flatMap(matching);
  for (const path of [...paths, "/app/packages/identity/package.json"])
    cpSync(join(ROOT, path.replace("/app/", "")), join(folder(), path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder(), "app", "node_modules"));
  const program = join(folder(), "app/packages/identity/bin/hamkit-identity.js");
  const started = spawnSync(process.execPath, [program, "migrate"], {
    encoding: "utf8",
    env: { HOME: folder() },
  });
  expect(started).toMatchObject({ status: 0, stderr: "" });
  expect(paths).toContain("/app/packages/identity/dist/hamkit-identity.js");
});

/** The files of the repository that a path of `COPY` matches. */
function matching(path: string): string[] {
  const [before = "", after] = path.split("*");
  if (after === undefined) return [path];
  const found = dirname(before);
  return readdirSync(join(ROOT, found.replace("/app/", "")))
    .map((name) => join(found, name))
    .filter((name) => name.startsWith(before) && name.endsWith(after));
}

async function startNginx(ports: { port: number; httpsPort: number; httpPort: number }): Promise<void> {
  const { cert, key } = makeCertificate({ folder: folder(), name: "id" });
  const site = deployed("nginx.conf")
    .replace("127.0.0.1:5000;", `127.0.0.1:${ports.port};`)
    .replace("listen 443", `listen 127.0.0.1:${ports.httpsPort}`)
    .replace("listen 80", `listen 127.0.0.1:${ports.httpPort}`)
    .replace("/etc/ssl/certs/id.example.org.pem", cert)
    .replace("/etc/ssl/private/id.example.org.key", key);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder()}/tmp;`,
  );
  mkdirSync(join(folder(), "tmp"));
  writeFileSync(
    join(folder(), "nginx.conf"),
    `daemon off; pid ${folder()}/nginx.pid; error_log stderr; events {} http { access_log off; ${temporary.join(" ")} ${site} }`,
  );
  const nginx = spawn("/usr/sbin/nginx", ["-p", folder(), "-c", join(folder(), "nginx.conf")]);
  let errors = "";
  nginx.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const ended = new Promise((resolve) => {
    nginx.once("close", resolve);
  });
  onTestFinished(async () => {
    nginx.kill("SIGTERM");
    await ended;
  });
  await expect
    .poll(
      () =>
        ask(ports.httpsPort, "/v3").then(
          ({ status }) => status,
          () => errors,
        ),
      { timeout: 10_000 },
    )
    .toBe(200);
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Asks from an address that is not the proxy's. */
function ask(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", localAddress: "127.0.0.2", port, path, headers };
    const asked = request({ ...options, rejectUnauthorized: false }, (answer) => {
      let body = "";
      answer.on("data", (data: Buffer) => (body += data.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
    });
    asked.once("error", reject);
    asked.end();
  });
}
