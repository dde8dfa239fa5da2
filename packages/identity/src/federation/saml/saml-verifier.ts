/**
 * Login with SAML 2.0: the service sends browsers, and clients that speak ECP, to the identity provider, and takes what they
 * bring back.
 */
import { createHash, createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";

import { BusyError } from "../../platform/concurrency/bounded-queue.js";
import type { Clock } from "../../platform/clock.js";
import type { NewId } from "../../platform/ids.js";
import type {
  AssertionVerifier,
  BrowserStep,
  VerifierProtocol,
  VerifierRequest,
} from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import {
  createLoginCookies,
  MAX_BEGUN_LOGINS,
  readLoginCookies,
  type LoginCookies,
} from "../browser/login-cookies.js";
import type { LoginRequests } from "../browser/begun-logins.js";
import { asVerified, type VerifiedAssertion } from "../verified-assertion.js";
import { PAOS_TYPE, paosEnvelope, postForm, redirectUrl, type AuthnRequest } from "./authn-request.js";
import { xmlId } from "../../saml/xml-writing.js";
import type { AssertionTerms } from "./check-assertion.js";
import type { ProviderDescription } from "./metadata/provider-metadata.js";
import {
  createProviderDescriptions,
  type ProviderDescriptions,
  type ReadUrl,
  type Saml2Settings,
  type WantedDescription,
} from "./metadata/provider-descriptions.js";
import { quoted } from "../../platform/text/quoted-value.js";
import type { SamlKey, SamlKeys } from "../../saml/saml-keys.js";
import type { ResponseTask, SamlReader } from "./saml-reader.js";

export interface SamlVerifierDeps {
  /** What the service is known as, where a protocol doesn't say otherwise. */
  readonly entityId: string;
  readonly keys: Pick<SamlKeys, "current">;
  readonly loginRequests: LoginRequests;
  readonly readUrl: ReadUrl;
  readonly reader: SamlReader;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** What a browser carries of a login while it goes on elsewhere. */
interface BegunLogin {
  readonly identityProviderId: string;
  readonly protocolId: string;
  readonly origin: string | null;
}

/** A login with what belongs to it. */
interface Login {
  readonly request: VerifierRequest;
  readonly protocol: VerifierProtocol<"saml2">;
  readonly provider: ProviderDescription;
  readonly loginCookies: LoginCookies;
  readonly deps: SamlVerifierDeps;
}

/** A message that was brought. */
interface Brought {
  readonly xml: string;
  /** Whether a client has carried it, in SOAP. */
  readonly isByClient: boolean;
}

/** How long somebody may take at the provider. */
const LIFE_SECONDS = 600;

export function createSamlVerifier(deps: SamlVerifierDeps): AssertionVerifier<"saml2"> {
  const descriptions = createProviderDescriptions(deps);
  const loginCookies = createLoginCookies();
  return {
    type: "saml2",
    async verify(request, protocol) {
      const brought = broughtBy(request);
      const provider = await describeProvider(descriptions, { ...protocol, log: request.log });
      const login = { request, protocol, provider, deps, loginCookies };
      return brought === undefined ? begin(login) : finish(login, brought);
    },
  };
}

/** @returns `undefined` where nothing was brought. */
function broughtBy({ method, headers, form, query, text }: VerifierRequest): Brought | undefined {
  if (query.has("SAMLResponse") || form.has("SAMLart") || query.has("SAMLart"))
    throw refused("request", "responses are taken in forms alone");
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (method === "POST" && type === PAOS_TYPE && text !== undefined) return { xml: text, isByClient: true };
  const encoded = form.get("SAMLResponse");
  return encoded === undefined ? undefined : { xml: decode(encoded), isByClient: false };
}

function decode(encoded: string): string {
  const plain = encoded.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) throw refused("message", "it is not in base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(plain, "base64"));
  } catch (cause) {
    throw new AssertionRefusedError({ step: "message", reason: "it is no UTF-8" }, { cause });
  }
}

async function begin(login: Login): Promise<BrowserStep> {
  const { request, deps } = login;
  const isByClient = speaksPaos(request);
  if (!isByClient) requireBrowser(request);
  await request.beginLogin();
  const { signing } = await keysOf(login);
  const asked: AuthnRequest = {
    id: isByClient ? clientRequestId(login) : xmlId(deps.newId),
    issuer: entityIdFor(login),
    consumerUrl: request.authUrl,
    now: deps.clock.now(),
    key: signing,
  };
  if (isByClient) {
    const body = paosEnvelope(asked, { isSigned: !login.provider.takesUnsigned });
    return { status: 200, headers: { "content-type": PAOS_TYPE }, body };
  }
  return browserStep(asked, login, cookiesFor(asked.id, login));
}

function cookiesFor(requestId: string, { request, protocol, loginCookies, deps }: Login): string[] {
  const data: BegunLogin = {
    identityProviderId: protocol.identityProviderId,
    protocolId: protocol.protocolId,
    origin: request.origin ?? null,
  };
  const expiresAt = deps.clock.now() + LIFE_SECONDS * 1000;
  const carried = deps.loginRequests.begin({ kind: "saml2", id: requestId, data, expiresAt });
  return loginCookies.set(request.headers.cookie, {
    carried,
    authUrl: request.authUrl,
    lifeSeconds: LIFE_SECONDS,
    isPostedBack: true,
  });
}

/** A client that can't show pages keeps nothing: the id, which the answer names, shows by itself that it was given here. */
function clientRequestId({ protocol, deps }: Login): string {
  const id = xmlId(deps.newId);
  const expiresAt = deps.clock.now() + LIFE_SECONDS * 1000;
  const login = { kind: "saml2-client", id: placedId(id, protocol) } as const;
  return `${id}.${deps.loginRequests.begin({ ...login, data: true, expiresAt })}`;
}

function placedId(id: string, { identityProviderId, protocolId }: VerifierProtocol<"saml2">): string {
  return JSON.stringify([id, identityProviderId, protocolId]);
}

/** Only who goes to a page can be sent to another one. */
function requireBrowser({ method, origin }: VerifierRequest): void {
  if (method === "HEAD" || (method === "POST" && origin === undefined))
    throw refused("request", "there is no response");
}

function browserStep(asked: AuthnRequest, { provider }: Login, cookies: string[]): BrowserStep {
  if (provider.redirectUrl !== undefined) {
    const location = redirectUrl(asked, provider.redirectUrl);
    return { status: 302, headers: { location, "set-cookie": cookies }, body: "" };
  }
  if (provider.postUrl === undefined) throw refused("metadata", "the provider takes no requests of browsers");
  const { headers, body } = postForm(asked, provider.postUrl);
  return { status: 200, headers: { ...headers, "set-cookie": cookies }, body };
}

/** @see SAML profiles, 4.2.2: both headers have to say so. */
function speaksPaos({ headers }: VerifierRequest): boolean {
  return headers.paos !== undefined && (headers.accept ?? "").toLowerCase().includes(PAOS_TYPE);
}

async function finish(login: Login, brought: Brought): Promise<VerifiedAssertion> {
  const { protocol, provider, request, deps } = login;
  const { terms, attributes, leftOut } = await deps.reader.readResponse(await taskFor(login, brought));
  const begun = await takeLogin(login, brought, terms);
  await useOnce(terms, login);
  if (leftOut.length > 0)
    request.log.warn({ attributes: leftOut }, "values with semicolons were left out of a user's attributes");
  return asVerified({
    identityProviderId: protocol.identityProviderId,
    protocolId: protocol.protocolId,
    remoteId: provider.entityId,
    attributes,
    expiresAt: terms.sessionEndsAt,
    origin: begun?.origin ?? undefined,
  });
}

async function taskFor(login: Login, { xml, isByClient }: Brought): Promise<ResponseTask> {
  const { protocol, provider, request, deps } = login;
  const { allow_sha1: allowsSha1 = false, attribute_prefix: prefix = "" } = protocol.settings;
  const { allow_missing_audience: mayLackAudience = false } = protocol.settings;
  const { certificates, weakKeys } = provider;
  const { opening: keys } = await keysOf(login);
  return {
    xml,
    reading: {
      trust: { certificates, weakKeys, allowsSha1 },
      keys,
      isInEnvelope: isByClient,
    },
    expected: {
      issuer: provider.entityId,
      audience: entityIdFor(login),
      recipient: request.authUrl,
      now: deps.clock.now(),
      mayBeUnsolicited: isByClient,
      mayLackAudience,
    },
    naming: { prefix, remoteIdAttribute: protocol.remoteIdAttribute },
  };
}

/** The login that is answered, which from now on nobody can finish; `undefined` where nobody has asked. */
async function takeLogin(
  login: Login,
  { isByClient }: Brought,
  { inResponseTo }: AssertionTerms,
): Promise<BegunLogin | undefined> {
  if (inResponseTo === undefined) return undefined;
  const { id, begun } = isByClient
    ? { id: readClients(inResponseTo, login), begun: undefined }
    : { id: inResponseTo, begun: readBrowsers(inResponseTo, login) };
  const { clock, loginRequests } = login.deps;
  const expiresAt = clock.now() + LIFE_SECONDS * 1000;
  if (!(await loginRequests.use({ kind: "saml2", id, expiresAt })))
    throw refused("request", `InResponseTo is ${quoted(inResponseTo)}: the login was finished before`);
  return begun;
}

const NOT_CARRIED = `the login is not known, began in another browser, or too long ago, or ${MAX_BEGUN_LOGINS} newer ones began in this one`;

function readBrowsers(requestId: string, { request, protocol, deps }: Login): BegunLogin {
  const begun = readLoginCookies(request.headers.cookie, request.authUrl)
    .map((carried) => deps.loginRequests.open("saml2", requestId, carried) as BegunLogin | undefined)
    .find((each) => each !== undefined);
  if (begun === undefined) throw refused("request", `InResponseTo is ${quoted(requestId)}: ${NOT_CARRIED}`);
  const isHere =
    begun.identityProviderId === protocol.identityProviderId && begun.protocolId === protocol.protocolId;
  if (!isHere) throw refused("request", "the login began at another provider");
  return begun;
}

/** @returns The id of the request, without what shows that it was given here. */
function readClients(requestId: string, { protocol, deps }: Login): string {
  // All of it: an id with anything behind it would be another one, and answer the same request again.
  const [, id = "", carried] = /^([^.]+)\.([A-Za-z0-9_-]+)$/.exec(requestId) ?? [];
  if (carried === undefined)
    throw refused(
      "request",
      `InResponseTo is ${quoted(requestId)}: the login is not known, or began in another way`,
    );
  if (deps.loginRequests.open("saml2-client", placedId(id, protocol), carried) === undefined)
    throw refused(
      "request",
      `InResponseTo is ${quoted(requestId)}: the login is not known, began at another provider, or too long ago`,
    );
  return id;
}

/** An assertion lets in one time, whichever replica it is brought to. */
async function useOnce({ id, usableUntil }: AssertionTerms, { provider, deps }: Login): Promise<void> {
  const key = createHash("sha256")
    .update(JSON.stringify([provider.entityId, id]))
    .digest("base64url");
  const isFirst = await deps.loginRequests.use({
    kind: "saml2-assertion",
    id: key,
    expiresAt: usableUntil,
  });
  if (!isFirst) throw refused("replay", "the assertion was used before");
}

interface ServiceKeys {
  /** Signs requests. */
  readonly signing: Pick<SamlKey, "privateKey" | "certificate">;
  /** Open what was encrypted. */
  readonly opening: readonly KeyObject[];
}

/** The protocol's own, or else those of the service. */
async function keysOf({ protocol: { settings }, deps }: Login): Promise<ServiceKeys> {
  const { sp_private_key: pem, sp_certificate: certificate } = settings;
  if (pem === undefined || pem === null || certificate === undefined) {
    const { signing, keys } = await deps.keys.current();
    return { signing, opening: keys.map(({ privateKey }) => privateKey) };
  }
  const privateKey = createPrivateKey(pem);
  return { signing: { privateKey, certificate: new X509Certificate(certificate) }, opening: [privateKey] };
}

function entityIdFor({ protocol, deps }: Login): string {
  return (protocol.settings satisfies Saml2Settings).sp_entity_id ?? deps.entityId;
}

/** @throws {AssertionRefusedError} The metadata can't be had, or describes somebody else. */
async function describeProvider(
  descriptions: ProviderDescriptions,
  wanted: WantedDescription,
): Promise<ProviderDescription> {
  try {
    return await descriptions.get(wanted);
  } catch (cause) {
    if (cause instanceof AssertionRefusedError || cause instanceof BusyError) throw cause;
    const reason = cause instanceof Error ? cause.message : "it can't be had";
    throw new AssertionRefusedError({ step: "metadata", reason }, { cause });
  }
}

function refused(step: string, reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step, reason });
}
