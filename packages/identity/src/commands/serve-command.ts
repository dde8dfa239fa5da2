/** `hamkit-identity serve` */
import type { Command } from "commander";
import { pino } from "pino";

import { unknownOptions } from "../config.js";
import { createLog } from "../platform/log.js";
import { serve } from "../serve.js";
import { EXIT, settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

export function addServeCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("serve"), context)
    .description("Start the service: create or migrate the database, and listen.")
    .action(async (options: SettingsOptions) => {
      const config = settings(context, options);
      const log = createLog(config.logLevel, pino.destination({ dest: 1, sync: true }));
      for (const option of unknownOptions(context.env)) log.warn({ option }, "there is no such option");
      const serving = await serve(config, log);
      context.onReload(() => serving.reload());
      await context.stopped();
      context.end((await serving.stop()) ? EXIT.done : EXIT.failed);
    });
}
