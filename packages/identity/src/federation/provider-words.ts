/**
 * Failures in words for the log: what an OAuth or OpenID provider says of one, quoted, shortened, and without secrets, which providers
 * repeat; and errors with their causes.
 */
import { bodyStart } from "../platform/outgoing/outgoing-requests.js";
import { quoted, quotedWords, shortened } from "../platform/text/quoted-value.js";

/** Of a text: more is not searched for secrets, and not shown. */
const MAX_SEARCHED = 4000;
const MASK = "***";

/** Names of secrets in requests and responses. */
const NAMES =
  "(?:client_?)?secret|(?:client_?)?assertion|code_verifier|(?:access_?|refresh_?|id_?|logout_?)?token|password|passwd|authorization|api_?key";
const QUOTE = String.raw`(?:\\?["']|&quot;|&#34;)`;

/** Secrets by their form, or by the name before them. */
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  // User information and queries of URLs.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]*@/gi, `$1${MASK}@`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, `$1?${MASK}`],
  // JWTs, signed or encrypted.
  [/\beyJ[\w-]+(?:\.[\w-]*)*/g, MASK],
  [/\b(Bearer|Basic|DPoP)\s+(?![a-z]+(?:[\s.,;:)]|$))[\w.~+/=-]{6,}/gi, `$1 ${MASK}`],
  [new RegExp(String.raw`\b(${NAMES})(${QUOTE}?\s*[:=]\s*${QUOTE})[^"'&\\]*`, "gi"), `$1$2${MASK}`],
  [new RegExp(String.raw`\b(${NAMES}|code)=[^\s"'&;,<>]+`, "gi"), `$1=${MASK}`],
  // In a sentence a word may follow, such as "token: expired".
  [new RegExp(String.raw`\b(${NAMES}):\s+(?=\S*\d)[^\s"'<>]{8,}`, "gi"), `$1: ${MASK}`],
  [/\b((?:Set-)?Cookie2?["']?\s*[:=]\s*["']?)[^\r\n"']*/gi, `$1${MASK}`],
  // Long random texts. Ids of requests are shorter, or have hyphens.
  [/(?<![\w+/-])(?=[\w+/]*\d)[\w+/]{40,}={0,2}/g, MASK],
];

/** A text without these secrets, without what looks like a secret, and without user information and queries of URLs. */
export function masked(text: string, secrets: readonly (string | undefined)[] = []): string {
  // A secret that is cut off would not be recognized.
  let result = text.length > MAX_SEARCHED ? text.slice(0, MAX_SEARCHED).replace(/\S{1,500}$/, "…") : text;
  for (const secret of secrets) for (const form of formsOf(secret)) result = result.replaceAll(form, MASK);
  for (const [pattern, replacement] of SECRET_FORMS) result = result.replaceAll(pattern, replacement);
  return result;
}

/** Shorter ones occur in words. */
const MIN_SECRET_LENGTH = 4;

function formsOf(secret: string | undefined): readonly string[] {
  if (secret === undefined || secret.length < MIN_SECRET_LENGTH) return [];
  const encoded = encodeURIComponent(secret);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inBase64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [...new Set([secret, inJson, encoded, encoded.replaceAll("%20", "+"), inBase64])];
}

type Secrets = readonly (string | undefined)[];

/** An OAuth error code, such as `access_denied`; another text quoted. */
export function errorCodeText(code: string, secrets: Secrets = []): string {
  return /^[\w.-]{1,64}$/.test(code) ? masked(code, secrets) : quotedWords(masked(code, secrets), 100);
}

/** The members of an OAuth error (RFC 6749, 4.1.2.1 and 5.2), in a response or a redirect. */
export interface OAuthError {
  readonly error?: unknown;
  readonly error_description?: unknown;
  readonly error_uri?: unknown;
}

/** The words beside the code, such as `error_description "..."`; none where there are none. */
export function oauthWords({ error_description, error_uri }: OAuthError, secrets: Secrets = []): string[] {
  return Object.entries({ error_description, error_uri }).flatMap(([name, value]) =>
    typeof value === "string" && value.trim() !== ""
      ? [`${name} ${quotedWords(masked(value, secrets))}`]
      : [],
  );
}

/** What a response is, for a message. */
export interface DescribedResponse {
  /** The status, the content type, and the words of an OAuth error. */
  readonly facts: readonly string[];
  /** The start of a body that has no such words, quoted; `undefined` without one. For the log alone: it may be any page of a network. */
  readonly body: string | undefined;
}

const MAX_BODY_LENGTH = 300;

export function describeResponse(response: Response, secrets: Secrets = []): DescribedResponse {
  const type = response.headers.get("content-type");
  const text = bodyStart(response);
  const error = oauthErrorIn(text);
  const code = typeof error?.error === "string" ? [`error ${errorCodeText(error.error, secrets)}`] : [];
  const words = error === undefined ? [] : [...code, ...oauthWords(error, secrets)];
  const shown = text.trim() === "" || words.length > 0 ? undefined : masked(text, secrets);
  return {
    facts: [`status ${response.status}`, ...contentType(type), ...words],
    body: shown === undefined ? undefined : quotedWords(shown, MAX_BODY_LENGTH),
  };
}

function contentType(type: string | null): string[] {
  return type === null ? [] : [`content type ${quoted(shortened(type, 100))}`];
}

function oauthErrorIn(text: string): OAuthError | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** A provider's response that can't be used. The message has the status; the body is for the log alone. */
export class ProviderResponseError extends TypeError {
  override readonly name = "ProviderResponseError";
  readonly status: number;
  readonly responseBody: string | undefined;

  /** @param fault Such as `discovery is answered with status 503`. */
  constructor(fault: string, response: Response) {
    const { facts, body } = describeResponse(response);
    const others = facts.filter((fact) => !fault.endsWith(fact));
    super([fault, ...others].join("; "));
    this.status = response.status;
    this.responseBody = body;
  }
}

/** What an error, or one of its causes, knows of a response. Errors of the libraries hold it in several places. */
export function responseIn(error: unknown, secrets: Secrets = []): DescribedResponse {
  const facts: string[] = [];
  let each: unknown = error;
  for (let depth = 0; depth < 6 && typeof each === "object" && each !== null; depth++) {
    const held = each as { readonly response?: unknown; readonly body?: unknown; readonly cause?: unknown };
    if (each instanceof ProviderResponseError) return { facts: [], body: each.responseBody };
    const response = [each, held.response].find((value) => value instanceof Response);
    if (response !== undefined) {
      const found = describeResponse(response, secrets);
      facts.push(...challengeWords(held.cause, secrets), ...found.facts);
      return { facts: [...new Set(facts)], body: found.body };
    }
    if (typeof held.body === "object" && held.body !== null) {
      const { error: code } = held.body as OAuthError;
      if (typeof code === "string")
        facts.push(`error ${errorCodeText(code, secrets)}`, ...oauthWords(held.body, secrets));
    }
    each = held.cause;
  }
  return { facts, body: undefined };
}

/** Of the header WWW-Authenticate, as openid-client reads it (RFC 6750, 3). */
function challengeWords(challenges: unknown, secrets: Secrets): string[] {
  if (!Array.isArray(challenges)) return [];
  return challenges.flatMap(({ parameters }: { readonly parameters?: OAuthError }) =>
    parameters?.error === undefined ? [] : oauthWords(parameters, secrets),
  );
}

/** Such as `request to idp.example.org: no response (connect ECONNREFUSED 192.0.2.1:443)`. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const text = ownText(error);
  return error.cause instanceof Error ? `${text} (${errorText(error.cause)})` : text;
}

/** The message. Where several addresses of a host failed, Node's error has a code alone. */
export function ownText(error: Error): string {
  if (error.message !== "") return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
