/** `hamkit-identity limits` */
import { writeFileSync } from "node:fs";

import type { Command } from "commander";

import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

interface ImportOptions extends SettingsOptions {
  readonly dryRun?: true;
}

export function addLimitsCommand(program: Command, context: CommandContext): void {
  const limits = program
    .command("limits")
    .description("Write all limits into a file, or make them those of a file.");
  withSettings(limits.command("export"), context)
    .description("Write all registered limits and limits into a file: JSON if it ends in .json, else YAML.")
    .argument("<file>", "where to; - for the output")
    .action(async (file: string, options: SettingsOptions) => {
      const { exportLimits } = await import("./move-limits.js");
      const text = await exportLimits(settings(context, options), file.endsWith(".json") ? "json" : "yaml");
      if (file === "-") context.stdout.write(text);
      else writeFileSync(file, text);
    });
  withSettings(limits.command("import"), context)
    .description(
      "Make the limits those of a file, all or nothing, and show what changes. What it does not name goes.",
    )
    .argument("<file>", "YAML or JSON, as export writes it")
    .option("--dry-run", "show what would change, and change nothing")
    .action(async (file: string, options: ImportOptions) => {
      const { importLimits } = await import("./move-limits.js");
      const isDryRun = options.dryRun === true;
      const lines = await importLimits(settings(context, options), { file, isDryRun });
      const count = `${lines.length} ${lines.length === 1 ? "change" : "changes"}`;
      context.stdout.write(`${[...lines, isDryRun ? `${count}, none made` : count].join("\n")}\n`);
    });
}
