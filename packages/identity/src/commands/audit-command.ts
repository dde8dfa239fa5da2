/** `hamkit-identity audit`: prints the audit events in the database. */
import { Option, type Command } from "commander";

import { listAuditEvents, type ListedAuditEvent } from "../console/audit/audit-event-store.js";
import { auditPages, auditText, auditEventView, EXPORT_FORMATS } from "../console/audit/audit-export.js";
import { readMoment } from "../console/audit/audit-routes.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

interface AuditOptions extends SettingsOptions {
  readonly action?: string;
  readonly outcome?: string;
  readonly user?: string;
  readonly target?: string;
  readonly address?: string;
  readonly request?: string;
  readonly since?: string;
  readonly until?: string;
  readonly format: "text" | (typeof EXPORT_FORMATS)[number];
  readonly limit?: string;
}

const OUTCOMES = ["done", "refused", "failed"];

export function addAuditCommand(program: Command, context: CommandContext): void {
  withSettings(program.command("audit"), context)
    .description("Print the audit events in the database, the newest first. The service may be running.")
    .option("--since <time>", "from this time on, such as 2026-11-23T07:00:00Z")
    .option("--until <time>", "before this time")
    .option("--user <id>", "of the user with this id")
    .option("--action <action>", "such as identity:create_user, or authenticate")
    .addOption(new Option("--outcome <outcome>", "with this outcome").choices(OUTCOMES))
    .option("--target <text>", "with this id or name in its target")
    .option("--address <address>", "from this address")
    .option("--request <id>", "of the request with this id")
    .addOption(
      new Option("--format <format>", "lines for people, or an export")
        .choices(["text", ...EXPORT_FORMATS])
        .default("text"),
    )
    .option("--limit <number>", "so many events at most; all, if left out")
    .action((options: AuditOptions) => printAudit(context, options));
}

async function printAudit(context: CommandContext, options: AuditOptions): Promise<void> {
  const { action, outcome, user: userId, target, address, request: requestId, format } = options;
  const filters = {
    action,
    outcome,
    userId,
    target,
    address,
    requestId,
    since: readMoment("since", options.since),
    until: readMoment("until", options.until),
  };
  const limit = readLimit(options.limit);
  const config = settings(context, options);
  if (config.console.auditTrailDays === 0)
    context.stderr.write("Audit events are not kept: see IDENTITY_AUDIT_TRAIL_DAYS.\n");
  const database = await openMigrated(config.database.url);
  try {
    const list = (query: Parameters<typeof listAuditEvents>[1]) => listAuditEvents(database, query);
    if (format === "text")
      for await (const page of auditPages(list, filters, limit))
        context.stdout.write(page.map((event) => `${lineOf(event)}\n`).join(""));
    else for await (const text of auditText(list, filters, { format, limit })) context.stdout.write(text);
  } finally {
    await database.close();
  }
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--limit: "${text}" is no whole number above 0`);
  return Number(text);
}

/** Texts of clients are in JSON: a line break in them begins no line. */
function lineOf(event: ListedAuditEvent): string {
  const { at, outcome, status, action, user, user_id: userId, address, target } = auditEventView(event);
  const who = user === null ? (userId ?? "-") : `${user.name}@${user.domain}`;
  return [at, outcome, status, action, JSON.stringify(who), address, JSON.stringify(target)].join(" ");
}
