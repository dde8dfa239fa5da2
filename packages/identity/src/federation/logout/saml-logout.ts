/** Single logout by SAML 2.0: requests of providers, and those that the service sends to them. @see SAML profiles, 4.4 */
import { createHash } from "node:crypto";

import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Clock } from "../../platform/clock.js";
import type { NewId } from "../../platform/ids.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { NAMESPACES, SUCCESS } from "../../saml/saml-names.js";
import type { SamlKeys } from "../../saml/saml-keys.js";
import { element, instant, xmlId, type Xml } from "../../saml/xml-writing.js";
import type { BrowserStep, VerifierLog } from "../assertion-verifier.js";
import { loginExpiry, type BegunLogins } from "../browser/begun-logins.js";
import type { EnabledProtocol } from "../federated-login.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { MetadataCache, Saml2Settings } from "../saml/metadata/metadata-cache.js";
import type { LogoutService, ProviderMetadata } from "../saml/metadata/provider-metadata.js";
import { messageForm, messageUrl, type MessageName, type OutgoingMessage } from "../saml/message-bindings.js";
import type { SamlReader } from "../saml/saml-reader.js";
import { entityIdFor, keysOf, readMetadata } from "../saml/saml-verifier.js";
import { incomingLogout, type LogoutMessageRequest } from "./incoming-logout.js";
import type {
  LogoutFindings,
  LogoutMessage,
  LogoutRequestFindings,
  SamlSessionHint,
} from "./logout-message.js";
import type { EndedSessions, ProviderSessions } from "./provider-sessions.js";

export interface SamlLogoutDeps {
  /** The service's entity ID, where a protocol names no other. */
  readonly entityId: string;
  readonly keys: Pick<SamlKeys, "current">;
  readonly begunLogins: BegunLogins;
  readonly reader: Pick<SamlReader, "readLogoutIssuer" | "readLogout">;
  readonly metadata: MetadataCache;
  readonly sessions: Pick<ProviderSessions, "end">;
  readonly clock: Clock;
  readonly newId: NewId;
  /** The protocols with single logout of the provider with an entity ID. */
  readonly protocolsOf: (entityId: string) => Promise<readonly EnabledProtocol[]>;
  /** The public URL that receives messages. */
  readonly logoutUrl: string;
}

export interface SamlLogoutResult {
  /** `undefined` where the browser stays here: after a response, or where the provider takes none. */
  readonly step: BrowserStep | undefined;
  readonly relayState: string | undefined;
  /** `undefined` for a response. */
  readonly ended: EndedSessions | undefined;
  /** The protocol whose provider sent the message. */
  readonly key: ProtocolKey;
}

export interface SamlLogout {
  /** @throws {AssertionRefusedError} An invalid message. */
  receive(request: LogoutMessageRequest): Promise<SamlLogoutResult>;
  /** Sends the browser to the provider; `undefined` where it has no endpoint. @throws {AssertionRefusedError} No metadata. */
  begin(enabled: EnabledProtocol, logout: BegunLogout): Promise<BrowserStep | undefined>;
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
  readonly enabled: EnabledProtocol;
  readonly provider: ProviderMetadata;
  readonly settings: Saml2Settings;
}

export function createSamlLogout(deps: SamlLogoutDeps): SamlLogout {
  const { reader, begunLogins, sessions, clock, newId, logoutUrl } = deps;

  async function counterpartOf(enabled: EnabledProtocol, log: VerifierLog): Promise<Counterpart> {
    const settings = enabled.protocol.opened as Saml2Settings;
    const { provider, protocol } = enabled;
    const wanted = {
      identityProviderId: provider.id,
      protocolId: protocol.id,
      settings,
      remoteIds: provider.remoteIds,
      refreshedAt: protocol.refreshedAt,
      log,
    };
    return { enabled, settings, provider: await readMetadata(deps.metadata, wanted) };
  }

  async function read(message: LogoutMessage, { settings, provider }: Counterpart): Promise<LogoutFindings> {
    const { certificates, weakKeys, entityId: issuer } = provider;
    const { decryption: keys } = await keysOf({ protocol: { settings }, deps });
    return reader.readLogout({
      message,
      trust: { certificates, weakKeys, allowsSha1: settings.allow_sha1 ?? false },
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
    for (const enabled of await deps.protocolsOf(issuer)) {
      try {
        const counterpart = await counterpartOf(enabled, log);
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
    if (await begunLogins.wasUsed(used.kind, digest))
      throw refused("replay", `replayed: LogoutRequest ${quoted(id)} was used before`);
    const ended: EndedSessions[] = [];
    for (const { enabled } of counterparts) ended.push(await sessions.end(keyOf(enabled), request));
    await begunLogins.use(used);
    return {
      count: ended.reduce((sum, { count }) => sum + count, 0),
      userIds: [...new Set(ended.flatMap(({ userIds }) => userIds))],
    };
  }

  async function send(
    name: MessageName,
    { provider, settings }: Counterpart,
    { isByPost, relayState, write }: Sending,
  ): Promise<BrowserStep | undefined> {
    const { redirect, post } = provider.logout;
    const found = isByPost ? (post ?? redirect) : (redirect ?? post);
    if (found === undefined) return undefined;
    const destination = urlFor(name, found);
    const protocol = { settings };
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
    return `${id}.${begunLogins.seal({ ...request, data: true, expiresAt: loginExpiry(clock) })}`;
  }

  function checkInResponseTo(requestId: string, issuer: string): void {
    const [, id = "", sealed = ""] = /^([^.]+)\.([A-Za-z0-9_-]+)$/.exec(requestId) ?? [];
    const data = begunLogins.unseal("saml2-logout-request", JSON.stringify([id, issuer]), sealed);
    if (data === undefined)
      throw refused(
        "request",
        `InResponseTo is ${quoted(requestId)}, expected a LogoutRequest that this service sent to ${quoted(issuer)} at most 600 s ago`,
      );
  }

  return {
    async receive(request) {
      const { message, relayState } = incomingLogout(request);
      const { counterpart, counterparts, findings } = await readVerified(message, request.log);
      const issuer = counterpart.provider.entityId;
      const key = keyOf(counterpart.enabled);
      if (findings.kind === "response") {
        checkInResponseTo(findings.inResponseTo, issuer);
        if (findings.status !== SUCCESS)
          throw refused(
            "status",
            `provider answered with status ${quoted(findings.status)}, expected ${quoted(SUCCESS)}`,
          );
        return { step: undefined, relayState, ended: undefined, key };
      }
      const ended = await endSessions(findings, counterparts, issuer);
      const step = await send("SAMLResponse", counterpart, {
        isByPost: message.signature === undefined,
        relayState,
        write: (facts) => responseXml(findings.id, facts),
      });
      return { step, relayState: undefined, ended, key };
    },

    async begin(enabled, { hint, relayState, log }) {
      const counterpart = await counterpartOf(enabled, log);
      const until = instant(clock.now() + REQUEST_LIFE_MS);
      const write = (facts: MessageFacts) => requestXml({ hint, until }, facts);
      return send("SAMLRequest", counterpart, { isByPost: false, relayState, write });
    },
  };
}

function keyOf({ protocol: { idpId, id } }: EnabledProtocol): ProtocolKey {
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
