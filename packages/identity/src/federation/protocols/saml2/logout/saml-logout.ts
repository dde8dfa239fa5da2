/** Single logout by SAML 2.0: requests of providers, and those that the service sends to them. @see SAML profiles, 4.4 */
import { createHash } from "node:crypto";

import type { Platform } from "../../../../area.js";
import type { ProtocolKey } from "../../../../identity-providers/protocols/protocol-store.js";
import { quoted } from "../../../../platform/text/quoted-value.js";
import { NAMESPACES, SUCCESS } from "../../../../saml/saml-names.js";
import type { SamlKeys } from "../../../../saml/saml-keys.js";
import { element, instant, xmlId, type Xml } from "../../../../saml/xml-writing.js";
import type { BrowserStep, VerifierLog, EnabledProtocol } from "../../../assertion-verifier.js";
import { LOGIN_LIFE_SECONDS, loginExpiry, type PendingLogins } from "../../../browser/pending-logins.js";
import { AssertionRefusedError } from "../../../federation-errors.js";
import type { MetadataCache, Saml2Settings } from "../metadata/metadata-cache.js";
import type { LogoutService, ProviderMetadata } from "../metadata/provider-metadata.js";
import { messageForm, messageUrl, type OutgoingMessage } from "../message-bindings.js";
import type { SamlReader } from "../saml-reader.js";
import { hasSeveral } from "../entity-choice.js";
import { entityIdFor, keysOf, readMetadata } from "../saml-party.js";
import type { MessageName } from "../xml-reading.js";
import type { LogoutMessageRequest, ReceivedLogout } from "../../protocol-type.js";
import type {
  LogoutFindings,
  LogoutMessage,
  LogoutRequestFindings,
  SamlSessionHint,
} from "./logout-message.js";
import type { EndedSessions, ProviderSessions } from "../../../logout/provider-sessions.js";

export interface SamlLogoutDeps extends Pick<Platform, "clock" | "newId"> {
  /** The service's entity ID, where a protocol names no other. */
  readonly entityId: string;
  readonly keys: Pick<SamlKeys, "current">;
  readonly pendingLogins: PendingLogins;
  readonly reader: Pick<SamlReader, "readLogoutIssuer" | "readLogout">;
  readonly metadata: MetadataCache;
  readonly sessions: Pick<ProviderSessions, "end">;
  /** The protocols with single logout of the provider with an entity ID. */
  readonly protocolsOf: (entityId: string) => Promise<readonly EnabledProtocol<Saml2Settings>[]>;
  /** The public URL that receives messages. */
  readonly logoutUrl: string;
}

export interface SamlLogout {
  /** @throws {AssertionRefusedError} An invalid message. */
  receive(request: LogoutMessageRequest): Promise<ReceivedLogout>;
  /** Sends the browser to the provider; `undefined` where it has no endpoint. @throws {AssertionRefusedError} No metadata. */
  begin(protocol: EnabledProtocol<Saml2Settings>, logout: BegunLogout): Promise<BrowserStep | undefined>;
}

export interface BegunLogout {
  readonly hint: SamlSessionHint;
  /** Where the browser goes afterwards. */
  readonly relayState: string | undefined;
  readonly log: VerifierLog;
}

/** How long a LogoutRequest of the service is valid. */
const REQUEST_LIFE_MS = 300_000;

/** What a message of a provider is verified with, and answered to. */
interface Counterpart {
  readonly protocol: EnabledProtocol<Saml2Settings>;
  readonly provider: ProviderMetadata;
}

export function createSamlLogout(deps: SamlLogoutDeps): SamlLogout {
  const { reader, pendingLogins, sessions, clock, newId, logoutUrl } = deps;

  async function counterpartOf(
    protocol: EnabledProtocol<Saml2Settings>,
    log: VerifierLog,
  ): Promise<Counterpart> {
    const provider = await readMetadata(deps.metadata, protocol, log);
    if (hasSeveral(provider))
      throw refused(
        "metadata",
        "the provider has several entities, whose logouts are not accepted: give each a provider of its own",
      );
    return { protocol, provider };
  }

  async function read(message: LogoutMessage, { protocol, provider }: Counterpart): Promise<LogoutFindings> {
    const { certificates, weakKeys, entityId: issuer } = provider;
    const { decryption: keys } = await keysOf({ protocol, deps });
    return reader.readLogout({
      message,
      trust: { certificates, weakKeys, allowsSha1: protocol.settings.allow_sha1 ?? false },
      keys,
      expected: { issuer, destination: logoutUrl, now: clock.now() },
    });
  }

  /** Under each of the provider's protocols: their trusted keys may differ. */
  async function readVerified(message: LogoutMessage, log: VerifierLog) {
    const issuer = await reader.readLogoutIssuer(message);
    const verified: { readonly counterpart: Counterpart; readonly findings: LogoutFindings }[] = [];
    let failure: unknown = refused(
      "issuer",
      `Issuer is ${quoted(issuer)}, expected one of the remote_ids of an enabled provider with a protocol whose settings have "logout": true`,
    );
    for (const protocol of await deps.protocolsOf(issuer)) {
      try {
        const counterpart = await counterpartOf(protocol, log);
        verified.push({ counterpart, findings: await read(message, counterpart) });
      } catch (error) {
        failure = error;
      }
    }
    const [first] = verified;
    if (first === undefined) throw failure;
    return { ...first, counterparts: verified.map(({ counterpart }) => counterpart) };
  }

  /** Used only after the sessions have ended: the provider may repeat a request that failed here. */
  async function endSessions(
    request: LogoutRequestFindings,
    counterparts: readonly Counterpart[],
    issuer: string,
  ): Promise<EndedSessions> {
    const { id, usableUntil: expiresAt } = request;
    const digest = createHash("sha256")
      .update(JSON.stringify([issuer, id]))
      .digest("base64url");
    const used = { kind: "saml2-logout", id: digest, expiresAt } as const;
    if (await pendingLogins.wasUsed(used.kind, digest))
      throw refused("replay", `replayed: LogoutRequest ${quoted(id)} was used before`);
    const ended: EndedSessions[] = [];
    for (const { protocol } of counterparts) ended.push(await sessions.end(keyOf(protocol), request));
    await pendingLogins.use(used);
    return {
      count: ended.reduce((sum, { count }) => sum + count, 0),
      userIds: [...new Set(ended.flatMap(({ userIds }) => userIds))],
    };
  }

  async function send(
    name: MessageName,
    { provider, protocol }: Counterpart,
    { isByPost, relayState, write }: Sending,
  ): Promise<BrowserStep | undefined> {
    const { redirect, post } = provider.logout;
    const found = isByPost ? (post ?? redirect) : (redirect ?? post);
    if (found === undefined) return undefined;
    const destination = urlFor(name, found);
    const { signing: key } = await keysOf({ protocol, deps });
    const issuer = entityIdFor({ protocol, deps });
    const id = name === "SAMLRequest" ? sealedId(provider.entityId) : xmlId(newId);
    const { xml } = write({ id, issuer, destination, now: instant(clock.now()) });
    const message: OutgoingMessage = { name, xml, id, relayState, key };
    if (found === redirect)
      return { status: 302, headers: { location: messageUrl(message, destination) }, body: "" };
    const frameAncestor = new URL(destination).origin;
    return {
      status: 200,
      ...(await messageForm(message, { destination, title: "Logging out", frameAncestor })),
    };
  }

  /** The response returns it in InResponseTo: it carries its own proof of origin. */
  function sealedId(issuer: string): string {
    const id = xmlId(newId);
    const request = { kind: "saml2-logout-request", id: JSON.stringify([id, issuer]) } as const;
    return `${id}.${pendingLogins.seal({ ...request, data: true, expiresAt: loginExpiry(clock) })}`;
  }

  function checkInResponseTo(requestId: string, issuer: string): void {
    const [, id = "", sealed = ""] = /^([^.]+)\.([A-Za-z0-9_-]+)$/.exec(requestId) ?? [];
    const data = pendingLogins.unseal("saml2-logout-request", JSON.stringify([id, issuer]), sealed);
    if (data === undefined)
      throw refused(
        "request",
        `InResponseTo is ${quoted(requestId)}, expected a LogoutRequest that this service sent to ${quoted(issuer)} at most ${LOGIN_LIFE_SECONDS} s ago`,
      );
  }

  return {
    async receive(request) {
      const { message, relayState } = incomingLogout(request);
      const { counterpart, counterparts, findings } = await readVerified(message, request.log);
      const issuer = counterpart.provider.entityId;
      const key = keyOf(counterpart.protocol);
      if (findings.kind === "response") {
        checkInResponseTo(findings.inResponseTo, issuer);
        return { step: undefined, relayState, ended: undefined, key };
      }
      const ended = await endSessions(findings, counterparts, issuer);
      const step = await send("SAMLResponse", counterpart, {
        isByPost: !message.isByRedirect,
        relayState,
        write: (facts) => responseXml(findings.id, facts),
      });
      return { step, relayState: undefined, ended, key };
    },

    async begin(protocol, { hint, relayState, log }) {
      const counterpart = await counterpartOf(protocol, log);
      const until = instant(clock.now() + REQUEST_LIFE_MS);
      const write = (facts: MessageFacts) => requestXml({ hint, until }, facts);
      return send("SAMLRequest", counterpart, { isByPost: false, relayState, write });
    },
  };
}

function keyOf({ idpId, id }: EnabledProtocol): ProtocolKey {
  return { idpId, id };
}

interface Sending {
  readonly isByPost: boolean;
  readonly relayState: string | undefined;
  readonly write: (facts: MessageFacts) => Xml;
}

interface MessageFacts {
  readonly id: string;
  readonly issuer: string;
  readonly destination: string;
  readonly now: string;
}

function urlFor(name: MessageName, { url, responseUrl }: LogoutService): string {
  return name === "SAMLRequest" ? url : responseUrl;
}

function attributesOf({ id, destination, now }: MessageFacts): Readonly<Record<string, string>> {
  return {
    "xmlns:samlp": NAMESPACES.protocol,
    "xmlns:saml": NAMESPACES.assertion,
    ID: id,
    Version: "2.0",
    IssueInstant: now,
    Destination: destination,
  };
}

function requestXml(
  { hint, until }: { readonly hint: SamlSessionHint; readonly until: string },
  facts: MessageFacts,
): Xml {
  const { nameId, attributes, index } = hint;
  return element(
    "samlp:LogoutRequest",
    { ...attributesOf(facts), NotOnOrAfter: until },
    element("saml:Issuer", {}, facts.issuer),
    element("saml:NameID", attributes, nameId),
    ...(index === undefined ? [] : [element("samlp:SessionIndex", {}, index)]),
  );
}

function responseXml(inResponseTo: string, facts: MessageFacts): Xml {
  return element(
    "samlp:LogoutResponse",
    { ...attributesOf(facts), InResponseTo: inResponseTo },
    element("saml:Issuer", {}, facts.issuer),
    element("samlp:Status", {}, element("samlp:StatusCode", { Value: SUCCESS })),
  );
}

function refused(step: string, reason: string): AssertionRefusedError {
  return new AssertionRefusedError({ step, reason });
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

/** @throws {AssertionRefusedError} No message, or several. */
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
  if (isInForm) {
    const encoded = form.get(name) ?? "";
    return { message: { name, encoded, isByRedirect: false, signature: undefined }, relayState };
  }
  const [value, algorithm] = [decoded(query.get("Signature")), decoded(query.get("SigAlg"))];
  const text = SIGNED.flatMap((each) => (query.has(each) ? [`${each}=${query.get(each)}`] : [])).join("&");
  const isSigned = value !== undefined && algorithm !== undefined;
  const signature = isSigned ? { text, algorithm, value } : undefined;
  const encoded = decoded(query.get(name)) ?? "";
  return { message: { name, encoded, isByRedirect: true, signature }, relayState };
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
