/** The OpenAPI document of the built service, which runs in this process for it, on an empty database of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const built = new URL("../dist/", import.meta.url);

/** The routes under /v3, those of federation under one of their names, without the address of a service. */
export async function apiDocument() {
  const [{ createApp }, { readConfig }, { systemClock }, { newId, newRequestId }, { createLog }] =
    await Promise.all(
      ["app.js", "config.js", "platform/clock.js", "platform/ids.js", "platform/log.js"].map(
        (module) => import(new URL(module, built)),
      ),
    );
  const folder = mkdtempSync(join(tmpdir(), "hamkit-api-document-"));
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

function withoutAliases(document) {
  const paths = Object.entries(document.paths).filter(([path]) => /^\/v3\/(?!EXT-)/.test(path));
  return { ...document, paths: Object.fromEntries(paths) };
}
