/** Claims of a provider: read from its JSON, where numbers keep their exact text and `sub` is a text; compared with what is expected. */
import type { Moment } from "../../../platform/clock.js";
import type { OutgoingFetch } from "../../../platform/outgoing/outgoing-requests.js";
import { ExactNumber, parseExactJson } from "../../../platform/text/exact-json.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { describeTime, isoTime, LEEWAY_MS } from "../../leeway.js";
import type { ComparedValues } from "../../login-trace.js";
import { ProviderResponseError } from "../../provider-words.js";
import type { Claims } from "./claim-attributes.js";

/** Times, in seconds: numbers to calculate with. */
const TIMES = ["exp", "nbf", "iat", "auth_time"];
/** @see OpenID Connect Core 1.0, 2 */
const MAX_SUBJECT_CHARACTERS = 255;

/** @throws {SyntaxError} No JSON, or no object. */
export function readClaims(text: string): Claims {
  const claims = parseExactJson(text);
  if (typeof claims !== "object" || claims === null || Array.isArray(claims))
    throw new SyntaxError("the claims are no JSON object");
  const times = Object.entries(claims).flatMap(([name, value]) =>
    TIMES.includes(name) && value instanceof ExactNumber && Number.isFinite(value.rounded)
      ? [[name, value.rounded] as const]
      : [],
  );
  return times.length === 0 ? (claims as Claims) : { ...claims, ...Object.fromEntries(times) };
}

/**
 * Why `sub` identifies no user; `undefined` where it does, or is missing.
 *
 * @see RFC 7519, 4.1.2: a text. Two numbers may be one to a reader, and a list or an object is none.
 */
export function subjectFault({ sub }: Claims): string | undefined {
  if (sub === undefined) return undefined;
  const expected = `expected a text of 1 to ${MAX_SUBJECT_CHARACTERS} characters (RFC 7519, 4.1.2)`;
  if (typeof sub !== "string") return `"sub" is of type ${typeOf(sub)}, ${expected}`;
  if (sub.trim() === "") return `"sub" is empty, ${expected}`;
  return sub.length > MAX_SUBJECT_CHARACTERS ? `"sub" has ${sub.length} characters, ${expected}` : undefined;
}

/** The first time that is no finite number, such as `1e400`, after which no token would expire. */
export function claimTimeFault(claims: Claims): string | undefined {
  for (const name of TIMES) {
    const value = claims[name];
    if (value instanceof ExactNumber) return `"${name}" is ${value.text}, expected a number of seconds`;
  }
  return undefined;
}

function typeOf(value: unknown): string {
  if (value instanceof ExactNumber) return "number";
  if (Array.isArray(value)) return "list";
  return value === null ? "null" : typeof value;
}

/** Responses whose JSON has exact numbers: openid-client reads claims by `json()`. */
export function withExactNumbers(fetch: OutgoingFetch): OutgoingFetch {
  return async (url, request) => {
    const response = await fetch(url, request);
    return Object.defineProperty(response, "json", { value: () => readJsonResponse(response) });
  };
}

export const NOT_JSON = "the response is not JSON";

/** @throws {ProviderResponseError} It has no JSON object. */
export async function readJsonResponse(response: Response): Promise<Claims> {
  const text = await response.text();
  try {
    return readClaims(text);
  } catch {
    throw new ProviderResponseError(NOT_JSON, response);
  }
}

/**
 * Responses whose JSON has exact numbers; of a signed one, what `verify` returns.
 *
 * @param type The content type of signed responses.
 */
export function withVerifiedClaims(
  fetch: OutgoingFetch,
  type: string,
  verify: (token: string) => Promise<Claims>,
): OutgoingFetch {
  const exact = withExactNumbers(fetch);
  return async (url, options) => {
    const response = await exact(url, options);
    const received = response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
    return response.status === 200 && received === type
      ? withClaims(await verify(await response.text()))
      : response;
  };
}

function withClaims(claims: Claims): Response {
  const response = new Response("{}", { headers: { "content-type": "application/json" } });
  return Object.defineProperty(response, "json", { value: async () => claims });
}

/** A claim that is not as expected, with the values in words. */
export class ClaimError extends Error {
  override readonly name = "ClaimError";
  readonly details: ComparedValues;

  constructor(message: string, details: ComparedValues) {
    super(message);
    this.details = details;
  }
}

/** The checks that claims belong to. */
const CHECK_OF_CLAIM: Readonly<Record<string, string>> = {
  iss: "issuer",
  aud: "audience",
  azp: "audience",
  exp: "time",
  nbf: "time",
  iat: "time",
  auth_time: "time",
  nonce: "request",
};

/** What a claim is compared with, by the check that it belongs to. Values of other claims than those of services are left out. */
export function comparedClaim(claim: string, received: unknown, expected?: unknown): ComparedValues {
  const check = CHECK_OF_CLAIM[claim] ?? "claims";
  const isShown = SHOWN_CLAIMS.has(claim) || check === "time";
  return {
    check,
    ...(isShown && received !== undefined && { received: claimText(received) }),
    ...(isShown && expected !== undefined && { expected: claimText(expected) }),
  };
}

const claimText = (value: unknown): string =>
  [value]
    .flat()
    .map((each) => (typeof each === "string" ? each : JSON.stringify(each)))
    .join(", ");

/** Claims whose values may be in the log: they identify services, not users. */
export const SHOWN_CLAIMS: ReadonlySet<string> = new Set(["iss", "aud", "azp"]);

/** Values of `iss` or `aud`, as messages name them. */
export function quotedClaim(value: unknown): string {
  return [value]
    .flat()
    .map((each) => quoted(typeof each === "string" ? each : JSON.stringify(each)))
    .join(" or ");
}

/** Why a time, in seconds, can't be that of a past event; `undefined` where it can. */
export function futureFault(claim: "iat" | "auth_time", seconds: number, now: Moment): string | undefined {
  const time = seconds * 1000;
  return time > now + LEEWAY_MS ? `"${claim}" is in the future: ${describeTime(time, now)}` : undefined;
}

/** A time of a token, in seconds, and that of the check. */
export function timeDetails(seconds: unknown, now: Moment): ComparedValues {
  return { check: "time", received: isoTime(Number(seconds) * 1000), expected: `valid at ${isoTime(now)}` };
}

/** A time of a token, in seconds, and its offset from now. */
export const timeText = (seconds: number, now: Moment): string => describeTime(seconds * 1000, now);
