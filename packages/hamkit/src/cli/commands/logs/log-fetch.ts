/** `hamkit log fetch`: the report of a service into a file, for `hamkit log match`. */
import { InvalidArgumentError, type Command } from "commander";

import { parseAdif } from "../../../adif/parse-adif.js";
import { fetchReport, type ReportServiceName } from "../../../uploads.js";
import { REPORT_SERVICES } from "../../../uploads/fetch-report.js";
import { howToSet, readSettings, serviceSettings, settingName } from "../../databases/credentials.js";
import { UsageError } from "../../exit-code.js";
import { requireFreePath, writeNewFile } from "../../input/log-files.js";
import { parseMoment } from "../../input/moment.js";
import type { Report, Session } from "../../session.js";
import { toPrintable } from "../../terminal/terminal.js";

const NAMES = Object.keys(REPORT_SERVICES) as readonly ReportServiceName[];

export function defineFetchCommand(command: Command, session: Session): void {
  command
    .summary("the report of a service into a file")
    .description(
      "Fetches the report of LoTW, the inbox of eQSL, or the confirmed contacts of a QRZ logbook. hamkit log match adds its confirmations " +
        `to a copy of a log.\n\nKeys and passwords are read from the environment, a file of credentials, or the keyring (hamkit keyring):\n${variables()}\n` +
        "LoTW's are those of its website.",
    )
    .argument("<service>", NAMES.join(", "), service)
    .option("--since <date>", "only what came on this day or later", day)
    .option("-o, --output <path>", "output file; default: SERVICE.adi")
    .option("--force", "replace an existing output file")
    .option("--credentials <path>", "a file with keys and accounts; the environment counts before it")
    .option("--json", "output JSON")
    .action(async (name: ReportServiceName, options: FetchOptions) => {
      session.present(await reportFetch(name, options, session), options);
    });
}

function variables(): string {
  const lines = NAMES.map((name) => {
    const names = REPORT_SERVICES[name].settings.map((setting) => settingName(name, setting));
    return `  ${name}: ${names.join(", ")}`;
  });
  return lines.join("\n");
}

interface FetchOptions {
  readonly since?: Date;
  readonly output?: string;
  readonly force?: boolean;
  readonly credentials?: string;
  readonly json?: boolean;
}

function service(text: string): ReportServiceName {
  const name = NAMES.find((each) => each === text.toLowerCase());
  if (name !== undefined) return name;
  throw new InvalidArgumentError(`Expected ${NAMES.join(", ")}.`);
}

function day(text: string): Date {
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  throw new InvalidArgumentError("Expected a date such as 2024-06-30.");
}

async function reportFetch(
  name: ReportServiceName,
  { since, credentials, output = `${name}.adi`, force }: FetchOptions,
  session: Session,
): Promise<Report> {
  await requireFreePath(output, "", force); // fail before asking
  const { title, settings } = REPORT_SERVICES[name];
  const names = settings.map((setting) => settingName(name, setting));
  const all = await readSettings(session.io, names, credentials);
  const { missing } = serviceSettings(name, settings, all);
  if (missing.length > 0) throw new UsageError(`${title}: ${await howToSet(missing, session.io)}`);
  const { values } = serviceSettings(name, [...settings, "reportUrl"], all);
  const abort = new AbortController();
  session.atEnd(() => abort.abort());
  const text = await fetchReport({ service: name, settings: values, since, signal: abort.signal });
  const records = parseAdif(text).records.length;
  await writeNewFile(output, new TextEncoder().encode(text), force);
  return {
    document: { service: name, output, records },
    lines: () => [
      `${title}: ${records} contacts in ${toPrintable(output)}`,
      `hamkit log match mylog.adi ${toPrintable(output)} --source ${name} adds their confirmations to a copy of a log.`,
    ],
  };
}
