/**
 * The expensive part of SAML: XML, decryption and signatures. Tasks depend only on their arguments, so that threads can run them.
 */
import type { KeyObject } from "node:crypto";

import { quoted } from "../../../platform/text/quoted-value.js";
import { NAMESPACES } from "../../../saml/saml-names.js";
import type { ProviderSession } from "../../assertion-verifier.js";
import { AssertionRefusedError, type RefusalDetails, type RefusalFacts } from "../../federation-errors.js";
import { createLoginTrace, type LoginTrace, type PassedCheck } from "../../login-trace.js";
import {
  checkLogout,
  checkUnverifiedStatus,
  issuerOfLogout,
  readSignedLogout,
  sessionOf,
  type LogoutFindings,
  type LogoutMessage,
  type LogoutTask,
} from "./logout/logout-message.js";
import {
  assertionAttributes,
  type AssertionAttributes,
  type AttributeOptions,
  readAuthnStatement,
  type AuthnFacts,
  type RequestedContexts,
} from "./assertion-attributes.js";
import { decryptElement, decryptParts } from "./assertion-decryption.js";
import {
  AssertionError,
  checkAssertion,
  type AssertionTerms,
  type Expectations,
  type ReadResponse,
} from "./check-assertion.js";
import {
  readAggregateProviders,
  type AggregateProviders,
  type AggregateTask,
} from "./metadata/aggregate-reader.js";
import {
  readProviderMetadata,
  type MetadataDocument,
  type ProviderMetadata,
} from "./metadata/provider-metadata.js";
import { UNEXPECTED_BINDING } from "./message-bindings.js";
import { fingerprintOf } from "./provider-certificates.js";
import { checkStatus, soapFault, statusFault } from "./response-status.js";
import {
  checkSignaturePlaces,
  checkUniqueIds,
  hasSignature,
  readSigned,
  SignatureError,
  trustedSigners,
  type SignatureTrust,
} from "./signed-element.js";
import {
  childrenOf,
  descendantsOf,
  elementsIn,
  isNamed,
  readMessage,
  requireChild,
  XmlError,
} from "./xml-reading.js";

export interface ResponseReading {
  readonly trust: SignatureTrust;
  /** Private keys for encrypted assertions. */
  readonly keys: readonly KeyObject[];
  /** Whether the Response is in a SOAP envelope (ECP). */
  readonly isInEnvelope: boolean;
  /** By HTTP-Redirect, which no assertion is accepted by: it is read for the status of a failure. */
  readonly isByRedirect?: boolean;
}

/** A response, and everything it is validated against. Structured-cloneable. */
export interface ResponseTask {
  readonly xml: string;
  readonly reading: ResponseReading;
  readonly expected: Expectations;
  /** `undefined` if none were requested. */
  readonly requestedContexts?: RequestedContexts | undefined;
  readonly naming: Omit<AttributeOptions, "authn">;
  /** Whether the session at the provider is read too, for its logout. */
  readonly wantsSession?: boolean;
}

/** Metadata to read. Structured-cloneable. */
export interface MetadataTask extends MetadataDocument {
  /** Whether the last attempt failed: it then queues behind other retries, and delays no first attempt. */
  readonly isRetry: boolean;
}

/** An aggregate to read. Structured-cloneable. */
export type AggregateWork = AggregateTask & Pick<MetadataTask, "isRetry">;

/** A response, validated as far as possible without state. */
export interface ResponseFindings extends AssertionAttributes {
  readonly terms: AssertionTerms;
  readonly authn: AuthnFacts;
  readonly session?: ProviderSession | undefined;
  /** Why attributes could not be decrypted. */
  readonly undecrypted: readonly string[];
  /** What passed, for test logins. */
  readonly passed: readonly PassedCheck[];
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
  /**
   * The wanted identity providers of an aggregate, which is read as it comes.
   *
   * @throws {AssertionRefusedError} {@link BusyError} And what reading the chunks throws.
   */
  readAggregate(task: AggregateWork, chunks: AsyncIterable<Uint8Array>): Promise<AggregateProviders>;
  /**
   * The issuer that a logout message names, unverified: it selects the keys that have to verify the message.
   *
   * @throws {AssertionRefusedError} {@link BusyError}
   */
  readLogoutIssuer(message: LogoutMessage): Promise<string>;
  /** @throws {AssertionRefusedError} An invalid message. {@link BusyError} */
  readLogout(task: LogoutTask): Promise<LogoutFindings>;
}

/** Runs tasks in the caller's thread. */
export const samlReader: SamlReader = {
  readResponse: async (task) => findings(task),
  readMetadata: async (task) => refusing("metadata", () => readProviderMetadata(task)),
  readAggregate: async (task, chunks) =>
    refusingAsync("metadata", () => readAggregateProviders(chunks, task)),
  readLogoutIssuer: async (message) => refusing("message", () => issuerOfLogout(message)),
  readLogout: async (task) => {
    const root = refusing("signature", () => signedLogout(task));
    return refusing("logout", () => checkLogout(root, task));
  },
};

function signedLogout(task: LogoutTask): Element {
  try {
    return readSignedLogout(task);
  } catch (error) {
    if (error instanceof SignatureError) checkUnverifiedStatus(task.message, error.message);
    throw error;
  }
}

function findings(task: ResponseTask): ResponseFindings {
  const trace = createLoginTrace();
  try {
    return { ...readTraced(task, trace), passed: trace.checks };
  } catch (error) {
    if (!(error instanceof AssertionRefusedError)) throw error;
    const details = { ...error.details, passed: trace.checks };
    throw new AssertionRefusedError(error.facts, { cause: error.cause, details });
  }
}

function readTraced(task: ResponseTask, trace: LoginTrace): Omit<ResponseFindings, "passed"> {
  const { xml, reading, expected, requestedContexts, naming, wantsSession = false } = task;
  const read = refusing("signature", () => readSignedResponse(xml, reading));
  trace.passed(tracedSignature(read, reading));
  const terms = refusing("assertion", () => checkAssertion(read, expected, trace));
  const authn = refusing("assertion", () => readAuthnStatement(read.assertion, requestedContexts));
  return {
    terms,
    authn,
    undecrypted: read.undecrypted,
    ...refusing("attributes", () => assertionAttributes(read.assertion, { ...naming, authn })),
    ...(wantsSession && { session: sessionOf(read.assertion) }),
  };
}

function tracedSignature(
  { signer, isResponseSigned }: ReadResponse,
  { trust }: ResponseReading,
): PassedCheck {
  const of = isResponseSigned ? "Response" : "Assertion";
  const received = fingerprintOf(signer);
  return {
    check: "signature",
    message: `the ${of} is signed by certificate ${received}, one of ${trust.certificates.length} trusted`,
    received,
    expected: trustedSigners(trust),
  };
}

/** Runs a step of a login: whatever it throws rejects the login at this step. */
function refusing<Result>(step: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof AssertionRefusedError) throw cause;
    const reason = cause instanceof Error ? cause.message : "unknown error";
    const details = cause instanceof AssertionError ? cause.details : undefined;
    throw new AssertionRefusedError({ step, reason }, { cause, details });
  }
}

/** Only what XML and signatures are rejected for: a download that fails is its own error. */
async function refusingAsync<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof XmlError || cause instanceof SignatureError)) throw cause;
    throw new AssertionRefusedError({ step, reason: cause.message }, { cause });
  }
}

const ASSERTION = { namespace: NAMESPACES.assertion, name: "Assertion" };
const ENCRYPTED = { namespace: NAMESPACES.assertion, name: "EncryptedAssertion" };
const RESPONSE = { namespace: NAMESPACES.protocol, name: "Response" };
const isAssertion = ({ localName }: Element): boolean =>
  ["Assertion", "EncryptedAssertion"].includes(localName);
const soap = (name: string) => ({ namespace: NAMESPACES.soap, name });

/**
 * Reads the one assertion of a Response, from signed text only.
 *
 * @throws {XmlError} {@link SignatureError} {@link DecryptionError}
 */
export function readSignedResponse(xml: string, reading: ResponseReading): DecryptedResponse {
  const read = readSignedAssertion(xml, reading);
  return { ...read, undecrypted: decryptParts(read.assertion, reading.keys) };
}

/** A Response without encrypted parts. */
interface DecryptedResponse extends ReadResponse {
  /** Why attributes of it remain encrypted. */
  readonly undecrypted: readonly string[];
}

function readSignedAssertion(xml: string, reading: ResponseReading): ReadResponse {
  const root = readMessage(xml);
  checkUniqueIds(root);
  const response = findResponse(root, reading);
  requireSuccess(response, xml, reading);
  if (reading.isByRedirect === true)
    throw new AssertionRefusedError({ step: "request", reason: UNEXPECTED_BINDING });
  const content = onlyAssertion(root, response);
  checkSignaturePlaces(root, [response, ...(isNamed(content, ASSERTION) ? [content] : [])]);

  if (hasSignature(response)) {
    const signed = readSigned(response, xml, reading.trust);
    const inside = onlyAssertion(signed.root, signed.root);
    const assertion = isNamed(inside, ENCRYPTED) ? decrypted(inside, reading).root : inside;
    return { assertion, response: signed.root, isResponseSigned: true, signer: signed.signer };
  }
  const clear = isNamed(content, ASSERTION) ? { root: content, xml } : decrypted(content, reading);
  const { root: assertion, signer } = readSigned(clear.root, clear.xml, reading.trust);
  return { assertion, response, isResponseSigned: false, signer };
}

/**
 * Before anything else: a Response that reports a failure has no assertion, and may be signed or not.
 *
 * @throws {AssertionRefusedError} The status is not Success. The reason says who has signed that.
 */
function requireSuccess(response: Element, xml: string, { trust }: ResponseReading): void {
  if (statusFault(response) === undefined) return;
  if (!hasSignature(response)) return checkStatus(response, "the Response is not signed");
  let signed: Element;
  try {
    signed = readSigned(response, xml, trust).root;
  } catch {
    return checkStatus(response, "the signature of the Response does not verify");
  }
  checkStatus(signed, "the Response is signed");
}

function findResponse(root: Element, { isInEnvelope }: ResponseReading): Element {
  const outer = isInEnvelope ? bodyOf(root) : root;
  const fault = soapFault(outer);
  if (fault !== undefined) {
    const details = { check: "message" };
    throw new AssertionRefusedError({ step: "status", reason: fault }, { details });
  }
  if (!isNamed(outer, RESPONSE))
    throw new XmlError(`root element is ${quoted(outer.localName)}, expected samlp:Response`);
  return outer;
}

function bodyOf(envelope: Element): Element {
  if (!isNamed(envelope, soap("Envelope")))
    throw new XmlError(`root element is ${quoted(envelope.localName)}, expected soap:Envelope`);
  const [content, ...others] = elementsIn(requireChild(envelope, soap("Body")));
  if (content === undefined || others.length > 0)
    throw new XmlError(
      `soap:Body holds ${content === undefined ? 0 : others.length + 1} elements, expected one`,
    );
  return content;
}

/** The assertion of the response. The document must hold no other one anywhere. */
function onlyAssertion(root: Element, response: Element): Element {
  const all = descendantsOf(root);
  const { length: responses } = all.filter((element) => isNamed(element, RESPONSE));
  if (responses > 1) throw new SignatureError(`${responses} Response elements, expected one`);
  const { length: assertions } = all.filter(isAssertion);
  const [content] = [...childrenOf(response, ASSERTION), ...childrenOf(response, ENCRYPTED)];
  if (assertions !== 1) throw new SignatureError(`${assertions} Assertion elements, expected one`);
  if (content === undefined) throw new SignatureError("the Assertion is not a child of the Response");
  return content;
}

function decrypted(
  encrypted: Element,
  { keys }: ResponseReading,
): { readonly xml: string; readonly root: Element } {
  const xml = decryptElement(encrypted, keys);
  const root = readMessage(xml);
  if (!isNamed(root, ASSERTION))
    throw new XmlError(`EncryptedAssertion holds ${quoted(root.localName)}, expected saml:Assertion`);
  checkUniqueIds(root);
  checkSignaturePlaces(root, [root]);
  return { xml, root };
}

/** A result that can be sent between threads, unlike errors. */
export type Outcome<Result> =
  | { readonly result: Result }
  | { readonly refusal: RefusalFacts; readonly details?: RefusalDetails };

export async function toOutcome<Result>(work: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof AssertionRefusedError) return { refusal: error.facts, details: error.details };
    throw error;
  }
}
