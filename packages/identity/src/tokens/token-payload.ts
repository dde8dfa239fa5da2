/**
 * The content of a token in few bytes: user, methods, scope, lifetime. Everything else is looked up at validation.
 *
 * Byte 0 is the version of the format. A release reads the versions of all releases it may run with, and writes the oldest of them.
 * Numbers and texts follow in the order of {@link encodeTokenPayload}.
 */
import type { Moment } from "../platform/clock.js";
import type { DelegatedBy } from "../policy/delegation.js";
import type { TokenPositions } from "./revocation.js";

export type TokenScope =
  | { readonly kind: "unscoped" }
  | { readonly kind: "project"; readonly projectId: string }
  | { readonly kind: "domain"; readonly domainId: string }
  | { readonly kind: "system" };

/** The identity provider, protocol and groups of a federated login. */
export interface TokenFederation {
  readonly identityProviderId: string;
  readonly protocolId: string;
  /** The mapping's groups, in its order. */
  readonly groupIds: readonly string[];
  /** Set for a local user (`"type": "local"` in the mapping): the token rests on the provider, but does not show it. */
  readonly isLocalUser?: boolean;
  /** Of a user without a row (`"persist_user": false`): what the row would hold. */
  readonly unstoredUser?: { readonly name: string; readonly domainId: string };
}

/** The content of a token. */
export interface TokenPayload {
  readonly userId: string;
  /** The authentication methods, in the order of the response: `password`, `token`, ... */
  readonly methods: readonly string[];
  readonly scope: TokenScope;
  /** Identifies the token in the audit log: 16 bytes, 22 characters of base64url. */
  readonly auditId: string;
  /** The audit id of the first token of the chain, if this one was issued for another token. */
  readonly auditChainId?: string;
  readonly issuedAt: Moment;
  readonly expiresAt: Moment;
  /** Absent without an identity provider. */
  readonly federation?: TokenFederation;
  /** By what it was delegated; absent after a login of the user. */
  readonly delegation?: DelegatedBy;
  /** Revocation events after them revoke it; absent in tokens of the previous release. */
  readonly positions?: TokenPositions;
  /** Issued by an imported Keystone; never encoded. Revocation events up to its positions revoke it by its time of issue. */
  readonly isImported?: boolean;
}

const VERSION = 1;

/**
 * Methods with a number, from 1, by which a payload names them. A number is never reassigned; a method without one, such as an
 * operator's protocol, is written as text after a 0.
 */
const METHODS = [
  "password",
  "token",
  "mapped",
  "openid",
  "saml2",
  "application_credential",
  "totp",
  "external",
  "ec2credential",
  "oauth2_credential",
  "oauth1",
  "x509",
  "kerberos",
];

const SCOPES = ["unscoped", "project", "domain", "system"] as const;

/** Flags above the two bits of the scope. */
const HAS_CHAIN = 4;
const HAS_FEDERATION = 8;
const IS_LOCAL_USER = 16;
const HAS_POSITIONS = 32;
const HAS_DELEGATION = 64;
const IS_UNSTORED_USER = 128;
const MAX_FLAGS =
  3 + HAS_CHAIN + HAS_FEDERATION + IS_LOCAL_USER + HAS_POSITIONS + HAS_DELEGATION + IS_UNSTORED_USER;

/** Flags of a delegation. */
const BY_APPLICATION_CREDENTIAL = 1;
const BY_TRUST = 2;
const BY_ACCESS_TOKEN = 4;
const BY_CERTIFICATE = 8;
const MAX_DELEGATIONS = BY_APPLICATION_CREDENTIAL + BY_TRUST + BY_ACCESS_TOKEN + BY_CERTIFICATE;

export function encodeTokenPayload(payload: TokenPayload): Buffer {
  const { scope, auditChainId, federation, positions, delegation } = payload;
  const packer = createPacker();
  packer.number(VERSION);
  packer.number(
    SCOPES.indexOf(scope.kind) +
      (auditChainId === undefined ? 0 : HAS_CHAIN) +
      (federation === undefined ? 0 : HAS_FEDERATION) +
      (federation?.isLocalUser === true ? IS_LOCAL_USER : 0) +
      (positions === undefined ? 0 : HAS_POSITIONS) +
      (delegation === undefined ? 0 : HAS_DELEGATION) +
      (federation?.unstoredUser === undefined ? 0 : IS_UNSTORED_USER),
  );
  packer.text(payload.userId);
  packMethods(packer, payload.methods);
  if (scope.kind === "project") packer.text(scope.projectId);
  if (scope.kind === "domain") packer.text(scope.domainId);
  packer.number(payload.issuedAt);
  packer.number(payload.expiresAt);
  packer.text(payload.auditId);
  if (auditChainId !== undefined) packer.text(auditChainId);
  if (federation !== undefined) packFederation(packer, federation);
  if (positions !== undefined) packPositions(packer, positions, payload.issuedAt);
  if (delegation !== undefined) packDelegation(packer, delegation);
  return packer.bytes();
}

function packMethods(packer: Packer, methods: readonly string[]): void {
  packer.number(methods.length);
  for (const method of methods) {
    const number = METHODS.indexOf(method) + 1;
    packer.number(number);
    if (number === 0) packer.text(method);
  }
}

function packFederation(packer: Packer, federation: TokenFederation): void {
  const { identityProviderId, protocolId, groupIds, unstoredUser } = federation;
  packer.text(identityProviderId);
  packer.text(protocolId);
  packer.texts(groupIds);
  if (unstoredUser === undefined) return;
  packer.text(unstoredUser.name);
  packer.text(unstoredUser.domainId);
}

/** Positions are usually times shortly before the issue: each is packed as a difference. */
function packPositions(packer: Packer, { proof, scope }: TokenPositions, issuedAt: Moment): void {
  packDistance(packer, issuedAt - proof);
  packDistance(packer, proof - scope);
}

/** Zigzag: twice a number, or minus twice a negative one minus 1. */
function packDistance(packer: Packer, distance: number): void {
  packer.number(distance >= 0 ? distance * 2 : distance * -2 - 1);
}

function packDelegation(packer: Packer, delegation: DelegatedBy): void {
  const { applicationCredentialId, trustId, accessToken, certificateThumbprint } = delegation;
  packer.number(
    (applicationCredentialId === undefined ? 0 : BY_APPLICATION_CREDENTIAL) +
      (trustId === undefined ? 0 : BY_TRUST) +
      (accessToken === undefined ? 0 : BY_ACCESS_TOKEN) +
      (certificateThumbprint === undefined ? 0 : BY_CERTIFICATE),
  );
  if (applicationCredentialId !== undefined) packer.text(applicationCredentialId);
  if (trustId !== undefined) packer.text(trustId);
  if (accessToken !== undefined) packer.texts([accessToken.id, accessToken.consumerId]);
  if (certificateThumbprint !== undefined) packer.text(certificateThumbprint);
}

/** The payload; `undefined` if the bytes are malformed, or of a version that this release does not read. */
export function decodeTokenPayload(bytes: Buffer): TokenPayload | undefined {
  try {
    const unpacker = createUnpacker(bytes);
    if (unpacker.number() !== VERSION) return undefined;
    const payload = unpackPayload(unpacker);
    return unpacker.isAtEnd() ? payload : undefined;
  } catch (error) {
    if (error instanceof UnpackError) return undefined;
    throw error;
  }
}

function unpackPayload(unpacker: Unpacker): TokenPayload {
  const flags = unpacker.number();
  checkFlags(flags, MAX_FLAGS);
  const payload = {
    userId: unpacker.text(),
    methods: unpackMethods(unpacker),
    scope: unpackScope(unpacker, SCOPES[flags % 4]),
    issuedAt: unpacker.number(),
    expiresAt: unpacker.number(),
    auditId: unpacker.text(),
    ...((flags & HAS_CHAIN) > 0 && { auditChainId: unpacker.text() }),
    ...((flags & HAS_FEDERATION) > 0 && {
      federation: {
        ...unpackFederation(unpacker),
        ...((flags & IS_LOCAL_USER) > 0 && { isLocalUser: true }),
        ...((flags & IS_UNSTORED_USER) > 0 && {
          unstoredUser: { name: unpacker.text(), domainId: unpacker.text() },
        }),
      },
    }),
  };
  if ((flags & (HAS_POSITIONS | HAS_DELEGATION)) === 0) return payload;
  return {
    ...payload,
    ...((flags & HAS_POSITIONS) > 0 && { positions: unpackPositions(unpacker, payload.issuedAt) }),
    ...((flags & HAS_DELEGATION) > 0 && { delegation: unpackDelegation(unpacker) }),
  };
}

/**
 * A later release may add flags: what they stand for can't be left out.
 *
 * @param max All flags that this release knows: consecutive bits.
 */
function checkFlags(flags: number, max: number): void {
  if (flags > max) throw new UnpackError(`Unknown flags ${flags}`);
}

function unpackMethods(unpacker: Unpacker): string[] {
  const count = unpacker.number();
  const methods: string[] = [];
  while (methods.length < count) {
    const number = unpacker.number();
    const method = number === 0 ? unpacker.text() : METHODS[number - 1];
    if (method === undefined) throw new UnpackError(`Unknown method ${number}`);
    methods.push(method);
  }
  return methods;
}

function unpackScope(unpacker: Unpacker, kind: (typeof SCOPES)[number] | undefined): TokenScope {
  if (kind === "project") return { kind, projectId: unpacker.text() };
  if (kind === "domain") return { kind, domainId: unpacker.text() };
  return { kind: kind ?? "unscoped" };
}

function unpackFederation(unpacker: Unpacker): TokenFederation {
  return {
    identityProviderId: unpacker.text(),
    protocolId: unpacker.text(),
    groupIds: unpacker.texts(),
  };
}

function unpackPositions(unpacker: Unpacker, issuedAt: Moment): TokenPositions {
  const proof = issuedAt - unpackDistance(unpacker);
  return { proof, scope: proof - unpackDistance(unpacker) };
}

function unpackDistance(unpacker: Unpacker): number {
  const packed = unpacker.number();
  return packed % 2 === 0 ? packed / 2 : (packed + 1) / -2;
}

function unpackDelegation(unpacker: Unpacker): DelegatedBy {
  const flags = unpacker.number();
  checkFlags(flags, MAX_DELEGATIONS);
  return {
    ...((flags & BY_APPLICATION_CREDENTIAL) > 0 && { applicationCredentialId: unpacker.text() }),
    ...((flags & BY_TRUST) > 0 && { trustId: unpacker.text() }),
    ...((flags & BY_ACCESS_TOKEN) > 0 && { accessToken: unpackAccessToken(unpacker) }),
    ...((flags & BY_CERTIFICATE) > 0 && { certificateThumbprint: unpacker.text() }),
  };
}

function unpackAccessToken(unpacker: Unpacker): NonNullable<DelegatedBy["accessToken"]> {
  const [id, consumerId, ...others] = unpacker.texts();
  if (id === undefined || consumerId === undefined || others.length > 0)
    throw new UnpackError("An access token has an id and a consumer");
  return { id, consumerId };
}

/**
 * The forms of a text. Most texts in a token are ids: 32 hexadecimal digits, or 22 characters of base64url (16 bytes). Both are stored
 * as the bytes they encode; other texts as UTF-8. A number takes seven bits per byte.
 */
const UTF8 = 0;
const HEX = 1;
const BASE64URL = 2;

type Packer = ReturnType<typeof createPacker>;
type Unpacker = ReturnType<typeof createUnpacker>;

/** Truncated bytes, or an invalid value. */
class UnpackError extends Error {
  override readonly name = "UnpackError";
}

/** Writes values that {@link createUnpacker} reads in the same order. */
function createPacker() {
  const parts: Buffer[] = [];

  function number(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${value} can't be packed, expected an integer from 0 to 2^53 - 1`);
    const bytes: number[] = [];
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      if (rest < 128) {
        parts.push(Buffer.from([...bytes, rest]));
        return;
      }
      bytes.push((rest % 128) + 128);
    }
  }

  function text(value: string): void {
    const { form, bytes } = shortest(value);
    number(bytes.length * 4 + form);
    parts.push(bytes);
  }

  return {
    number,
    text,
    /** The count, then each. */
    texts(values: readonly string[]): void {
      number(values.length);
      for (const value of values) text(value);
    },
    bytes: () => Buffer.concat(parts),
  };
}

function shortest(value: string): { form: number; bytes: Buffer } {
  if (/^(?:[0-9a-f]{2})+$/.test(value)) return { form: HEX, bytes: Buffer.from(value, "hex") };
  if (/^[A-Za-z0-9_-]{21}[AQgw]$/.test(value))
    return { form: BASE64URL, bytes: Buffer.from(value, "base64url") };
  return { form: UTF8, bytes: Buffer.from(value) };
}

/** Reads the bytes of a {@link createPacker}; each method throws {@link UnpackError} if they hold no such value. */
function createUnpacker(bytes: Buffer) {
  let position = 0;

  function number(): number {
    let value = 0;
    for (let unit = 1; unit <= 2 ** 49; unit *= 128) {
      const byte = bytes[position++];
      if (byte === undefined) break;
      value += (byte % 128) * unit;
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new UnpackError(`Invalid or truncated number at byte ${position}`);
  }

  function text(): string {
    const head = number();
    const start = position;
    position += Math.floor(head / 4);
    if (position > bytes.length) throw new UnpackError(`Truncated text at byte ${start}`);
    return unpackText(bytes, { form: head % 4, start, end: position });
  }

  return {
    number,
    text,
    texts(): string[] {
      const count = number();
      // Each text takes at least a byte: a wrong count can't allocate more than the bytes allow.
      if (count > bytes.length - position) throw new UnpackError(`Truncated list at byte ${position}`);
      return Array.from({ length: count }, text);
    },
    isAtEnd: () => position === bytes.length,
  };
}

interface PackedRange {
  readonly form: number;
  readonly start: number;
  readonly end: number;
}

function unpackText(bytes: Buffer, { form, start, end }: PackedRange): string {
  if (form === HEX) return bytes.toString("hex", start, end);
  if (form === BASE64URL) return bytes.toString("base64url", start, end);
  if (form === UTF8) return bytes.toString("utf8", start, end);
  throw new UnpackError(`Unknown form ${form} of a text`);
}
