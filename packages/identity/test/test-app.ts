/** The whole service in process, on a database of the test's own. */
import { createApp, type App } from "../src/app.js";
import { readConfig } from "../src/config.js";
import { systemClock } from "../src/platform/clock.js";
import { newId, newRequestId } from "../src/platform/ids.js";
import { createLog } from "../src/platform/log.js";
import type { TestDatabases } from "./databases.js";
import { PUBLIC_URL } from "./test-server.js";

/** A service that can be asked by `app.server.inject`. */
export interface TestApp {
  readonly app: App;
  remove(): Promise<void>;
}

/** @param env Settings beside those that a test needs. */
export async function testApp(databases: TestDatabases, env: Record<string, string> = {}): Promise<TestApp> {
  const place = await databases.create();
  const config = readConfig({
    IDENTITY_DATABASE_URL: place.url,
    // Without one the service would make a file in the working directory.
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
    IDENTITY_RATE_LIMIT: "off",
    ...env,
  });
  const log = createLog("silent", { write: () => {} });
  const world = { log, clock: systemClock, newId, newRequestId, isProcess: false };
  const app = await createApp({ ...config, publicUrl: PUBLIC_URL }, world);
  return {
    app,
    async remove() {
      await app.close();
      await place.remove();
    },
  };
}
