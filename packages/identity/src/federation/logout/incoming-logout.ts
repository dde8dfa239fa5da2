/** The SAML logout message of an HTTP request: by HTTP-Redirect in its query, by HTTP-POST in its form. */
import type { VerifierLog } from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { LogoutMessage } from "./logout-message.js";

/** A request with a SAML message. Nothing in it is trusted. */
export interface LogoutMessageRequest {
  /** Its query as received: a signature covers these bytes. */
  readonly rawQuery: string;
  readonly form: ReadonlyMap<string, string>;
  readonly log: VerifierLog;
}

/** SAML allows 80; providers send more. */
const MAX_RELAY_STATE_LENGTH = 2048;

export interface IncomingLogout {
  readonly message: LogoutMessage;
  readonly relayState: string | undefined;
}

const NAMES = ["SAMLRequest", "SAMLResponse"] as const;
/** In the order in which a signature covers them. @see SAML bindings, 3.4.4.1 */
const SIGNED = [...NAMES, "RelayState", "SigAlg"];

/** @throws {AssertionRefusedError} No message, several, or one without a signature. */
export function incomingLogout({ rawQuery, form }: LogoutMessageRequest): IncomingLogout {
  const query = rawParameters(rawQuery);
  const [inQuery, inForm] = [query, form].map((each) => NAMES.filter((name) => each.has(name)));
  const [name, ...others] = [...(inQuery ?? []), ...(inForm ?? [])];
  if (name === undefined || others.length > 0)
    throw refused(
      "message",
      `${name === undefined ? "no" : "several"} SAMLRequest or SAMLResponse, expected one`,
    );
  const isInForm = inForm?.includes(name) === true;
  const relayState = isInForm ? form.get("RelayState") : decoded(query.get("RelayState"));
  if ((relayState ?? "").length > MAX_RELAY_STATE_LENGTH)
    throw refused("message", `RelayState is longer than ${MAX_RELAY_STATE_LENGTH} characters`);
  if (isInForm) return { message: { name, encoded: form.get(name) ?? "", signature: undefined }, relayState };
  const [value, algorithm] = [decoded(query.get("Signature")), decoded(query.get("SigAlg"))];
  if (value === undefined || algorithm === undefined)
    throw refused("signature", `${name} by HTTP-Redirect is not signed: expected SigAlg and Signature`);
  const text = SIGNED.flatMap((each) => (query.has(each) ? [`${each}=${query.get(each)}`] : [])).join("&");
  return {
    message: { name, encoded: decoded(query.get(name)) ?? "", signature: { text, algorithm, value } },
    relayState,
  };
}

/** Undecoded values by name. @throws {AssertionRefusedError} A parameter of the binding is repeated. */
function rawParameters(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const part of query.split("&")) {
    const [name = "", value = ""] = part.split(/=(.*)/s);
    if (values.has(name) && [...SIGNED, "Signature"].includes(name))
      throw refused("message", `query has several ${name}, expected one`);
    values.set(name, value);
  }
  return values;
}

function decoded(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  try {
    return decodeURIComponent(value.replaceAll("+", " "));
  } catch {
    throw refused("message", "query is not percent-encoded UTF-8");
  }
}

function refused(step: string, reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step, reason });
}
