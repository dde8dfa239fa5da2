/** An instance of the service, with its operator's command line. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { TestDatabases } from "../../../test/databases.js";
import { runProgram } from "../../run-program.js";
import { startService } from "../../service-process.js";

const MAIN = fileURLToPath(new URL("../../../dist/hamkit-identity.js", import.meta.url));

export interface OpenService {
  /** What it has written so far. */
  output(): string;
  /** Runs a command of its operator's. @throws It has failed. */
  operate(...args: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface OpenServiceOptions {
  readonly port: number;
  readonly databases: TestDatabases;
  readonly env: Readonly<Record<string, string>>;
}

export async function openService({ port, databases, env }: OpenServiceOptions): Promise<OpenService> {
  const database = await databases.create();
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const service = await startService({
    databaseUrl: database.url,
    folder,
    port,
    // Metadata of the others is on this computer; reasons of failed logins are logged at `info`.
    env: { IDENTITY_ALLOW_HTTP_ISSUERS: "on", IDENTITY_LOG_LEVEL: "info", ...env },
  });
  return {
    output: () => service.output(),
    async operate(...args) {
      const { exit, errors } = await runProgram([process.execPath, MAIN, ...args], {
        env: {
          IDENTITY_DATABASE_URL: database.url,
          IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
        },
      });
      if (exit !== 0) throw new Error(errors);
    },
    async close() {
      await service.stop();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
