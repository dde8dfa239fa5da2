/** `import --verify URL`: sends the same requests to a Keystone and to this service, and reports the differences. */
import { messageOf } from "@hamkit/identity/import-support/command-line";

import { explainDifferences } from "./known-differences.js";
import type { ValueDifference } from "./response-differences.js";
import { COLLECTIONS, memberPaths, OTHER_PATHS, OWN_PATHS } from "./verification-requests.js";

export interface VerifyOptions {
  /** The base URL of the Keystone, without `/v3`. */
  readonly source: string;
  /** The base URL of this service. */
  readonly target: string;
  /** An administrator's token that both accept: one of the Keystone, whose keys were imported. */
  readonly token: string;
  /** Other tokens of the Keystone, to be validated by both, and to be used. */
  readonly tokens?: readonly string[];
  /** How many members of a collection are requested, spread over its list; 100 if left out. */
  readonly maxMembers?: number;
  /** Requests sent at a time to each service; 4 if left out. */
  readonly concurrency?: number;
  /** Per request; 30 seconds if left out. */
  readonly timeoutMs?: number;
}

/** A request whose responses differ in a way that no rule explains. */
export interface RequestDifference {
  /** `GET /v3/projects`; tokens are numbered, never shown. */
  readonly request: string;
  readonly sourceStatus: number;
  readonly targetStatus: number;
  /** None if the statuses differ. */
  readonly values: readonly ValueDifference[];
}

export interface VerifyReport {
  readonly requests: number;
  readonly same: number;
  readonly differences: readonly RequestDifference[];
  /** By the section of docs/identity/differences.md that explains a difference, the requests. */
  readonly known: ReadonlyMap<string, readonly string[]>;
  /** Where the Keystone fails itself (5xx): not compared. */
  readonly sourceFaults: readonly string[];
}

/** A service that does not respond. The message names its address. */
export class VerifyError extends Error {
  override readonly name = "VerifyError";
  readonly code = "import/verify";
}

interface VerifyRequest {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface VerifyResponse {
  readonly status: number;
  readonly body: unknown;
}

const DEFAULTS = { tokens: [], maxMembers: 100, concurrency: 4, timeoutMs: 30_000 } as const;

/** @throws {VerifyError} A service does not respond, or rejects the token. */
export async function verifyImport(given: VerifyOptions): Promise<VerifyReport> {
  const options = { ...DEFAULTS, ...given };
  const { source, target, token, tokens, maxMembers, concurrency } = options;
  const report = {
    requests: 0,
    same: 0,
    differences: [] as RequestDifference[],
    known: new Map<string, string[]>(),
    sourceFaults: [] as string[],
  };

  /** @returns The response of the source. */
  async function compare(request: VerifyRequest): Promise<VerifyResponse> {
    const [one, other] = await Promise.all([
      send(source, request, options.timeoutMs),
      send(target, request, options.timeoutMs),
    ]);
    report.requests++;
    if (request.headers["X-Auth-Token"] === token) {
      if (one.status === 401) throw rejectedToken(source, request, "");
      // It takes tokens of the Keystone that are older than its keys here.
      if (other.status === 401)
        throw rejectedToken(
          target,
          request,
          ", expected a token that the Keystone issued before the last import",
        );
    }
    if (one.status >= 500) {
      report.sourceFaults.push(`${request.name}: ${one.status}`);
      return one;
    }
    const isCompared = one.status === other.status && one.status < 400;
    const { unknown: values, rules } = isCompared
      ? explainDifferences({ path: `/v3${request.path}`, body: one.body }, other.body)
      : { unknown: [], rules: [] };
    for (const rule of rules) report.known.set(rule, [...(report.known.get(rule) ?? []), request.name]);
    if (one.status === other.status && values.length === 0) report.same += rules.length === 0 ? 1 : 0;
    else
      report.differences.push({
        request: request.name,
        sourceStatus: one.status,
        targetStatus: other.status,
        values,
      });
    return one;
  }

  const byAdministrator = (path: string): VerifyRequest => requestOf(path, token);
  const lists = await inParallel(COLLECTIONS, concurrency, async (collection) => {
    const { body } = await compare(byAdministrator(collection.path));
    return memberPaths(collection, spread(idsIn(body, collection.list), maxMembers));
  });
  const requests = [
    ...[...lists.flat(), ...OTHER_PATHS].map(byAdministrator),
    ...tokens.flatMap((each, index) => requestsOf(each, { token, number: index + 1 })),
  ];
  await inParallel(requests, concurrency, compare);
  return report;
}

function rejectedToken(service: string, { name }: VerifyRequest, remedy: string): VerifyError {
  return new VerifyError(`${service} rejects the administrator's token: ${name} returns 401${remedy}`);
}

/** Validation of a token, and its use. */
function requestsOf(
  subject: string,
  { token, number }: { readonly token: string; readonly number: number },
): VerifyRequest[] {
  const name = ` (token ${number})`;
  const { headers, ...validation } = requestOf("/auth/tokens", token, name);
  const more = { "X-Subject-Token": subject, "OpenStack-Identity-Access-Rules": "1.0" };
  return [
    { ...validation, headers: { ...headers, ...more } },
    ...OWN_PATHS.map((path) => requestOf(path, subject, name)),
  ];
}

/** @param note Behind the request in the report. */
function requestOf(path: string, token: string, note = ""): VerifyRequest {
  return { name: `GET /v3${path}${note}`, path, headers: { "X-Auth-Token": token } };
}

async function send(
  base: string,
  { path, headers }: VerifyRequest,
  timeoutMs: number,
): Promise<VerifyResponse> {
  const url = `${base.replace(/\/+$/, "")}/v3${path}`;
  try {
    // A redirection could send the token elsewhere.
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: parsed(await response.text()) };
  } catch (error) {
    throw new VerifyError(`no response from ${url}: ${messageOf(error)}`, { cause: error });
  }
}

/** JSON, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function idsIn(body: unknown, list: string): string[] {
  const items = (body as Readonly<Record<string, unknown>> | null)?.[list];
  if (!Array.isArray(items)) return [];
  return (items as readonly { readonly id?: unknown }[]).flatMap(({ id }) =>
    typeof id === "string" ? [id] : [],
  );
}

/** At most `max` items at even distances. */
function spread(items: readonly string[], max: number): string[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, index) => items[Math.floor((index * items.length) / max)] ?? "");
}

/** The results in the order of the items. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  async function run(): Promise<void> {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as Item);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, run));
  return results;
}
