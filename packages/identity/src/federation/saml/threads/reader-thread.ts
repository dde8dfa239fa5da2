/** What a thread does that reads SAML: the exports are its tasks. Errors do not get through between threads as they are. */
import { AssertionRefusedError, type RefusalFacts } from "../../federation-errors.js";
import { samlReader, type ResponseTask } from "../saml-reader.js";

export type Outcome<Result> = { readonly result: Result } | { readonly refusal: RefusalFacts };

export const readResponse = (task: ResponseTask) => settled(() => samlReader.readResponse(task));

/** Runs work; a refusal is a result that can be sent to another thread. */
export async function settled<Result>(work: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof AssertionRefusedError) return { refusal: error.facts };
    throw error;
  }
}
