/** `hamkit-identity limits` */
import { readFileSync, writeFileSync } from "node:fs";

import type { Command } from "commander";

import { createRegionService } from "../catalog/region-service.js";
import { createServiceService } from "../catalog/service-service.js";
import type { Config } from "../config.js";
import { parseLimitDocument, writeLimitDocument } from "../limits/limit-document.js";
import { createLimitServices } from "../limits/limit-services.js";
import type { LimitTransfer } from "../limits/limit-transfer.js";
import type { Database } from "../platform/database/database.js";
import { newId } from "../platform/ids.js";
import { listProjects } from "../projects/project-list.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

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
    .action((file: string, options: SettingsOptions) =>
      withTransfer(settings(context, options), async (transfer) => {
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
      withTransfer(settings(context, options), async (transfer) => {
        const document = parseLimitDocument(readFileSync(file, "utf8"));
        const isDryRun = options.dryRun === true;
        const lines = await transfer.import(document, { isDryRun });
        const summary = `${lines.length} ${lines.length === 1 ? "change" : "changes"}${isDryRun ? ", none made" : ""}`;
        context.stdout.write(`${[...lines, summary].join("\n")}\n`);
      }),
    );
}

async function withTransfer(config: Config, work: (transfer: LimitTransfer) => Promise<void>): Promise<void> {
  const database = await openMigrated(config.databaseUrl);
  try {
    await work(transferOf(database, config));
  } finally {
    await database.close();
  }
}

function transferOf(database: Database, { enforcementModel }: Config): LimitTransfer {
  const services = createServiceService({ database, newId });
  const regions = createRegionService({ database, newId });
  return createLimitServices({
    database,
    newId,
    catalog: { getService: services.get, getRegion: regions.get },
    projects: { listProjectsById: (ids) => listProjects(database, { ids }) },
    enforcementModel,
  }).limitTransfer;
}
