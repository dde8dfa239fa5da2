/** Fetches what services say of contacts: the report of LoTW, the inbox of eQSL, the confirmed contacts of a QRZ logbook. */
import { AnswerError, LoginError, ValueError } from "../errors.js";
import { download, withoutSecrets } from "../io/download.js";
import { shortened, type UploadSettings } from "./services.js";

/** The services that have reports. */
export type ReportServiceName = "lotw" | "eqsl" | "qrz";

/** Options of `fetchReport`. */
export interface FetchReportOptions {
  readonly service: ReportServiceName;
  /** By name, as of `uploadLog`; LoTW's password is that of its website. `reportUrl` replaces the service's address. */
  readonly settings: UploadSettings;
  /** Only what came on this day or later (UTC); everything when left out. */
  readonly since?: Date | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A request. */
interface ReportRequest {
  readonly url: string;
  readonly form?: URLSearchParams;
}

/** What an answer is: the report, or where it is. */
type ReportAnswer = { readonly adif: string } | { readonly url: string };

interface ReportService {
  readonly title: string;
  readonly url: string;
  readonly settings: readonly string[];
  readonly secrets: readonly string[];
  readonly request: (url: string, settings: UploadSettings, since: Date | undefined) => ReportRequest;
  /** `undefined` for an answer that is no report. */
  readonly read: (text: string, url: string) => ReportAnswer | undefined;
  /** The service's words where a login fails. */
  readonly refusal: RegExp;
}

const EMPTY = "No contacts\n<EOH>\n";

const day = (date: Date) => date.toISOString().slice(0, 10);

/** All services, by name. */
export const REPORT_SERVICES: Readonly<Record<ReportServiceName, ReportService>> = {
  lotw: {
    title: "LoTW",
    url: "https://lotw.arrl.org/lotwuser/lotwreport.adi",
    settings: ["user", "password"],
    secrets: ["password"],
    request(url, { user = "", password = "" }, since) {
      const query = new URLSearchParams({ login: user, password, qso_query: "1", qso_qsl: "yes" });
      if (since !== undefined) query.set("qso_qslsince", day(since));
      query.set("qso_qsldetail", "yes");
      return { url: `${url}?${query.toString()}` };
    },
    // Without the mark at its end it is not all of the report.
    read: (text) => (/<APP_LoTW_EOF>\s*$/i.test(text) ? { adif: text } : undefined),
    refusal: /username\/password incorrect|password (?:is )?incorrect|login/i,
  },
  eqsl: {
    title: "eQSL",
    url: "https://www.eqsl.cc/qslcard/DownloadInBox.cfm",
    settings: ["user", "password"],
    secrets: ["password"],
    request: (url, { user = "", password = "" }, since) => ({
      url,
      form: new URLSearchParams({
        UserName: user,
        Password: password,
        ...(since !== undefined && { RcvdSince: `${day(since).replaceAll("-", "")}0000` }),
      }),
    }),
    read(text, url) {
      if (/<EOH>/i.test(text)) return { adif: text };
      if (/You have no log entries/i.test(text)) return { adif: EMPTY };
      const [, link] = /href\s*=\s*"([^"]{1,500}\.adi)"/i.exec(text) ?? [];
      // The file is on the same server.
      const found = link === undefined ? undefined : new URL(link, url);
      return found?.origin === new URL(url).origin ? { url: found.href } : undefined;
    },
    refusal: /No such Username\/Password|Error:[^<]*(?:password|login|username)/i,
  },
  qrz: {
    title: "QRZ",
    url: "https://logbook.qrz.com/api",
    settings: ["key"],
    secrets: ["key"],
    request: (url, { key = "" }, since) => ({
      url,
      form: new URLSearchParams({
        KEY: key,
        ACTION: "FETCH",
        OPTION: [
          "TYPE:ADIF",
          "STATUS:CONFIRMED",
          ...(since === undefined ? [] : [`MODSINCE:${day(since)}`]),
        ].join(","),
      }),
    }),
    read(text) {
      const [, adif] = /(?:^|&)ADIF=([^]*)$/.exec(text) ?? [];
      if (adif !== undefined && /(?:^|&)RESULT=OK\b/i.test(text))
        return { adif: adif.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&") };
      return /(?:^|&)(?:COUNT=0\b|REASON=[^&]*no (?:log )?(?:entries|records))/i.test(text)
        ? { adif: EMPTY }
        : undefined;
    },
    refusal: /RESULT=AUTH|REASON=[^&]*(?:invalid api key|access denied)/i,
  },
};

const TIMEOUT_MS = 120_000;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Fetches the report of a service, in ADIF: `matchReport` of `hamkit/merge` finds the contacts of a log that it confirms.
 *
 * @throws {ValueError} A setting is missing, or the service has no reports.
 * @throws {LoginError} The service refuses the account. It is not asked again.
 * @throws {AnswerError} The answer is no report, or not all of it.
 * @throws {IOError} The service can't be reached. No message has a secret.
 */
export async function fetchReport(options: FetchReportOptions): Promise<string> {
  const { settings, since } = options;
  const service = requireReportService(options.service);
  for (const name of service.settings)
    if ((settings[name] ?? "") === "")
      throw new ValueError({
        argument: `settings.${name}`,
        value: undefined,
        expected: `the ${service.secrets.includes(name) ? "secret" : "setting"} ${name} of ${service.title}`,
      });
  const request = service.request(settings["reportUrl"] ?? service.url, settings, since);
  const answer = await readAnswer(service, request, options);
  if ("adif" in answer) return answer.adif;
  const file = await readAnswer(service, answer, options);
  if ("adif" in file) return file.adif;
  throw new AnswerError(service.title, "the answer is no report");
}

export function requireReportService(name: ReportServiceName): ReportService {
  if (Object.hasOwn(REPORT_SERVICES, name)) return REPORT_SERVICES[name];
  const expected = Object.keys(REPORT_SERVICES).join(", ");
  throw new ValueError({ argument: "service", value: name, expected });
}

async function readAnswer(
  { title, secrets: names, read, refusal }: ReportService,
  { url, form }: ReportRequest,
  { settings, signal }: FetchReportOptions,
): Promise<ReportAnswer> {
  const secrets = names.flatMap((name) => settings[name] ?? []);
  const downloaded = await download(url, {
    name: title,
    secrets,
    form,
    signal,
    redirect: "same-origin",
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  const text = downloaded.kind === "changed" ? new TextDecoder().decode(downloaded.content) : "";
  const answer = read(text, url);
  if (answer !== undefined) return answer;
  // Removed before the words are shortened, which could leave a part of a secret.
  const words = shortened(withoutSecrets(text.slice(0, 20_000), secrets));
  if (refusal.test(text.slice(0, 20_000))) throw new LoginError(title, words);
  throw new AnswerError(title, `the answer is no report, or not all of it: ${words}`);
}
