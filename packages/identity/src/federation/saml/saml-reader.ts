/**
 * The expensive part of SAML: XML, decryption and signatures. Tasks depend only on their arguments, so that threads can run them.
 */
import { AssertionRefusedError, type RefusalFacts } from "../federation-errors.js";
import {
  assertionAttributes,
  type AssertionAttributes,
  type AttributeOptions,
} from "./assertion-attributes.js";
import { checkAssertion, type AssertionTerms, type Expectations } from "./check-assertion.js";
import { readProviderMetadata, type ProviderMetadata } from "./metadata/provider-metadata.js";
import { readSignedResponse, type ResponseReading } from "./saml-response.js";

/** A response, and everything it is validated against. Structured-cloneable. */
export interface ResponseTask {
  readonly xml: string;
  readonly reading: ResponseReading;
  readonly expected: Expectations;
  readonly naming: AttributeOptions;
}

/** Metadata to read. Structured-cloneable. */
export interface MetadataTask {
  readonly xml: string;
  /** They select one of several entities. */
  readonly remoteIds: readonly string[];
  /** Whether the last attempt failed: it then queues behind other retries, and delays no first attempt. */
  readonly isRetry: boolean;
}

/** A response, validated as far as possible without state. */
export interface ResponseFindings extends AssertionAttributes {
  readonly terms: AssertionTerms;
}

export interface SamlReader {
  /**
   * @throws {AssertionRefusedError} An invalid response.
   * @throws {BusyError} The queue is full.
   */
  readResponse(task: ResponseTask): Promise<ResponseFindings>;
  /**
   * The identity provider that metadata describes. The remote ids select one of several.
   *
   * @throws {AssertionRefusedError} None, or several.
   * @throws {BusyError} The queue is full.
   */
  readMetadata(task: MetadataTask): Promise<ProviderMetadata>;
}

/** Runs tasks in the caller's thread. */
export const samlReader: SamlReader = {
  readResponse: async (task) => findings(task),
  readMetadata: async ({ xml, remoteIds }) =>
    refusing("metadata", () => readProviderMetadata(xml, remoteIds)),
};

function findings({ xml, reading, expected, naming }: ResponseTask): ResponseFindings {
  const read = refusing("signature", () => readSignedResponse(xml, reading));
  const terms = refusing("assertion", () => checkAssertion(read, expected));
  return { terms, ...refusing("attributes", () => assertionAttributes(read.assertion, naming)) };
}

/** Runs a step of a login: whatever it throws rejects the login at this step. */
function refusing<Result>(step: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown error";
    throw new AssertionRefusedError({ step, reason }, { cause });
  }
}

/** A result that can be sent between threads, unlike errors. */
export type Outcome<Result> = { readonly result: Result } | { readonly refusal: RefusalFacts };

export async function toOutcome<Result>(work: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof AssertionRefusedError) return { refusal: error.facts };
    throw error;
  }
}
