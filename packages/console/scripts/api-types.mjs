/**
 * Writes src/api/generated/identity-api.ts: the types of the identity service's API, from the OpenAPI document that the service
 * itself serves. The service runs in this process, on an empty database in memory of its own.
 */
import { mkdirSync, readFileSync, rmSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import openapiTypescript, { astToString } from "openapi-typescript";

const identity = new URL("../../identity/dist/", import.meta.url);
const target = fileURLToPath(new URL("../src/api/generated/", import.meta.url));

/** Writes the types, if they changed. */
export async function writeApiTypes() {
  const types = astToString(await openapiTypescript(await apiDocument(), { alphabetize: true }));
  const file = join(target, "identity-api.ts");
  if (contentOf(file) === types) return;
  mkdirSync(target, { recursive: true });
  writeFileSync(file, types);
}

/** The document, without the address of this service. */
async function apiDocument() {
  const [{ createApp }, { readConfig }, { systemClock }, { newId, newRequestId }, { createLog }] =
    await Promise.all(
      ["app.js", "config.js", "platform/clock.js", "platform/ids.js", "platform/log.js"].map(
        (module) => import(new URL(module, identity)),
      ),
    );
  const folder = mkdtempSync(join(tmpdir(), "hamkit-console-types-"));
  const config = readConfig({
    IDENTITY_DATABASE_URL: `sqlite:${join(folder, "identity.db")}`,
    IDENTITY_MASTER_KEY: Buffer.alloc(32).toString("base64"),
  });
  const log = createLog("silent", { write: () => {} });
  const publicUrl = "http://localhost";
  const deps = { log, publicUrl, clock: systemClock, newId, newRequestId, isProcess: false };
  try {
    const app = await createApp(config, deps);
    const response = await app.server.inject("/openapi.json");
    await app.close();
    return withoutAliases(response.json());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The routes under /v3, those of federation under one of their names. */
function withoutAliases(document) {
  const paths = Object.entries(document.paths).filter(([path]) => /^\/v3\/(?!EXT-)/.test(path));
  return { ...document, paths: Object.fromEntries(paths) };
}

function contentOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
