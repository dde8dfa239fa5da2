/** `hamkit-identity doctor`: prints the findings of all checks. */
import type { Command } from "commander";

import { CONFIG_FILE, unknownOptions } from "../config.js";
import { examine } from "../doctor/doctor.js";
import { systemClock } from "../platform/clock.js";
import {
  EXIT,
  settings,
  withSettings,
  type CommandContext,
  type SettingsOptions,
} from "./command-context.js";

export function addDoctorCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("doctor"), context)
    .description(
      "Check settings, files, database, identity providers and public URL, without changes, and print remedies. Exits with 1 for a failure.",
    )
    .option("--json", "print each finding as a line of JSON: state, subject and text")
    .action(async (options: SettingsOptions & { readonly json?: true }) => {
      const findings = examine({
        config: settings(context, options),
        configFile: options.config ?? context.env[CONFIG_FILE],
        unknownOptions: unknownOptions(context.env),
        clock: systemClock,
      });
      for await (const { state, subject, text } of findings) {
        const line = options.json
          ? JSON.stringify({ state, subject, text })
          : `${state.padEnd(9)}${subject.padEnd(17)}${text}`;
        context.stdout.write(`${line}\n`);
        if (state === "failure") context.end(EXIT.failed);
      }
    });
}
