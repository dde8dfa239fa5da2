/** Replays the recorded requests on a service by the tools next to the checkout, and lists the differences. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { runProgram } from "../run-program.js";

const shared = fileURLToPath(new URL("../../../../../shared/identity/", import.meta.url));
const PYTHON = "/usr/bin/python3";
const COMPARER = join(shared, "tools/compare.py");

/** What sends requests in the order of a recording: a script below `tools`, and its arguments. */
export type Recorder = readonly [script: string, ...args: string[]];

/** The second part asks a database that the first one has filled. */
export const RECORDERS = {
  all: ["record_golden.py", "all"],
  defaultPageSize: ["record_listlimit.py"],
  twoLevels: ["record_golden.py", "limits_only", "s2l"],
} as const satisfies Readonly<Record<string, Recorder>>;

/** What proves the recorder, which is the front end of federated logins too. */
const SECRET = "the-recorder-is-the-front-end";

/** As the servers of the recordings were configured, as far as it matters for them. */
export const SETTINGS = {
  IDENTITY_SAML_ORGANIZATION_NAME: "SAML Identity Provider",
  IDENTITY_SAML_ORGANIZATION_URL: "https://example.com/",
  IDENTITY_SAML_CONTACT_COMPANY: "Example, Inc.",
  IDENTITY_SAML_CONTACT_NAME: "SAML Identity Provider Support",
  IDENTITY_SAML_CONTACT_SURNAME: "Support",
  IDENTITY_SAML_CONTACT_EMAIL: "support@example.com",
  IDENTITY_SAML_CONTACT_TELEPHONE: "+1 800 555 0100",
  IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Test-Environ",
  IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
  IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
  IDENTITY_REMOTE_ID_ATTRIBUTE: "MELLON_IDP",
  IDENTITY_TRUSTED_DASHBOARDS:
    "http://dash.example.com/auth/websso/,https://horizon.example.org/dashboard/auth/websso",
};

/** Whether tools and recordings are there. */
export const hasRecorder: boolean = existsSync(COMPARER);

/** A request that is answered in another way than a real Keystone did. */
export interface Difference {
  /** The name of the recorded request. */
  readonly request: string;
  /** The first part of the response that differs. */
  readonly part: "status" | "body" | "headers";
  /** Expected and received, for the failure message. */
  readonly details: string;
}

/** A list as it was answered, apart from what is in it. */
export interface ListForm {
  /** The name of the recorded request. */
  readonly request: string;
  readonly status: number;
  readonly items: number | undefined;
  readonly next: string | undefined;
  readonly isTruncated: boolean;
}

/** Sends the requests to a service, and writes the answers into a folder. */
export async function record(
  [script, ...args]: Recorder,
  { url, folder }: { readonly url: string; readonly folder: string },
): Promise<void> {
  const env = { KS_BASE: url, KS_OUT: folder, KS_ENV_SECRET: SECRET, PYTHONDONTWRITEBYTECODE: "1" };
  const { exit, errors } = await runProgram([PYTHON, join(shared, "tools", script), ...args], { env });
  if (exit !== 0) throw new Error(errors);
}

/** What differs in a file of a recording. @param place.recording Its folder, such as `golden/head`. */
export async function differencesIn(
  file: string,
  { recording, folder }: { readonly recording: string; readonly folder: string },
): Promise<Difference[]> {
  const reference = join(shared, recording);
  const { output } = await runProgram([PYTHON, COMPARER, reference, folder, file, "-v"]);
  if (!output.includes(`${file}.jsonl: `)) throw new Error(output);
  if (output.includes("not recorded")) return [{ request: "all", part: "status", details: output }];
  // Each begins in the third column; what follows it is further to the right.
  return output
    .split(/^ {2}(?! )/m)
    .slice(1)
    .filter((text) => !NOT_STORED_ALONE.test(text))
    .map(differenceIn);
}

/** Responses that differ only by the rule `responses-are-not-stored`, as all do. */
const NOT_STORED_ALONE =
  /^\S+ headers: .*\] cache-control: want None got no-store(?:; pragma: want None got no-cache)?(?:\n|$)/;

/** `02_auth_tokens.jsonl status 201 -> 401: POST /v3/auth/tokens [auth: by user id] got {...}`, or `... missing: NAME` */
function differenceIn(text: string): Difference {
  const request =
    / missing: (.*)/.exec(text)?.[1] ??
    /^\S+ (?:status|body|headers)[^:]*: \S+ .*? \[(.*?)\](?: got |\n {6}want | \S[^:\n]*: want |\n|$)/.exec(
      text,
    )?.[1];
  if (request === undefined) throw new Error(`not understood: ${text}`);
  const part = /^\S+ (body|headers)/.exec(text)?.[1] as "body" | "headers" | undefined;
  return { request, part: part ?? "status", details: text };
}

/** When the requests of a file were sent, in the form of Python's `time()`. */
export async function sentAt(file: string, folder: string): Promise<number[]> {
  return (await rowsOf(join(folder, `${file}.jsonl`))).map(({ t }) => t as number);
}

/** The number of requests in files of a recording. */
export async function countRequests(files: readonly string[], recording: string): Promise<number> {
  const rows = await Promise.all(files.map((file) => rowsOf(join(shared, recording, `${file}.jsonl`))));
  return rows.flat().length;
}

async function rowsOf(path: string): Promise<Readonly<Record<string, unknown>>[]> {
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/** The lists in a file of a recording, or of what `record` has written. */
export async function listForms(
  file: string,
  place: { recording: string } | { folder: string },
): Promise<ListForm[]> {
  const folder = "folder" in place ? place.folder : join(shared, place.recording);
  const rows = await rowsOf(join(folder, `${file}.jsonl`));
  return rows.map((row) => formOf(row as unknown as RecordedList));
}

interface RecordedList {
  readonly name: string;
  readonly status: number;
  readonly response_body: Readonly<Record<string, unknown>>;
}

function formOf({ name, status, response_body: { links, truncated, ...rest } }: RecordedList): ListForm {
  const { next } = (links ?? {}) as { readonly next?: string | null };
  const items = Object.values(rest)[0];
  return {
    request: name,
    status,
    items: Array.isArray(items) ? items.length : undefined,
    next: next?.replace(/^http:\/\/[^/]*/, "").replace(/marker=[^&]*/, "marker="),
    isTruncated: truncated === true,
  };
}
