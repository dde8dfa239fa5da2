/**
 * What costs time in SAML: reading XML, opening what is encrypted, and checking signatures. It is done in pieces that need
 * nothing but what they are given, so that it can be done beside whatever else the process does.
 */
import { AssertionRefusedError } from "../federation-errors.js";
import {
  assertionAttributes,
  type AssertionAttributes,
  type AttributeOptions,
} from "./assertion-attributes.js";
import { checkAssertion, type AssertionTerms, type Expectations } from "./check-assertion.js";
import { readProviderMetadata, type ProviderDescription } from "./metadata/provider-metadata.js";
import { readResponse, type ResponseReading } from "./saml-response.js";

/** A response, and everything by which it is judged. It can be handed to a thread. */
export interface ResponseTask {
  readonly xml: string;
  readonly reading: ResponseReading;
  readonly expected: Expectations;
  readonly naming: AttributeOptions;
}

/** Metadata to read. It can be handed to a thread. */
export interface MetadataTask {
  readonly xml: string;
  /** By which one of several entities is chosen. */
  readonly remoteIds: readonly string[];
  /** Whether it could not be had or read before: it then waits behind others of its kind, and holds up no other. */
  readonly isRetry: boolean;
}

/** What a response says that may be believed, as far as it alone can tell. */
export interface ResponseFindings extends AssertionAttributes {
  readonly terms: AssertionTerms;
}

export interface SamlReader {
  /**
   * @throws {AssertionRefusedError} It must not be believed.
   * @throws {BusyError} Too many wait.
   */
  readResponse(task: ResponseTask): Promise<ResponseFindings>;
  /**
   * The identity provider that metadata describes. Of several it is the one that the remote ids name.
   *
   * @throws {AssertionRefusedError} There is none, or several.
   * @throws {BusyError} Too many wait.
   */
  readMetadata(task: MetadataTask): Promise<ProviderDescription>;
}

/** One that keeps whoever calls it waiting. */
export const samlReader: SamlReader = {
  readResponse: async (task) => findings(task),
  readMetadata: async ({ xml, remoteIds }) =>
    refusing("metadata", () => readProviderMetadata(xml, remoteIds)),
};

function findings({ xml, reading, expected, naming }: ResponseTask): ResponseFindings {
  const read = refusing("signature", () => readResponse(xml, reading));
  const terms = refusing("assertion", () => checkAssertion(read, expected));
  return { terms, ...refusing("attributes", () => assertionAttributes(read.assertion, naming)) };
}

/** Does work; whatever it throws is that the login is refused at this step. */
function refusing<Result>(step: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "for no reason";
    throw new AssertionRefusedError({ step, reason }, { cause });
  }
}
