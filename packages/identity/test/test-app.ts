/** The whole service in process, on a database of the test's own. */
import { createApp, type App } from "../src/app.js";
import { readConfig } from "../src/config.js";
import { systemClock, type Clock } from "../src/platform/clock.js";
import { newId, newRequestId } from "../src/platform/ids.js";
import { createLog } from "../src/platform/log.js";
import type { TestDatabases } from "./databases.js";
import { PUBLIC_URL } from "./test-server.js";

/** Of the user admin. */
export const ADMIN_PASSWORD = "adminpw";

/** A service that can be asked by `app.server.inject`. */
export interface TestApp {
  readonly app: App;
  remove(): Promise<void>;
}

/** What of the world a test may want to be another way. */
export interface TestWorld {
  readonly clock?: Clock;
  readonly log?: ReturnType<typeof createLog>;
}

/** @param env Settings beside those that a test needs. */
export async function testApp(
  databases: TestDatabases,
  env: Record<string, string> = {},
  { clock = systemClock, log = createLog("silent", { write: () => {} }) }: TestWorld = {},
): Promise<TestApp> {
  const place = await databases.create();
  const config = readConfig({
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_RATE_LIMIT: "off",
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
    ...env,
  });
  const world = { log, clock, newId, newRequestId, isProcess: false };
  const app = await createApp({ ...config, publicUrl: PUBLIC_URL }, world);
  return {
    app,
    async remove() {
      await app.close();
      await place.remove();
    },
  };
}
