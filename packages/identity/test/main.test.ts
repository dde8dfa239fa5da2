import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { commandLine, freePort } from "./command-line.js";

const { folder, start } = commandLine();

describe("hamkit-identity serve", () => {
  it("creates its database, answers over HTTP, and stops gracefully on a signal", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = { IDENTITY_PORT: String(port), IDENTITY_PROT: "1", IDENTITY_ADMIN_PASSWORD: "" };
    const run = start(["serve"], env);
    await expect.poll(run.output, { timeout: 20_000 }).toContain('"msg":"serving"');
    const answer = await fetch(`${url}/v3`);
    expect(await answer.json()).toMatchObject({ version: { links: [{ href: `${url}/v3/` }] } });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    run.child.kill("SIGTERM");
    expect(await run.ended).toBe(0);
    expect(run.errors()).toContain(`The identity service is at ${url}/v3\n`);
    expect(run.errors()).toMatch(/export OS_PASSWORD=[\w-]{24}\n/);
    expect(run.output()).not.toMatch(/OS_PASSWORD/);
    expect(run.lines()).toContainEqual(expect.objectContaining({ level: "warn", option: "IDENTITY_PROT" }));
    expect(run.lines()).toContainEqual(
      expect.objectContaining({
        request: answer.headers.get("x-openstack-request-id"),
        path: "/v3",
        status: 200,
      }),
    );
  });

  it("prints the password when it is generated, not when it is configured", async () => {
    const port = await freePort();
    const env = { IDENTITY_PORT: String(port) };
    for (const password of ["", "known"]) {
      const run = start(["serve"], { ...env, IDENTITY_ADMIN_PASSWORD: password });
      await expect.poll(run.output, { timeout: 20_000 }).toContain('"msg":"serving"');
      run.child.kill("SIGTERM");
      expect(await run.ended).toBe(0);
      expect(run.errors().includes("OS_PASSWORD")).toBe(password === "");
    }
  });

  it("answers on one address for each process", async () => {
    const port = await freePort();
    const first = start(["serve"], { IDENTITY_PORT: String(port) });
    await expect.poll(first.output, { timeout: 20_000 }).toContain('"msg":"serving"');
    const second = start(["serve"], { IDENTITY_PORT: String(port) });
    expect(await second.ended).toBe(1);
    expect(second.errors()).toMatch(/^hamkit-identity: listen EADDRINUSE: address already in use .*\n$/);
    expect((await fetch(`http://127.0.0.1:${port}/v3`)).status).toBe(200);
  });

  it.each([
    [
      { IDENTITY_PORT: "x" },
      2,
      'hamkit-identity: IDENTITY_PORT: "x" is not a whole number from 0 to 65535\n',
    ],
    [
      { IDENTITY_CONFIG: "/not/there.toml" },
      2,
      "hamkit-identity: --config: \"/not/there.toml\" can't be read: ENOENT: no such file or directory, open '/not/there.toml'\n",
    ],
    [{ IDENTITY_DATABASE_URL: "sqlite:/dev/null/id.db" }, 1, /^hamkit-identity: .* \(.*\/dev\/null.*\)\n$/],
    [
      { IDENTITY_DATABASE_URL: "postgres://postgres@127.0.0.1:1/x" },
      1,
      /^hamkit-identity: .* \(connect ECONNREFUSED 127\.0\.0\.1:1\)\n$/,
    ],
  ])("refuses to start with %j, and says why", async (env, exit, message) => {
    const run = start(["serve"], env);
    expect(await run.ended).toBe(exit);
    expect(run.errors()).toMatch(message);
  });

  it("takes its settings from a file", async () => {
    const path = join(folder(), "id.toml");
    await writeFile(path, "port = 99999\n");
    const run = start(["serve", "--config", path]);
    expect(await run.ended).toBe(2);
    expect(run.errors()).toContain(`port in ${path}: "99999" is not a whole number`);
  });
});

describe("hamkit-identity", () => {
  it("lists its commands and settings", async () => {
    const help = start(["--help"]);
    expect(await help.ended).toBe(0);
    expect(help.output()).toContain("serve [options]");
    const serveHelp = start(["help", "serve"]);
    expect(await serveHelp.ended).toBe(0);
    expect(serveHelp.output()).toContain("IDENTITY_DATABASE_URL");
  });

  it("knows no other words", async () => {
    const run = start(["sevre"]);
    expect(await run.ended).toBe(2);
    expect(run.errors()).toContain("unknown command 'sevre'");
  });
});
