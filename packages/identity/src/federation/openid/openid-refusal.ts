/** What libraries throw over a login, as a refusal with its reason for the log. */
import { messageOf } from "../../platform/errors.js";
import { AssertionRefusedError } from "../federation-errors.js";

/** Runs work; whatever it throws is that the login is refused at this step. */
export async function refusing<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AssertionRefusedError) throw error;
    throw new AssertionRefusedError({ step, reason: reasonOf(error) }, { cause: error });
  }
}

/** The libraries' messages name claims, and never their values. */
function reasonOf(error: unknown): string {
  const told = toldError(error) ?? (error instanceof Error ? toldError(error.cause) : undefined);
  return told === undefined ? messageOf(error) : `${messageOf(error)}: ${told}`;
}

/** The error that a provider tells by a word such as `access_denied`; anything else it might say is not for the log. */
function toldError(value: unknown): string | undefined {
  const told = typeof value === "object" && value !== null && "error" in value ? value.error : undefined;
  return typeof told === "string" && /^[\w-]{1,64}$/.test(told) ? told : undefined;
}
