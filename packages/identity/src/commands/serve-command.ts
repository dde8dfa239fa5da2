/** `hamkit-identity serve`: runs the service, in one process or in workers. */
import type { Command } from "commander";
import type { FastifyBaseLogger } from "fastify";
import { pino } from "pino";

import { unknownOptions, type Config } from "../config.js";
import { adaptHeapToLoad } from "../platform/heap-growth.js";
import { createLog } from "../platform/log.js";
import { welcome } from "../welcome.js";
import { supervise } from "../workers/supervisor.js";
import {
  EXIT,
  settings,
  withSettings,
  type CommandContext,
  type SettingsOptions,
} from "./command-context.js";

export function addServeCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("serve"), context)
    .description("Start the service: create or migrate the database, and listen.")
    .action(async (options: SettingsOptions) => {
      const { worker, env, end } = context;
      const config = settings(context, options);
      const log = createLog(config.logLevel, pino.destination({ dest: 1, sync: true }));
      if (worker === undefined)
        for (const option of unknownOptions(env)) log.warn({ option }, "unknown setting");
      const run = worker === undefined && config.workers > 1 ? superviseWorkers : serveInProcess;
      end((await run(config, log, context)) ? EXIT.done : EXIT.failed);
    });
}

/** @returns Whether all requests in flight completed. */
async function serveInProcess(
  config: Config,
  log: FastifyBaseLogger,
  context: CommandContext,
): Promise<boolean> {
  const { worker, stopped, onReload } = context;
  // Loaded on demand: other commands start in half the time.
  const { serve } = await import("../serve.js");
  const ownLog = worker === undefined ? log : log.child({ worker: worker.id });
  adaptHeapToLoad();
  const serving = await serve(config, { log: ownLog, worker });
  onReload(() => serving.reload());
  // Logged after the handlers of signals are there: a supervisor that waits for the line may send one at once.
  const stopRequest = stopped();
  ownLog.info({ url: serving.url, publicUrl: serving.publicUrl, pid: process.pid }, "serving");
  if (context.isInteractive || serving.firstPassword !== undefined) context.stderr.write(welcome(serving));
  return serving.stop(await stopRequest);
}

/** @returns Whether all workers stopped cleanly. */
async function superviseWorkers(
  config: Config,
  log: FastifyBaseLogger,
  { fork, stopped, onReload }: CommandContext,
): Promise<boolean> {
  const shutdownDelayMs = config.shutdownDelaySeconds * 1000;
  const supervisor = supervise({ ...config, fork, count: config.workers, shutdownDelayMs, log });
  onReload(() => supervisor.reload());
  const request = await Promise.race([stopped(), supervisor.failed]);
  return (await supervisor.stop(request ?? { isHurried: true })) && request !== undefined;
}
