/** Login with SAML 2.0: the service sends browsers, and ECP clients, to the identity provider, and accepts its Response. */
import { createHash } from "node:crypto";

import type { Platform } from "../../../area.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import type { SamlKeys } from "../../../saml/saml-keys.js";
import { xmlId } from "../../../saml/xml-writing.js";
import {
  asVerified,
  isBrowserStep,
  type BrowserStep,
  type EnabledProtocol,
  type FederatedRequest,
  type VerifiedAssertion,
} from "../../assertion-verifier.js";
import type { BeginLogin } from "../../browser/begun-login-limit.js";
import {
  beginInBrowser,
  findInBrowser,
  LOGIN_LIFE_SECONDS,
  loginExpiry,
  type BrowserState,
  type PendingLogins,
} from "../../browser/pending-logins.js";
import { createLoginCookies, type LoginCookies } from "../../browser/login-cookies.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import {
  PAOS_TYPE,
  paosEnvelope,
  postForm,
  redirectUrl,
  type AuthnRequest,
  UNEXPECTED_BINDING,
} from "./message-bindings.js";
import { decodeMessage } from "./xml-reading.js";
import type { AssertionTerms } from "./check-assertion.js";
import type { ProtocolLogins } from "../protocol-type.js";
import type { MetadataCache, Saml2Settings } from "./metadata/metadata-cache.js";
import { entitiesOf, type ProviderMetadata } from "./metadata/provider-metadata.js";
import {
  attributesOfEntity,
  chosenEntity,
  expectedEntity,
  hasSeveral,
  rememberChoice,
} from "./entity-choice.js";
import { entityIdFor, keysOf, readMetadata } from "./saml-party.js";
import { checkFreshAuthn, requestedContexts } from "./assertion-attributes.js";
import type { ResponseFindings, ResponseTask, SamlReader } from "./saml-reader.js";

export interface SamlVerifierDeps extends Pick<Platform, "clock" | "newId"> {
  /** The service's entity ID, where a protocol names no other. */
  readonly entityId: string;
  readonly keys: Pick<SamlKeys, "current">;
  readonly pendingLogins: PendingLogins;
  readonly beginLogin: BeginLogin;
  readonly reader: Pick<SamlReader, "readResponse">;
  readonly metadata: MetadataCache;
}

interface SamlLogin {
  readonly request: FederatedRequest;
  readonly protocol: EnabledProtocol<Saml2Settings>;
  /** The entity that the login is at. */
  readonly provider: ProviderMetadata;
  readonly isOneOfSeveral: boolean;
  readonly pendingLogins: PendingLogins;
  readonly loginCookies: LoginCookies;
  readonly deps: SamlVerifierDeps;
}

interface IncomingMessage {
  readonly xml: string;
  /** Whether an ECP client carries it, in SOAP. */
  readonly isByClient: boolean;
  /** By HTTP-Redirect, which no assertion is accepted by. */
  readonly isByRedirect?: boolean;
}

export function createSamlVerifier(deps: SamlVerifierDeps): ProtocolLogins<Saml2Settings>["verify"] {
  const loginCookies = createLoginCookies();
  const { metadata, pendingLogins } = deps;
  return async (request, protocol) => {
    const message = incomingMessage(request);
    const provider = await readMetadata(metadata, protocol, request.log);
    const isOneOfSeveral = hasSeveral(provider);
    const login = { request, protocol, provider, isOneOfSeveral, pendingLogins, loginCookies, deps };
    return message === undefined ? begin(login) : finish(login, message);
  };
}

/** @returns `undefined` if the request carries no SAML message. */
function incomingMessage({
  method,
  headers,
  form,
  query,
  text,
}: FederatedRequest): IncomingMessage | undefined {
  if (form.has("SAMLart") || query.has("SAMLart")) throw refused("request", UNEXPECTED_BINDING);
  const inQuery = query.get("SAMLResponse");
  if (inQuery !== undefined) return redirectedMessage(inQuery);
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (method === "POST" && type === PAOS_TYPE && text !== undefined) return { xml: text, isByClient: true };
  const encoded = form.get("SAMLResponse");
  return encoded === undefined
    ? undefined
    : { xml: decodeMessage("SAMLResponse", encoded), isByClient: false };
}

/** It is rejected in any case: if it reports a failure, by what the provider says. */
function redirectedMessage(encoded: string): IncomingMessage {
  try {
    const xml = decodeMessage("SAMLResponse", encoded, { isDeflated: true });
    return { xml, isByClient: false, isByRedirect: true };
  } catch (cause) {
    throw new AssertionRefusedError({ step: "request", reason: UNEXPECTED_BINDING }, { cause });
  }
}

async function begin(login: SamlLogin): Promise<BrowserStep> {
  const { request } = login;
  const isByClient = speaksPaos(request);
  if (!isByClient) requireBrowser(request);
  // An ECP client knows its provider.
  const chosen = isByClient ? login.provider : chosenEntity(login);
  if (isBrowserStep(chosen)) return chosen;
  return beginAt({ ...login, provider: chosen }, isByClient);
}

async function beginAt(login: SamlLogin, isByClient: boolean): Promise<BrowserStep> {
  const { request, deps, loginCookies, isOneOfSeveral } = login;
  await deps.beginLogin(request);
  const { signing } = await keysOf(login);
  const authnRequest: AuthnRequest = {
    id: isByClient ? clientRequestId(login) : xmlId(deps.newId),
    issuer: entityIdFor(login),
    consumerUrl: login.protocol.authUrl,
    now: deps.clock.now(),
    isForced: login.protocol.settings.force_authn,
    nameIdFormat: login.protocol.settings.name_id_format,
    contexts: requestedContexts(login.protocol.settings),
    key: signing,
  };
  if (isByClient) {
    const isSigned = !entitiesOf(login.provider).every(({ takesUnsigned }) => takesUnsigned);
    const body = await paosEnvelope(authnRequest, { isSigned });
    return { status: 200, headers: { "content-type": PAOS_TYPE }, body };
  }
  const { id } = authnRequest;
  const cookies = beginInBrowser(login, {
    kind: "saml2",
    id,
    data: isOneOfSeveral ? { entityId: login.provider.entityId } : {},
    loginCookies,
    clock: deps.clock,
    returnName: "acsUrl",
    isPostedBack: true,
  });
  const remembered = isOneOfSeveral ? rememberChoice(login, login.provider) : [];
  return browserStep(authnRequest, login, [...cookies, ...remembered]);
}

/** An ECP client keeps no state: the id, which InResponseTo returns, carries its own proof of origin. */
function clientRequestId({ protocol, deps, pendingLogins }: SamlLogin): string {
  const id = xmlId(deps.newId);
  const expiresAt = loginExpiry(deps.clock);
  const login = { kind: "saml2-client", id: placedId(id, protocol) } as const;
  return `${id}.${pendingLogins.seal({ ...login, data: deps.clock.now(), expiresAt })}`;
}

function placedId(id: string, protocol: EnabledProtocol<Saml2Settings>): string {
  return JSON.stringify([id, protocol.idpId, protocol.id]);
}

/** Only a browser that requests a page can be redirected. */
function requireBrowser({ method, origin }: FederatedRequest): void {
  if (method === "HEAD" || (method === "POST" && origin === undefined))
    throw refused("request", `${method} without a SAMLResponse`);
}

async function browserStep(
  authnRequest: AuthnRequest,
  { provider }: SamlLogin,
  cookies: readonly string[],
): Promise<BrowserStep> {
  if (provider.redirectUrl !== undefined) {
    const location = redirectUrl(authnRequest, provider.redirectUrl);
    return { status: 302, headers: { location, "set-cookie": cookies }, body: "" };
  }
  if (provider.postUrl === undefined)
    throw refused(
      "metadata",
      "the provider's metadata has no SingleSignOnService by HTTP-Redirect or HTTP-POST",
    );
  const { headers, body } = await postForm(authnRequest, provider.postUrl);
  return { status: 200, headers: { ...headers, "set-cookie": cookies }, body };
}

/** @see SAML profiles, 4.2.2: both headers have to be present. */
function speaksPaos({ headers }: FederatedRequest): boolean {
  return headers.paos !== undefined && (headers.accept ?? "").toLowerCase().includes(PAOS_TYPE);
}

async function finish(any: SamlLogin, message: IncomingMessage): Promise<VerifiedAssertion> {
  const begunAt = recognizeLogin(any, message);
  const login = { ...any, provider: expectedEntity(any.provider, message.xml, begunAt) };
  const { protocol, provider, isOneOfSeveral, deps } = login;
  const { trace } = login.request;
  if (message.isByRedirect !== true)
    trace?.passed({ check: "message", message: `Response by ${message.isByClient ? "PAOS" : "HTTP-POST"}` });
  const { terms, authn, leftOut, undecrypted, session, passed, ...read } = await readResponse(login, message);
  trace?.passed(...passed);
  if (undecrypted.length > 0)
    login.request.log.warn(
      { step: "attributes", reason: undecrypted.join("; ") },
      "encrypted attributes of a user were left out",
    );
  const begun = findLogin(login, message, terms);
  if (begun?.entityId !== undefined && begun.entityId !== provider.entityId)
    throw unexpectedResponse(
      begun.id,
      `the login began at ${quoted(begun.entityId)}, not at ${quoted(provider.entityId)}`,
    );
  trace?.passed({
    check: "request",
    message: begun === undefined ? "unsolicited" : `answers the request ${quoted(begun.id)}`,
  });
  await useOnce(login, terms, begun?.id);
  trace?.passed({ check: "replay", message: `assertion ${quoted(terms.id)} was not used before; now it is` });
  const now = deps.clock.now();
  // An unsolicited assertion may be as old as a login may last.
  const since = begun?.begunAt ?? now - LOGIN_LIFE_SECONDS * 1000;
  if (protocol.settings.force_authn === true) checkFreshAuthn(authn, { since, now });
  const { attribute_prefix: prefix = "" } = protocol.settings;
  const own = isOneOfSeveral
    ? attributesOfEntity(read.attributes, provider, prefix)
    : { attributes: read.attributes, leftOut: [] };
  return asVerified({
    identityProviderId: protocol.idpId,
    protocolId: protocol.id,
    remoteId: provider.entityId,
    attributes: own.attributes,
    expiresAt: terms.sessionEndsAt,
    origin: begun?.origin ?? undefined,
    leftOut: [
      { reason: "values with semicolons were left out of a user's attributes", attributes: leftOut },
      ...(own.leftOut.length === 0
        ? []
        : [
            {
              reason: "values of scopes that the entity's metadata does not have were left out",
              attributes: own.leftOut,
            },
          ]),
    ],
    session,
  });
}

/**
 * Finds out whether the message belongs to a test login before it is verified, so that a test login shows why its message is invalid.
 * The message's own word counts for no more: the login that a valid message answers is found in what it signs.
 *
 * @returns The entity at which the login began; `undefined` where it is unknown, or the provider has one.
 */
function recognizeLogin(login: SamlLogin, { xml, isByClient }: IncomingMessage): string | undefined {
  if (isByClient || (login.request.trace === undefined && !login.isOneOfSeveral)) return undefined;
  const id = /\sInResponseTo=["']([\w.-]{1,200})["']/.exec(xml)?.[1];
  const begun = id === undefined ? { fault: "" } : findInBrowser(login, { kind: "saml2", id });
  return "fault" in begun ? undefined : entityIdIn(begun);
}

/** As {@link beginAt} has put it there. */
function entityIdIn(state: BrowserState): string | undefined {
  const { entityId } = state as BrowserState & { readonly entityId?: string };
  return entityId;
}

async function readResponse(login: SamlLogin, message: IncomingMessage): Promise<ResponseFindings> {
  const task = await taskFor(login, message);
  try {
    return await login.deps.reader.readResponse(task);
  } catch (error) {
    if (error instanceof AssertionRefusedError) login.request.trace?.passed(...(error.details.passed ?? []));
    throw error;
  }
}

async function taskFor(
  login: SamlLogin,
  { xml, isByClient, isByRedirect = false }: IncomingMessage,
): Promise<ResponseTask> {
  const { protocol, provider, deps } = login;
  const { allow_sha1: allowsSha1 = false, attribute_prefix: prefix = "" } = protocol.settings;
  const { allow_missing_audience: mayLackAudience = false } = protocol.settings;
  const { certificates, weakKeys } = provider;
  const setting = protocol.settings.idp_certificates ? "idp_certificates" : "the provider's metadata";
  const { decryption: keys } = await keysOf(login);
  return {
    xml,
    reading: {
      trust: { certificates, weakKeys, allowsSha1, setting },
      keys,
      isInEnvelope: isByClient,
      isByRedirect,
    },
    expected: {
      issuer: provider.entityId,
      audience: entityIdFor(login),
      recipient: protocol.authUrl,
      now: deps.clock.now(),
      mayBeUnsolicited: isByClient,
      mayLackAudience,
      nameIdFormat: protocol.settings.name_id_format,
    },
    requestedContexts: requestedContexts(protocol.settings),
    naming: { prefix, remoteIdAttribute: protocol.remoteIdAttribute },
    // A logout names its user by a NameID, which several entities may use.
    wantsSession: protocol.settings.logout === true && !login.isOneOfSeveral,
  };
}

interface FoundLogin extends Pick<BrowserState, "begunAt">, Partial<Pick<BrowserState, "origin">> {
  /** Of the request, without its proof of origin. */
  readonly id: string;
  /** The entity at which it began, of a provider with several. */
  readonly entityId?: string | undefined;
}

/** The login that the assertion answers; `undefined` for an unsolicited assertion. */
function findLogin(
  login: SamlLogin,
  { isByClient }: IncomingMessage,
  { inResponseTo }: AssertionTerms,
): FoundLogin | undefined {
  if (inResponseTo === undefined) return undefined;
  return isByClient ? clientLogin(inResponseTo, login) : browserLogin(inResponseTo, login);
}

function browserLogin(requestId: string, login: SamlLogin): FoundLogin {
  const begun = findInBrowser(login, { kind: "saml2", id: requestId });
  if ("fault" in begun) throw unexpectedResponse(requestId, begun.fault);
  const { begunAt, origin } = begun;
  return { begunAt, origin, id: requestId, entityId: entityIdIn(begun) };
}

function clientLogin(requestId: string, { protocol, pendingLogins }: SamlLogin): FoundLogin {
  // The whole text: an id with a suffix would be another one, and could answer the same request again.
  const [, id = "", sealed] = /^([^.]+)\.([A-Za-z0-9_-]+)$/.exec(requestId) ?? [];
  if (sealed === undefined)
    throw unexpectedResponse(
      requestId,
      "the login is unknown, or began in another way than with an ECP client",
    );
  const begunAt = pendingLogins.unseal("saml2-client", placedId(id, protocol), sealed);
  if (typeof begunAt !== "number")
    throw unexpectedResponse(requestId, "the login is unknown, began at another provider, or too long ago");
  return { id, begunAt };
}

function unexpectedResponse(requestId: string, fault: string, check = "request"): AssertionRefusedError {
  const reason = `InResponseTo is ${quoted(requestId)}: ${fault}`;
  return new AssertionRefusedError({ step: "request", reason }, { details: { check, received: requestId } });
}

/** A request is answered once, and an assertion accepted once, by whichever replica. */
async function useOnce(
  { provider, pendingLogins, deps }: SamlLogin,
  { id, inResponseTo, usableUntil }: AssertionTerms,
  requestId: string | undefined,
): Promise<void> {
  const digest = createHash("sha256")
    .update(JSON.stringify([provider.entityId, id]))
    .digest("base64url");
  const assertion = { kind: "saml2-assertion", id: digest, expiresAt: usableUntil } as const;
  const request = { kind: "saml2", id: requestId ?? "", expiresAt: loginExpiry(deps.clock) } as const;
  const used = await pendingLogins.useAll(requestId === undefined ? [assertion] : [request, assertion]);
  if (used?.kind === "saml2")
    throw unexpectedResponse(inResponseTo ?? "", "the login was finished before (replayed)", "replay");
  if (used !== undefined) throw refused("replay", `replayed: assertion ${quoted(id)} was used before`);
}

function refused(step: string, reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step, reason });
}
