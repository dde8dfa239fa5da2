/** The services to which contacts are uploaded: their requests and their answers. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { recordAsAdi } from "./adi-text.js";

/** The names of the services. */
export type UploadServiceName =
  | "lotw"
  | "eqsl"
  | "clublog"
  | "qrz"
  | "hrdlog"
  | "hamqth"
  | "cloudlog"
  | "wavelog";

/** Settings by name, such as `{ user: "DH1TW", password: "..." }`. */
export type UploadSettings = Readonly<Record<string, string>>;

/** What became of a contact, or of a file of them. */
export interface UploadAnswer {
  /**
   * `duplicate`: the service has it, which is a success. `rejected`: this contact is refused, others may be accepted. `login-failed`: no further
   * request may be made. `unavailable`: the request may be repeated later.
   */
  readonly kind: "accepted" | "duplicate" | "rejected" | "login-failed" | "unavailable";
  /** What the service said. */
  readonly reason: string;
}

/** A request. */
export interface UploadRequest {
  readonly url: string;
  readonly body: URLSearchParams | FormData | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UploadService {
  readonly name: UploadServiceName;
  readonly title: string;
  /** The settings that are needed; those that are secret are not shown. */
  readonly settings: readonly string[];
  readonly secrets: readonly string[];
  /** The field of ADIF that says that the service has a contact. */
  readonly statusField: string;
  /** The request for one contact; none of a service that takes only files. */
  readonly request?: (record: AdifRecord, settings: UploadSettings) => UploadRequest;
  /** The request for a file; none of a service that takes contacts one by one. */
  readonly fileRequest?: (file: Blob, settings: UploadSettings) => UploadRequest;
  /** How often a request is sent if the service is unavailable; default 4. */
  readonly attempts?: number;
  readonly read: (status: number, text: string) => UploadAnswer;
}

const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields);

function fileForm(
  { name, file, filename }: { readonly name: string; readonly file: Blob; readonly filename: string },
  fields: Readonly<Record<string, string>> = {},
): FormData {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) body.append(field, value);
  body.append(name, file, filename);
  return body;
}

/** By HTTP status where the answer says no more. */
export function byStatus(status: number, text: string): UploadAnswer {
  const reason = shortened(text) || `HTTP ${status}`;
  if (status === 401 || status === 403) return { kind: "login-failed", reason };
  if (status === 429 || status >= 500) return { kind: "unavailable", reason };
  if (status < 200 || status >= 300) return { kind: "rejected", reason };
  // The page of a login, or of a network that wants one first.
  return { kind: /^\s*<(?:!doctype|html)/i.test(text) ? "unavailable" : "accepted", reason };
}

const MAX_REASON = 200;

/** The words of a page. */
export function shortened(text: string): string {
  return text
    .slice(0, 10_000)
    .replaceAll(/<[^>]{0,1000}>/g, " ")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_REASON);
}

function answer(kind: UploadAnswer["kind"], text: string): UploadAnswer {
  return { kind, reason: shortened(text) };
}

/** The text of an API of Cloudlog and Wavelog. */
function logApi(name: "cloudlog" | "wavelog", title: string): UploadService {
  return {
    name,
    title,
    settings: ["url", "key", "station"],
    secrets: ["key"],
    statusField: `APP_${name.toUpperCase()}_QSO_UPLOAD_STATUS`,
    request: (record, { url = "", key = "", station = "" }) => ({
      url: `${url.replace(/\/+$/, "").replace(/\/index\.php$/, "")}/index.php/api/qso`,
      body: JSON.stringify({ key, station_profile_id: station, type: "adif", string: recordAsAdi(record) }),
      headers: { "content-type": "application/json" },
    }),
    read(status, text) {
      if (/duplicate/i.test(text)) return answer("duplicate", text);
      if (/missing api key|(?:wrong|invalid) (?:api )?key|unauthori[sz]ed/i.test(text))
        return answer("login-failed", text);
      // Both answer 400 with "abort" where a contact of the request is refused.
      if (status >= 200 && status < 300 && /"status"\s*:\s*"(?:failed|abort)/i.test(text))
        return answer("rejected", text);
      return byStatus(status, text);
    },
  };
}

/** LoTW takes files that are signed. */
export const LOTW = {
  name: "lotw",
  title: "LoTW",
  settings: ["p12", "p12Password"],
  secrets: ["p12Password"],
  statusField: "LOTW_QSL_SENT",
  fileRequest: (file: Blob) => ({
    url: "https://lotw.arrl.org/lotw/upload",
    body: fileForm({ name: "upfile", file, filename: "hamkit.tq8" }),
  }),
  read(status: number, text: string) {
    const [, result] = /<!--\s*\.UPL\.\s*(\w+)\s*-->/i.exec(text) ?? [];
    const [, message = ""] = /<!--\s*\.UPLMESSAGE\.\s*([^]*?)\s*-->/i.exec(text) ?? [];
    if (result?.toLowerCase() === "accepted") return answer("accepted", message);
    if (result !== undefined) return answer("rejected", message || result);
    // A page without the mark says nothing of the file.
    return status >= 200 && status < 300 ? answer("unavailable", text) : byStatus(status, text);
  },
} as const satisfies UploadService;

/** All services, by name. */
export const UPLOAD_SERVICES: Readonly<Record<UploadServiceName, UploadService>> = {
  lotw: LOTW,
  eqsl: {
    name: "eqsl",
    title: "eQSL",
    settings: ["user", "password"],
    secrets: ["password"],
    statusField: "EQSL_QSL_SENT",
    request: (record, { user = "", password = "" }) => ({
      url: "https://www.eqsl.cc/qslcard/importADIF.cfm",
      body: form({ ADIFData: recordAsAdi(record), EQSL_USER: user, EQSL_PSWD: password }),
    }),
    read(status, text) {
      if (/Error:[^<]*(?:No match on eQSL_User|password|login)/i.test(text))
        return answer("login-failed", text);
      if (/Result:\s*[1-9]\d* out of \d+ records? added/i.test(text)) return answer("accepted", text);
      if (/Duplicate/i.test(text)) return answer("duplicate", text);
      if (/(?:Error|Warning|Result):/i.test(text)) return answer("rejected", text);
      return status >= 200 && status < 300 ? answer("unavailable", text) : byStatus(status, text);
    },
  },
  clublog: {
    name: "clublog",
    title: "Club Log",
    settings: ["email", "password", "callsign", "key"],
    secrets: ["password", "key"],
    statusField: "CLUBLOG_QSO_UPLOAD_STATUS",
    request: (record, { email = "", password = "", callsign = "", key = "" }) => ({
      url: "https://clublog.org/realtime.php",
      body: form({ email, password, callsign, adif: recordAsAdi(record), api: key }),
    }),
    fileRequest: (file, { email = "", password = "", callsign = "", key = "" }) => ({
      url: "https://clublog.org/putlogs.php",
      // With 1, Club Log would delete what it has.
      body: fileForm(
        { name: "file", file, filename: "hamkit.adi" },
        { email, password, callsign, clear: "0", api: key },
      ),
    }),
    // Club Log shuts out the address of who goes on after any answer but 200.
    attempts: 1,
    read(status, text) {
      if (status === 200 && /dupe/i.test(text)) return answer("duplicate", text);
      // Of a whole file that was uploaded before; 403 until 2025, 200 since then.
      if (/checksum duplicate/i.test(text)) return answer("duplicate", text);
      return byStatus(status, text);
    },
  },
  qrz: {
    name: "qrz",
    title: "QRZ",
    settings: ["key"],
    secrets: ["key"],
    statusField: "QRZCOM_QSO_UPLOAD_STATUS",
    request: (record, { key = "" }) => ({
      url: "https://logbook.qrz.com/api",
      body: form({ KEY: key, ACTION: "INSERT", ADIF: recordAsAdi(record) }),
    }),
    read(status, text) {
      const result = /(?:^|&)RESULT=(\w+)/i.exec(text)?.[1]?.toUpperCase();
      if (result === "OK" || result === "REPLACE") return answer("accepted", "");
      if (result === "AUTH" || /REASON=[^&]*(?:invalid api key|access denied)/i.test(text))
        return answer("login-failed", text);
      if (/REASON=[^&]*duplicate/i.test(text)) return answer("duplicate", text);
      if (result === "FAIL") return answer("rejected", text);
      return status >= 200 && status < 300 ? answer("unavailable", text) : byStatus(status, text);
    },
  },
  hrdlog: {
    name: "hrdlog",
    title: "HRDLog",
    settings: ["callsign", "code"],
    secrets: ["code"],
    statusField: "HRDLOG_QSO_UPLOAD_STATUS",
    request: (record, { callsign = "", code = "" }) => ({
      url: "https://robot.hrdlog.net/newentry.aspx",
      body: form({ Callsign: callsign, Code: code, App: "hamkit", ADIFData: recordAsAdi(record) }),
    }),
    read(status, text) {
      const [, error] = /<error>([^<]*)<\/error>/i.exec(text) ?? [];
      if (error !== undefined)
        return answer(
          /unknown user|invalid token|code|password/i.test(error) ? "login-failed" : "rejected",
          error,
        );
      const [, count] = /<insert>\s*(\d+)\s*<\/insert>/i.exec(text) ?? [];
      if (count !== undefined) return answer(Number(count) > 0 ? "accepted" : "duplicate", "");
      return status >= 200 && status < 300 ? answer("unavailable", text) : byStatus(status, text);
    },
  },
  hamqth: {
    name: "hamqth",
    title: "HamQTH",
    settings: ["user", "password", "callsign"],
    secrets: ["password"],
    statusField: "HAMQTH_QSO_UPLOAD_STATUS",
    request: (record, { user = "", password = "", callsign = "" }) => ({
      url: "https://www.hamqth.com/qso_realtime.php",
      body: form({
        u: user,
        p: password,
        c: callsign,
        adif: recordAsAdi(record),
        prg: "hamkit",
        cmd: "insert",
      }),
    }),
    read(status, text) {
      if (/duplicate|already exists/i.test(text)) return answer("duplicate", text);
      return byStatus(status, text);
    },
  },
  cloudlog: logApi("cloudlog", "Cloudlog"),
  wavelog: logApi("wavelog", "Wavelog"),
};
