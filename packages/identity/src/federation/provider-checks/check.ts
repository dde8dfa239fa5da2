/** The parts of checks: their results, and what results have in common. */
import type { ProtocolFinding } from "../../identity-providers/protocols/protocol-report.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { AssertionForbiddenError, AssertionRefusedError } from "../federation-errors.js";

export type CheckResult = Omit<ProtocolFinding, "check">;

/** Checks by name. They run concurrently; one without results does not apply. */
export type Checks = Readonly<Record<string, () => Promise<readonly CheckResult[]>>>;

export const passed = (message: string): CheckResult => ({ status: "ok", message });
export const warned = (message: string): CheckResult => ({ status: "warning", message });
export const failed = (message: string): CheckResult => ({ status: "failure", message });

/** Why a step failed, with the code of a network error, without addresses that names resolve to and without parts of responses. */
export function reasonOf(error: unknown): string {
  if (error instanceof AssertionRefusedError || error instanceof AssertionForbiddenError)
    return error.facts.reason;
  if (!(error instanceof Error)) return "unknown error";
  // The message quotes the response, which may be one that the caller could not request.
  if (error instanceof SyntaxError) return "the response is not JSON";
  const code = networkCode(error.cause);
  return code === undefined || error.message.endsWith(`(${code})`)
    ? error.message
    : `${error.message} (${code})`;
}

/** Such as `ECONNREFUSED`, `ENOTFOUND` or `CERT_HAS_EXPIRED`. */
function networkCode(cause: unknown): string | undefined {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}

/** `remote_ids` that a result names. */
const MAX_NAMED = 5;

/** @param asserted The issuer or entity ID of assertions. */
export function checkRemoteId(remoteIds: readonly string[], asserted: string): CheckResult {
  const proposal = { proposal: { remote_id: asserted } };
  if (remoteIds.length === 0)
    return {
      ...passed(`the identity provider has no remote_ids: logins by ${quoted(asserted)} are accepted`),
      ...proposal,
    };
  if (remoteIds.includes(asserted)) return passed(`${quoted(asserted)} is among the provider's remote_ids`);
  const named = remoteIds.slice(0, MAX_NAMED).map(quoted).join(", ");
  const text =
    `${quoted(asserted)} is not among the provider's remote_ids (${named}${remoteIds.length > MAX_NAMED ? ", …" : ""}), so that ` +
    "logins are rejected: add it by PATCH of the identity provider";
  return { ...failed(text), ...proposal };
}
