/** `hamkit-identity limits`: exports and imports all limits. */
import { writeFileSync } from "node:fs";

import type { Command } from "commander";

import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

interface ImportOptions extends SettingsOptions {
  readonly dryRun?: true;
}

export function addLimitsCommand(program: Command, context: CommandContext): void {
  const limits = program.command("limits").description("Export all limits to a file, or import them.");
  withSettings(limits.command("export"), context)
    .description(
      "Write all registered limits and limits to a file: JSON if its name ends in .json, else YAML.",
    )
    .argument("<file>", "the file; - for standard output")
    .action(async (file: string, options: SettingsOptions) => {
      const { exportLimits } = await import("./transfer-limits.js");
      const text = await exportLimits(settings(context, options), file.endsWith(".json") ? "json" : "yaml");
      if (file === "-") context.stdout.write(text);
      else writeFileSync(file, text);
    });
  withSettings(limits.command("import"), context)
    .description(
      "Replace all limits by those of a file, in one transaction, and print the changes. Limits not in the file are deleted.",
    )
    .argument("<file>", "YAML or JSON, as written by export")
    .option("--dry-run", "print the changes without applying them")
    .action(async (file: string, options: ImportOptions) => {
      const { importLimits } = await import("./transfer-limits.js");
      const isDryRun = options.dryRun === true;
      const lines = await importLimits(settings(context, options), { file, isDryRun });
      const count = `${lines.length} ${lines.length === 1 ? "change" : "changes"}`;
      context.stdout.write(`${[...lines, isDryRun ? `${count}, none made` : count].join("\n")}\n`);
    });
}
