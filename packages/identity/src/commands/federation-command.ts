/** `hamkit-identity federation`: exports the federation as a document, plans and applies one. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import type { Command } from "commander";

import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";

/** The exit code of a plan with differences; errors of any kind, also of usage, are 1. */
const DIFFERENCES = 2;

interface PlanOptions extends SettingsOptions {
  readonly keepSecrets?: true;
  readonly json?: true;
}

interface ApplyOptions extends PlanOptions {
  readonly revision?: string;
}

export function addFederationCommand(program: Command, context: CommandContext): void {
  const federation = program
    .command("federation")
    .description("Keep identity providers, mappings, groups, roles, grants and limits in a file.");
  withSettings(federation.command("export"), context)
    .description(
      "Write the federation to a file: JSON if its name ends in .json, else YAML. Secrets are references.",
    )
    .argument("<file>", "the file; - for standard output")
    .action(async (file: string, options: SettingsOptions) => {
      const { withFederation } = await import("./transfer-federation.js");
      const text = await withFederation(settings(context, options), ({ documents }) =>
        documents.export(file.endsWith(".json") ? "json" : "yaml"),
      );
      if (file === "-") context.stdout.write(text);
      else writeFileSync(file, text);
    });
  withPlanOptions(federation.command("plan"), context)
    .description(
      "Show what a file would change, without changes. Exits with 0 for no difference, 2 for differences, 1 for an error.",
    )
    .action(async (file: string, options: PlanOptions) => {
      const { planFederation } = await import("./transfer-federation.js");
      const { text, hasChanges } = await planFederation(
        settings(context, options),
        given(file, options),
        options,
      );
      context.stdout.write(text);
      if (hasChanges) context.end(DIFFERENCES);
    });
  withPlanOptions(federation.command("apply"), context)
    .description(
      "Change the service to what a file states, all of it or nothing, and print the changes. The service may be running.",
    )
    .option("--revision <revision>", "make the changes of the plan that printed this revision, or none")
    .action(async (file: string, options: ApplyOptions) => {
      const { applyFederation } = await import("./transfer-federation.js");
      const { createLog } = await import("../platform/log.js");
      const log = createLog("info", { write: (line) => void context.stderr.write(line) });
      const output = { ...options, log };
      context.stdout.write(await applyFederation(settings(context, options), given(file, options), output));
    });

  function given(file: string, { keepSecrets }: PlanOptions) {
    const isStandardInput = file === "-";
    return {
      text: readFileSync(isStandardInput ? 0 : file, "utf8"),
      file: isStandardInput ? "standard input" : file,
      secrets:
        keepSecrets === true
          ? undefined
          : { env: context.env, folder: isStandardInput ? "." : dirname(file) },
    };
  }
}

function withPlanOptions(command: Command, context: CommandContext): Command {
  return withSettings(command, context)
    .argument("<file>", "YAML or JSON; - for standard input")
    .option(
      "--keep-secrets",
      "leave stored secrets as they are, without reading those that the file refers to",
    )
    .option("--json", "print the changes as JSON");
}
