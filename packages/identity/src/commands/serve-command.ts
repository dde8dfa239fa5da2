/** `hamkit-identity serve`: runs the service, in one process or in workers. */
import type { Command } from "commander";

import { CONFIG_FILE, unknownOptions, type Config } from "../config.js";
import { StoppedWhileWaiting } from "../key-wait.js";
import type { DoctorOptions } from "../doctor/doctor.js";
import type { Finding } from "../doctor/finding.js";
import { systemClock } from "../platform/clock.js";
import { adaptHeapToLoad } from "../platform/heap-growth.js";
import { createLogOutput, stdioSink, type LogOutput } from "../platform/log-output/log-output.js";
import { createLog, type ServiceLog } from "../platform/log.js";
import type { Serving } from "../serve.js";
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
      const logOutput = createLogOutput({ sink: stdioSink(1), errors: stdioSink(2) });
      process.once("exit", () => logOutput.end());
      const log = createLog(config.log.level, logOutput, worker && { worker: worker.id });
      if (worker === undefined)
        for (const option of unknownOptions(env)) log.warn({ option }, "unknown setting");
      const run = worker === undefined && config.server.workers > 1 ? superviseWorkers : serveInProcess;
      const examine = () =>
        examineFor({
          config,
          configFile: options.config ?? env[CONFIG_FILE],
          unknownOptions: unknownOptions(env),
        });
      end((await run(config, { ...context, log, logOutput, examine })) ? EXIT.done : EXIT.failed);
    });
}

/** The doctor, loaded when it is asked for. */
async function* examineFor(options: Omit<DoctorOptions, "clock">): AsyncGenerator<Finding> {
  const { examine } = await import("../doctor/doctor.js");
  yield* examine({ ...options, clock: systemClock });
}

interface ServeContext extends CommandContext {
  readonly examine: () => AsyncIterable<Finding>;
  readonly log: ServiceLog;
  readonly logOutput: LogOutput;
}

/** @returns Whether all requests in flight completed. */
async function serveInProcess(config: Config, context: ServeContext): Promise<boolean> {
  const { worker, stopped, onReload, log, logOutput, examine } = context;
  // Loaded on demand: other commands start in half the time.
  const { serve } = await import("../serve.js");
  adaptHeapToLoad();
  let serving: Serving;
  try {
    serving = await serve(config, { log, logOutput, worker, examine });
  } catch (error) {
    // It has no requests to complete.
    if (error instanceof StoppedWhileWaiting) return true;
    throw error;
  }
  onReload(() => serving.reload());
  // Logged after the handlers of signals are there: a supervisor that waits for the line may send one at once.
  const stopRequest = stopped();
  log.info({ url: serving.url, publicUrl: serving.publicUrl, pid: process.pid }, "serving");
  if (context.isInteractive || serving.firstPassword !== undefined) context.stderr.write(welcome(serving));
  return serving.stop(await stopRequest);
}

/** @returns Whether all workers stopped cleanly. */
async function superviseWorkers(
  config: Config,
  { fork, stopped, onReload, log }: ServeContext,
): Promise<boolean> {
  const supervisor = supervise({
    fork,
    count: config.server.workers,
    metricsPort: config.metrics.port,
    shutdownDelayMs: config.server.shutdownDelaySeconds * 1000,
    log,
  });
  onReload(() => supervisor.reload());
  const request = await Promise.race([stopped(), supervisor.failed]);
  return (await supervisor.stop(request ?? { isHurried: true })) && request !== undefined;
}

const STARS = "********";

/** Shows the password only if it was just generated. */
export function welcome({
  publicUrl,
  firstPassword,
  consoleUrl,
}: Pick<Serving, "publicUrl" | "firstPassword" | "consoleUrl">): string {
  const ofConsole = consoleUrl === undefined ? [] : [`The console is at ${consoleUrl}`, ""];
  const variables = {
    OS_AUTH_URL: `${publicUrl}/v3`,
    OS_IDENTITY_API_VERSION: "3",
    OS_USERNAME: "admin",
    OS_PASSWORD: firstPassword ?? STARS,
    OS_USER_DOMAIN_ID: "default",
    OS_PROJECT_NAME: "admin",
    OS_PROJECT_DOMAIN_ID: "default",
  };
  const lines = Object.entries(variables).map(([name, value]) => `  export ${name}=${value}`);
  const note =
    firstPassword === undefined
      ? []
      : [
          "This password was generated for the first start and is shown only once: store it, or change it.",
          "",
        ];
  const api = [`The identity service is at ${publicUrl}/v3`, "", ...lines, ""];
  return ["", ...ofConsole, ...api, ...note].join("\n");
}
