/** `hamkit upload`: uploads a log to services. */
import type { Command } from "commander";

import type { AdifFileFinding, AdifRecord } from "../../../adif/parse-adif.js";
import { LogError } from "../../../errors.js";
import { readBytes } from "../../../io/file.js";
import { ANY_LOG } from "../../../logs/read-log.js";
import {
  daysToRenewal,
  openLotwKey,
  signForLotw,
  uploadLog,
  uploadToLotw,
  type LotwKey,
  type LotwStation,
  type UploadResult,
  type UploadServiceName,
  type UploadSettings,
} from "../../../uploads.js";
import { UPLOAD_SERVICES, type UploadService } from "../../../uploads/services.js";
import { contactsToSend } from "../../../uploads/unsent-contacts.js";
import {
  howToSet,
  readSettings,
  serviceSettings,
  settingName,
  type Settings,
} from "../../databases/credentials.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { integerFrom } from "../../input/integer-option.js";
import { readRecords } from "../../input/log-records.js";
import type { Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { toPrintable } from "../../terminal/terminal.js";
import { damageLines } from "./adif-command.js";
import { openJournal, readJournal } from "./upload-journal.js";

const NAMES = Object.keys(UPLOAD_SERVICES) as readonly UploadServiceName[];

const EXAMPLES = [
  {
    line: "hamkit upload mylog.adi --to lotw,clublog --dry-run",
    shows: "what would be sent, and what refused",
  },
  { line: "hamkit upload mylog.adi --to qrz", shows: "uploads; again, it goes on where it ended" },
  { line: "hamkit upload mylog.adi --to lotw --place GRIDSQUARE=JN48QM", shows: "signs for this place" },
];

const ENVIRONMENT = `
Keys and passwords are read from the environment, from lines NAME=value of a file that only you can read, or from the system's keyring (hamkit keyring), by these names:
${NAMES.map((name) => `  ${name}: ${UPLOAD_SERVICES[name].settings.map((setting) => settingName(name, setting)).join(", ")}`).join("\n")}
HAMKIT_LOTW_P12 is the path of a callsign certificate that TQSL saved.`;

export function defineUploadCommand(command: Command, session: Session): void {
  command
    .description(
      "Uploads the contacts of a log, one at a time; several to Club Log in a file. What a service has accepted is noted in LOG.uploads, and " +
        `not sent again; a failed login ends the run of a service.\n${ENVIRONMENT}`,
    )
    .argument("<log>", "the log, which is never changed")
    .requiredOption("--to <services>", `${NAMES.join(", ")}; several with commas`, services)
    .option("--dry-run", "say what would be sent, and send nothing")
    .option("--journal <path>", "the file that notes what was accepted; default: LOG.uploads")
    .option("--limit <number>", "send this many contacts at most", integerFrom(1, 1_000_000))
    .option(
      "--place <field=value>",
      "lotw: a field of the own place, under TQSL's name; may be repeated",
      addPlace,
    )
    .option("--credentials <path>", "a file with keys and accounts; the environment counts before it")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (log: string, options: UploadCommandOptions) => {
      await upload(log, options, session);
    });
}

interface UploadCommandOptions {
  readonly to: readonly UploadServiceName[];
  readonly dryRun?: boolean;
  readonly journal?: string;
  readonly limit?: number;
  readonly place?: LotwStation;
  readonly credentials?: string;
  readonly json?: boolean;
}

function services(text: string): readonly UploadServiceName[] {
  return text.split(",").map((part) => {
    const name = NAMES.find((each) => each === part.trim().toLowerCase());
    if (name === undefined) throw new UsageError(`--to: ${part.trim()} is none of ${NAMES.join(", ")}`);
    return name;
  });
}

function addPlace(text: string, before: LotwStation = {}): LotwStation {
  const [, field, value] = /^([A-Z_]+)=(.+)$/.exec(text) ?? [];
  if (field === undefined || value === undefined)
    throw new UsageError(`--place: ${text} is no field and value, such as GRIDSQUARE=JN48QM`);
  return { ...before, [field]: value };
}

/** Findings that are kept: a broken log has millions. */
const MAX_FINDINGS = 1000;

/** What becomes of a log at a service. */
interface ServiceReport {
  readonly service: UploadServiceName;
  readonly title: string;
  readonly toSend: number;
  readonly known: number;
  readonly missing: readonly string[];
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly call: string; readonly line: string; readonly reason: string }[];
  readonly stopped: string | null;
}

async function upload(input: string, options: UploadCommandOptions, session: Session): Promise<void> {
  const { dryRun = false, limit = Infinity } = options;
  const records: AdifRecord[] = [];
  const findings: AdifFileFinding[] = [];
  const onFinding = (finding: AdifFileFinding) => {
    if (findings.length < MAX_FINDINGS) findings.push(finding);
  };
  for await (const { record } of readRecords(input, { onFinding })) records.push(record);
  if (records.length === 0) throw new LogError({ file: input, expected: ANY_LOG, found: "no records" });
  const path = options.journal ?? `${input}.uploads`;
  const journal = dryRun ? readJournal(path) : keptOpen(openJournal(path), session);
  const names = options.to.flatMap((name) =>
    UPLOAD_SERVICES[name].settings.map((setting) => settingName(name, setting)),
  );
  const credentials = await readSettings(session.io, names, options.credentials);
  const abort = new AbortController();
  session.atEnd(() => abort.abort());
  const reports: ServiceReport[] = [];
  for (const name of options.to) {
    const service = UPLOAD_SERVICES[name];
    const { settings, missing } = settingsOf(service, credentials);
    const unsent = contactsToSend(records, service, journal);
    const wanted = unsent.slice(0, limit).map((index) => records[index] as AdifRecord);
    const known = records.length - unsent.length;
    const plan = { service: name, title: service.title, toSend: wanted.length, known, missing };
    const nothing = { accepted: 0, duplicates: 0, rejected: [], stopped: null };
    if (missing.length > 0 && !dryRun)
      throw new UsageError(`${service.title}: ${await howToSet(missing, session.io)}`);
    const key = name === "lotw" && missing.length === 0 ? await lotwKey(settings, session) : undefined;
    if (dryRun) {
      const refused =
        key === undefined
          ? []
          : signForLotw(wanted, key, { station: options.place ?? {} }).flatMap((file) => file.refused);
      const rejected = refused.map(({ index, reason }) => refusalOf(wanted[index], reason));
      reports.push({ ...plan, ...nothing, rejected });
      continue;
    }
    const common = { journal, signal: abort.signal };
    const result =
      key === undefined
        ? await uploadLog(wanted, { service: name, settings, ...common })
        : await uploadToLotw(wanted, { key, station: options.place, url: settings["url"], ...common });
    reports.push({ ...plan, ...outcomeOf(result, wanted) });
  }
  const isFailed = reports.some(({ stopped }) => stopped !== null);
  const isRefused = reports.some(({ rejected, missing }) => rejected.length > 0 || missing.length > 0);
  session.present(
    {
      document: { input, records: records.length, dryRun, services: reports },
      lines: () => [
        `${toPrintable(input)}: ${records.length} contacts`,
        ...reports.flatMap((each) => reportLines(each, dryRun)),
      ],
      errors: damageLines(findings),
      exitCode: isFailed ? EXIT.ioError : isRefused ? EXIT.notFound : EXIT.success,
    },
    options,
  );
}

/** Other runs may have it when this one ends. */
function keptOpen<Journal extends { readonly close: () => void }>(
  journal: Journal,
  session: Session,
): Journal {
  session.atEnd(journal.close);
  return journal;
}

function settingsOf(
  { name, settings: names }: UploadService,
  all: Settings,
): { settings: UploadSettings; missing: readonly string[] } {
  const needed = names.filter((setting) => setting !== "p12Password"); // a .p12 file may have none
  const { values } = serviceSettings(name, [...names, "url"], all);
  return { settings: values, missing: serviceSettings(name, needed, all).missing };
}

async function lotwKey(settings: UploadSettings, session: Session): Promise<LotwKey> {
  const key = openLotwKey(await readBytes(settings["p12"] ?? ""), settings["p12Password"] ?? "");
  const days = daysToRenewal(key.certificate, session.io.now());
  if (days !== undefined)
    session.warn(`the certificate of ${key.certificate.call} ends in ${days} days: renew it in TQSL`);
  return key;
}

function outcomeOf(
  result: UploadResult,
  records: readonly AdifRecord[],
): Pick<ServiceReport, "accepted" | "duplicates" | "rejected" | "stopped"> {
  const { accepted, duplicates, rejected, stopped } = result;
  return {
    accepted,
    duplicates,
    rejected: rejected.map(({ index, reason }) => refusalOf(records[index], reason)),
    stopped: stopped === undefined ? null : `${stopped.kind}: ${stopped.reason}`,
  };
}

function refusalOf(record: AdifRecord | undefined, reason: string): ServiceReport["rejected"][number] {
  const value = (name: string) => record?.[name] ?? "";
  return { call: value("CALL"), line: ["QSO_DATE", "TIME_ON", "BAND", "MODE"].map(value).join(" "), reason };
}

const MAX_LISTED = 10;

function reportLines(report: ServiceReport, dryRun: boolean): string[] {
  const { title, toSend, known, missing, accepted, duplicates, rejected, stopped } = report;
  const sent = dryRun
    ? `${toSend - rejected.length} would be sent`
    : `${accepted} accepted, ${duplicates} known to the service already`;
  const counts = `${title}: ${sent}, ${known} uploaded before${rejected.length > 0 ? `, ${rejected.length} refused` : ""}`;
  return [
    counts,
    ...(missing.length > 0 ? [`  missing: ${missing.join(", ")}`] : []),
    ...rejected
      .slice(0, MAX_LISTED)
      .map(({ call, line, reason }) => toPrintable(`  ${call} ${line}: ${reason}`.slice(0, 300))),
    ...(rejected.length > MAX_LISTED
      ? [`  and ${rejected.length - MAX_LISTED} more; --json lists them`]
      : []),
    ...(stopped === null ? [] : [toPrintable(`  stopped: ${stopped}`.slice(0, 300))]),
  ];
}
