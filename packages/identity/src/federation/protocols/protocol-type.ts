/**
 * The port of a login protocol: all that the service knows of a type of settings. Each folder here exports one, and `index.ts` lists them;
 * the registry finds them by type.
 *
 * A protocol of an identity provider has settings of one type; one without settings is of the default type.
 */
import type { Platform } from "../../area.js";
import type { ProtocolToCheck } from "../../identity-providers/protocols/protocol-report.js";
import {
  createProtocolSettings,
  type OpenedSettings,
  type SettingsType,
} from "../../identity-providers/protocols/protocol-settings.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Moment } from "../../platform/clock.js";
import type { NewId } from "../../platform/ids.js";
import type { Lookup } from "../../platform/outgoing/outgoing-requests.js";
import type { SamlKeys } from "../../saml/saml-keys.js";
import type {
  BrowserStep,
  EnabledProtocol,
  FederatedRequest,
  VerifiedAssertion,
  VerifierLog,
} from "../assertion-verifier.js";
import type { BeginLogin } from "../browser/begun-login-limit.js";
import type { PendingLogins } from "../browser/pending-logins.js";
import { AssertionRefusedError } from "../federation-errors.js";
import type { EndedSessions, ProviderLogout, ProviderSessions } from "../logout/provider-sessions.js";
import type { Checks } from "../provider-checks/check.js";
import type { DocumentSources, StoredDocument } from "../published/document-store.js";
import type { ProviderDocumentCache } from "../published/provider-document-cache.js";
import type { PastedAssertion, PasteNaming } from "./pasted-text.js";
import type { ProtocolForm } from "./settings-form.js";

export interface ProtocolType<
  Settings extends OpenedSettings = OpenedSettings,
> extends SettingsType<Settings> {
  /** Whether failed logins of a network are limited: not where all users share the address of a front end. */
  readonly isLimited: boolean;
  /** The checks of a login in their usual order, before those of all logins. */
  readonly loginChecks: readonly string[];
  /** What a test login may send, by the members of its body; `undefined` where logins of this type can't be tested. */
  readonly testRequests?: Readonly<Record<string, TestRequest>>;
  /** What people call it. */
  readonly title: string;
  /** What the console shows of it; `undefined` where it has no form. */
  readonly form?: ProtocolForm;
  /** The kinds of documents that its providers publish. */
  readonly documents?: Readonly<Record<string, DocumentWords>> | undefined;
  /**
   * Reads its assertions as authors of rules paste them, unverified, with the attribute names of a login.
   *
   * @returns `undefined` for text of another form.
   * @throws {PastedAssertionError}
   */
  readPasted?(text: string, naming: PasteNaming<Settings>): PastedAssertion | undefined;
  /** Rejects settings by what they contain, before they are stored. @throws {ProtocolSettingsError} */
  checkDraft?(draft: Settings, remoteIds: readonly string[]): Promise<void>;
  /** The checks of a stored protocol, which may send requests. */
  checks(protocol: ProtocolToCheck, settings: Settings, deps: CheckDeps): Checks;
  /** Whether the protocol itself tells users apart, whatever rules say. */
  hasOwnUserIds?(settings: Settings): boolean;
  /**
   * What to register at the provider, which may be asked for before there are settings.
   *
   * @param url The protocol's auth endpoint.
   */
  register(
    settings: Partial<Settings> & Pick<Settings, "type">,
    url: string,
    deps: CheckDeps,
  ): Readonly<Record<string, string>>;
  /** The documents that the provider publishes. */
  documentSources?(settings: Settings, published: PublishedDocuments): DocumentSources;
  /** The provider's keys, for its health. */
  findKeys?(settings: Settings, published: PublishedDocuments): Promise<FoundKeys>;
  /**
   * The providers that a document of the settings describes, for administrators who choose some of them; absent for types that are of one
   * provider.
   *
   * @throws {ProtocolSettingsError} It can't be read. {@link BusyError}
   */
  listEntities?(settings: Settings, deps: CheckDeps): Promise<readonly ListedEntity[]>;
  /** What logins and logouts need; modules that are not needed at once are loaded by the first login. */
  open(context: ProtocolContext): ProtocolLogins<Settings>;
}

export interface TestRequest {
  /** Of the text. */
  readonly maxLength: number;
  /** Checks of logins that such a one does not have. */
  readonly without?: readonly string[];
  /** The request that carries the text. */
  readonly request: (text: string) => Partial<FederatedRequest>;
}

export interface DocumentWords {
  /** In lists. */
  readonly title: string;
  /** In sentences. */
  readonly name: string;
}

export interface PublishedDocuments {
  readonly remoteIds: readonly string[];
  readonly documents: readonly StoredDocument[];
}

/** What checks read providers with. */
export interface CheckDeps extends Pick<Platform, "clock" | "links"> {
  /** The name of this service at providers, where a protocol names no other. */
  readonly serviceId: string;
  /** For development: over HTTP, and from private addresses. */
  readonly allowsHttpIssuers: boolean;
  /** The operator's own networks in which providers may be. */
  readonly isProviderNetwork: (address: string) => boolean;
  /** Resolves host names; the system's resolver if left out. */
  readonly lookup?: Lookup;
}

/** The service, as protocols use it. */
export interface ProtocolContext extends CheckDeps {
  readonly newId: NewId;
  readonly pendingLogins: PendingLogins;
  /**
   * Called before a login is begun at the provider: pending logins are limited per network.
   *
   * @throws {TooManyError} The network has begun too many.
   */
  readonly beginLogin: BeginLogin;
  /** Keeps what providers publish. */
  readonly kept: ProviderDocumentCache;
  /** The service's own keys: they sign what it sends to providers, and decrypt what they send. */
  readonly serviceKeys: Pick<SamlKeys, "current">;
  readonly sessions: Pick<ProviderSessions, "end">;
  /** The protocols with the setting `logout` of the provider with a remote id. */
  readonly protocolsWithLogout: (remoteId: string) => Promise<readonly EnabledProtocol[]>;
}

export interface ProtocolLogins<Settings extends OpenedSettings = OpenedSettings> {
  /** @throws {AssertionRefusedError} No assertion, or an invalid one. */
  verify(
    request: FederatedRequest,
    protocol: EnabledProtocol<Settings>,
  ): Promise<VerifiedAssertion | BrowserStep>;
  /** `undefined` for types without logout. */
  readonly logout?: ProtocolLogout<Settings>;
}

export interface ProtocolLogout<Settings extends OpenedSettings = OpenedSettings> {
  /** Sends the browser to the provider; `undefined` where it has no endpoint. @throws {AssertionRefusedError} */
  begin(protocol: EnabledProtocol<Settings>, logout: LogoutAtProvider): Promise<BrowserStep | undefined>;
  /** Verifies a logout token. @returns `undefined` where the settings take none. @throws {AssertionRefusedError} */
  readToken?(protocol: EnabledProtocol<Settings>, token: string): Promise<LogoutToken | undefined>;
  /** A message of a provider. @throws {AssertionRefusedError} An invalid message. */
  receive?(request: LogoutMessageRequest): Promise<ReceivedLogout>;
}

export interface LogoutAtProvider {
  /** As the login's session has it. */
  readonly hint: object;
  /** Where the browser goes afterwards. */
  readonly origin: string | undefined;
  /** The address of this service to which the provider sends the browser back. */
  readonly returnUrl: string;
  readonly log: VerifierLog;
}

export interface LogoutToken {
  readonly logout: ProviderLogout;
  /** Valid once. */
  readonly tokenId: string;
  readonly usableUntil: number;
}

/** A request with a logout message. Nothing in it is trusted. */
export interface LogoutMessageRequest {
  /** Its query as received: a signature covers these bytes. */
  readonly rawQuery: string;
  readonly form: ReadonlyMap<string, string>;
  readonly log: VerifierLog;
}

export interface ReceivedLogout {
  /** `undefined` where the browser stays here: after a response, or where the provider takes none. */
  readonly step: BrowserStep | undefined;
  readonly relayState: string | undefined;
  /** `undefined` for a response. */
  readonly ended: EndedSessions | undefined;
  /** The protocol whose provider sent the message. */
  readonly key: ProtocolKey;
}

/** A provider among others: a login names it by its id, and people know it by its names. */
export interface ListedEntity {
  readonly id: string;
  /** By language; `` where none is named. */
  readonly names: Readonly<Record<string, string>>;
  /** The domains of its users. */
  readonly scopes: readonly string[];
}

export interface ProviderKey {
  /** `kid`, or the fingerprint of a certificate. */
  readonly id: string;
  readonly algorithm: string;
  /** `undefined` where the provider names no end. */
  readonly expiresAt: Moment | undefined;
  /** Why it is not used; `undefined` if it is. */
  readonly fault: string | undefined;
  /** Whose it is, where the provider has several entities. */
  readonly entity?: string | undefined;
}

export interface FoundKeys {
  readonly keys: readonly ProviderKey[];
  /** Of metadata; `undefined` without an end. */
  readonly validUntil?: Moment | undefined;
}

/** The login protocols of a service, found by the type of settings. */
export type ProtocolTypes = ReturnType<typeof createProtocolTypes>;

/** @param types In the order of the API's schemas and of lists. */
export function createProtocolTypes(types: readonly ProtocolType[]) {
  const byName = new Map(types.map((each) => [each.type, each]));
  return {
    types,
    settings: createProtocolSettings(types),

    /** `undefined` for settings of another release. */
    find: ({ type }: OpenedSettings): ProtocolType | undefined => byName.get(type),

    /** What logins need, by type. */
    open: (context: ProtocolContext): ReadonlyMap<string, ProtocolLogins> =>
      new Map(types.map((each) => [each.type, each.open(context)])),
  };
}

/** Verifies requests of logins, for logins and test logins, each by the type of the protocol's settings. */
export function verifyByType(logins: ReadonlyMap<string, ProtocolLogins>): ProtocolLogins["verify"] {
  return async (request, protocol) => {
    const { type } = protocol.settings;
    const found = logins.get(type);
    if (found !== undefined) return found.verify(request, protocol);
    const reason = `the protocol's settings type "${type}" has no login endpoint`;
    throw new AssertionRefusedError({ step: "settings", reason });
  };
}
