/** The cloud's name, logo and contact, as the console shows them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import type { App } from "../../src/app.js";
import { readConfig } from "../../src/config.js";
import { readLogo } from "../../src/console/cloud-looks.js";
import { sqliteDatabases } from "../databases.js";
import { testReplicas } from "../test-app.js";

const SVG = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logo-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("are public, and an SVG logo runs nothing where it is opened by itself", async () => {
  const logo = join(folder, "logo.svg");
  await writeFile(logo, SVG);
  const replicas = await testReplicas(sqliteDatabases, 1, {
    env: {
      IDENTITY_CONSOLE_NAME: "Zug Cloud",
      IDENTITY_CONSOLE_LOGO: logo,
      IDENTITY_CONSOLE_CONTACT: "help@example.org",
    },
  });
  const { server } = replicas.apps[0] as App;
  const headers = { "x-console": "1" };
  expect((await server.inject({ url: "/console/api/cloud", headers })).json()).toEqual({
    name: "Zug Cloud",
    contact: "help@example.org",
    has_logo: true,
  });
  const shown = await server.inject({ url: "/console/logo" });
  expect([shown.statusCode, shown.headers["content-type"], shown.body]).toEqual([200, "image/svg+xml", SVG]);
  expect(shown.headers["content-security-policy"]).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  );
  expect(shown.headers["x-content-type-options"]).toBe("nosniff");
  await replicas.remove();
});

it.each([
  ["page.html", "<html><body/></html>", "is neither a PNG nor an SVG file"],
  ["large.svg", `<svg>${" ".repeat(65_536)}</svg>`, "has 65547 bytes, at most 65536 are allowed"],
])("are refused at the start for %s as the logo", async (name, text, reason) => {
  await writeFile(join(folder, name), text);
  expect(() => readLogo(join(folder, name))).toThrow(reason);
});

it("are refused at the start without the file of the logo, by the name of the setting", () => {
  const env = { HOME: folder, IDENTITY_CONSOLE_LOGO: join(folder, "missing.png") };
  expect(() => readConfig(env)).toThrow(/IDENTITY_CONSOLE_LOGO: .*does not exist/);
});
