/** `hamkit-identity limits` */
import { readFileSync, writeFileSync } from "node:fs";

import type { Command } from "commander";

import type { Config } from "../config.js";
import { parseLimitDocument, writeLimitDocument } from "../limits/limit-document.js";
import type { LimitTransfer } from "../limits/limit-transfer.js";
import type { Database } from "../platform/database/database.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

interface ImportOptions extends SettingsOptions {
  readonly dryRun?: true;
}

/** Makes what moves limits, from the parts that it rests on. */
export type MakeLimitTransfer = (database: Database, config: Config) => LimitTransfer;

export function addLimitsCommand(program: Command, context: CommandContext, make: MakeLimitTransfer): void {
  const limits = program
    .command("limits")
    .description("Write all limits into a file, or make them those of a file.");
  withSettings(limits.command("export"), context)
    .description("Write all registered limits and limits into a file: JSON if it ends in .json, else YAML.")
    .argument("<file>", "where to; - for the output")
    .action((file: string, options: SettingsOptions) =>
      withTransfer({ context, options, make }, async (transfer) => {
        const text = writeLimitDocument(await transfer.export(), file.endsWith(".json") ? "json" : "yaml");
        if (file === "-") context.stdout.write(text);
        else writeFileSync(file, text);
      }),
    );
  withSettings(limits.command("import"), context)
    .description(
      "Make the limits those of a file, all or nothing, and show what changes. What it does not name goes.",
    )
    .argument("<file>", "YAML or JSON, as export writes it")
    .option("--dry-run", "show what would change, and change nothing")
    .action((file: string, options: ImportOptions) =>
      withTransfer({ context, options, make }, async (transfer) => {
        const document = parseLimitDocument(readFileSync(file, "utf8"));
        const isDryRun = options.dryRun === true;
        const lines = await transfer.import(document, { isDryRun });
        const summary = `${lines.length} ${lines.length === 1 ? "change" : "changes"}${isDryRun ? ", none made" : ""}`;
        context.stdout.write(`${[...lines, summary].join("\n")}\n`);
      }),
    );
}

interface TransferNeeds {
  readonly context: CommandContext;
  readonly options: SettingsOptions;
  readonly make: MakeLimitTransfer;
}

async function withTransfer(
  { context, options, make }: TransferNeeds,
  work: (transfer: LimitTransfer) => Promise<void>,
): Promise<void> {
  const config = settings(context, options);
  const database = await openMigrated(config.databaseUrl);
  try {
    await work(make(database, config));
  } finally {
    await database.close();
  }
}
