/**
 * The payloads of Keystone's Fernet tokens: an array in MessagePack, whose first item is the version of the others.
 *
 * Ids of 32 hexadecimal digits are written as 16 bytes, others as text; most are in a pair with a boolean that says which.
 */
import type { Moment } from "../../platform/clock.js";
import type { DelegatedBy } from "../../policy/delegation.js";
import type { TokenFederation, TokenPayload, TokenScope } from "../token-payload.js";
import { decodeMessagePack, MessagePackError, type PackedValue } from "./message-pack.js";

export interface KeystonePayloadContext {
  /** `[auth] methods`: the payload names a method by its place in this list. */
  readonly authMethods: readonly string[];
  /** The time of encryption, which is not part of the payload. */
  readonly issuedAt: Moment;
}

/** The values of a payload, by what they are. */
interface KeystoneFields {
  readonly userId: string;
  /** The sum of 2^place of the methods. */
  readonly methodSum: number;
  readonly projectId?: string;
  readonly domainId?: string;
  readonly isSystem?: true;
  readonly expiresAt: Moment;
  readonly auditId: string;
  readonly auditChainId?: string;
  readonly groupIds?: readonly string[];
  readonly identityProviderId?: string;
  readonly protocolId?: string;
  readonly trustId?: string;
  readonly accessTokenId?: string;
  readonly applicationCredentialId?: string;
  readonly certificateThumbprint?: string;
}

/** The values of each version, in their order behind the version. */
const LAYOUTS: Readonly<Record<number, readonly (keyof typeof READERS)[]>> = {
  0: ["user", "methods", "expiry", "audit"],
  1: ["user", "methods", "bareDomain", "expiry", "audit"],
  2: ["user", "methods", "project", "expiry", "audit"],
  3: ["user", "methods", "project", "expiry", "audit", "trust"],
  4: ["user", "methods", "groups", "provider", "protocol", "expiry", "audit"],
  5: ["user", "methods", "project", "groups", "provider", "protocol", "expiry", "audit"],
  6: ["user", "methods", "domain", "groups", "provider", "protocol", "expiry", "audit"],
  7: ["user", "methods", "project", "accessToken", "expiry", "audit"],
  8: ["user", "methods", "system", "expiry", "audit"],
  9: ["user", "methods", "project", "expiry", "audit", "applicationCredential"],
  10: ["user", "methods", "project", "domain", "expiry", "audit", "certificate"],
};

const READERS = {
  user: (value: PackedValue) => ({ userId: pairedId(value) }),
  methods: (value: PackedValue) => ({ methodSum: numberIn(value) }),
  // Version 10 has both, of which at most one is set.
  project: (value: PackedValue) => optional("projectId", pairedText(value)),
  domain: (value: PackedValue) => optional("domainId", pairedText(value)),
  bareDomain: (value: PackedValue) => ({ domainId: bareId(value) }),
  system: (value: PackedValue) => {
    if (value !== true && textIn(value) !== "all") throw new MessagePackError("the system is not `all`");
    return { isSystem: true as const };
  },
  groups: (value: PackedValue) => ({ groupIds: arrayIn(value).map(pairedId) }),
  provider: (value: PackedValue) => ({ identityProviderId: pairedId(value) }),
  protocol: (value: PackedValue) => ({ protocolId: textIn(value) }),
  expiry: (value: PackedValue) => ({ expiresAt: Math.floor(numberIn(value)) * 1000 }),
  audit: (value: PackedValue) => {
    const [auditId, auditChainId] = arrayIn(value).map((id) => bytesIn(id).toString("base64url"));
    if (auditId === undefined) throw new MessagePackError("no audit id");
    return { auditId, ...optional("auditChainId", auditChainId) };
  },
  trust: (value: PackedValue) => ({ trustId: bareId(value) }),
  accessToken: (value: PackedValue) => ({ accessTokenId: pairedId(value) }),
  applicationCredential: (value: PackedValue) => ({ applicationCredentialId: pairedId(value) }),
  certificate: (value: PackedValue) => ({ certificateThumbprint: pairedId(value) }),
} as const;

/** @returns `undefined` if the bytes are malformed, of an unknown version, or name a method that is not in the list. */
export function decodeKeystonePayload(
  bytes: Buffer,
  context: KeystonePayloadContext,
): TokenPayload | undefined {
  try {
    return toPayload(readFields(decodeMessagePack(bytes)), context);
  } catch (error) {
    if (error instanceof MessagePackError) return undefined;
    throw error;
  }
}

function readFields(packed: PackedValue): KeystoneFields {
  const [version, ...values] = arrayIn(packed);
  const layout = typeof version === "number" ? LAYOUTS[version] : undefined;
  if (layout?.length !== values.length) throw new MessagePackError("unknown version of a payload");
  const fields = layout.map((name, place) => READERS[name](values[place] ?? null));
  return Object.assign({}, ...fields) as KeystoneFields;
}

function toPayload(
  fields: KeystoneFields,
  { authMethods, issuedAt }: KeystonePayloadContext,
): TokenPayload | undefined {
  const { userId, methodSum, expiresAt, auditId, auditChainId } = fields;
  const methods = methodsIn(methodSum, authMethods);
  if (methods === undefined) return undefined;
  const federation = federationIn(fields);
  const delegation = delegationIn(fields);
  return {
    userId,
    methods,
    scope: scopeIn(fields),
    auditId,
    ...optional("auditChainId", auditChainId),
    issuedAt,
    expiresAt,
    ...optional("federation", federation),
    ...optional("delegation", delegation),
  };
}

/** Methods of Debian's packages that no list has, by their place. */
const PLACES_OF_OTHERS: Readonly<Record<number, string>> = { 32: "ec2credential", 33: "oauth2_credential" };
const MAX_PLACE = 33;

/** The methods of a sum, the last of the list first, as Keystone shows them; `undefined` if one is not in the list. */
function methodsIn(sum: number, authMethods: readonly string[]): string[] | undefined {
  const methods: string[] = [];
  let rest = sum;
  for (let place = MAX_PLACE; place >= 0; place--) {
    if (rest < 2 ** place) continue;
    const method = PLACES_OF_OTHERS[place] ?? authMethods[place];
    if (method === undefined) return undefined;
    methods.push(method);
    rest -= 2 ** place;
  }
  return rest === 0 ? methods : undefined;
}

function scopeIn({ projectId, domainId, isSystem }: KeystoneFields): TokenScope {
  if (isSystem === true) return { kind: "system" };
  if (projectId !== undefined) return { kind: "project", projectId };
  return domainId === undefined ? { kind: "unscoped" } : { kind: "domain", domainId };
}

function federationIn({
  identityProviderId,
  protocolId,
  groupIds,
}: KeystoneFields): TokenFederation | undefined {
  if (identityProviderId === undefined || protocolId === undefined || groupIds === undefined)
    return undefined;
  return { identityProviderId, protocolId, groupIds };
}

function delegationIn(fields: KeystoneFields): DelegatedBy | undefined {
  const { trustId, applicationCredentialId, accessTokenId, certificateThumbprint } = fields;
  if (trustId !== undefined) return { trustId };
  if (applicationCredentialId !== undefined) return { applicationCredentialId };
  if (certificateThumbprint !== undefined) return { certificateThumbprint };
  // The payload does not name the consumer: the access token's row does.
  return accessTokenId === undefined ? undefined : { accessToken: { id: accessTokenId, consumerId: "" } };
}

const UUID_BYTES = 16;

/** `[true, 16 bytes]` or `[false, text]`. */
function pairedId(value: PackedValue): string {
  const id = pairedText(value);
  if (id === undefined) throw new MessagePackError("an id is missing");
  return id;
}

/** An id, or `undefined` for `[false, nil]`. */
function pairedText(value: PackedValue): string | undefined {
  const [isUuid, id, ...others] = arrayIn(value);
  if (id === undefined || others.length > 0) throw new MessagePackError("an id is not a pair");
  if (isUuid === true) return uuidIn(bytesIn(id));
  return id === null ? undefined : textIn(id);
}

/** An id without a pair: 16 bytes, or the text of another id, such as `default`. */
function bareId(value: PackedValue): string {
  const bytes = bytesIn(value);
  return bytes.length === UUID_BYTES ? uuidIn(bytes) : textIn(bytes);
}

function uuidIn(bytes: Buffer): string {
  if (bytes.length !== UUID_BYTES) throw new MessagePackError(`an id of ${bytes.length} bytes`);
  return bytes.toString("hex");
}

function arrayIn(value: PackedValue): readonly PackedValue[] {
  if (!Array.isArray(value)) throw new MessagePackError("a value is not an array");
  return value as readonly PackedValue[];
}

function bytesIn(value: PackedValue): Buffer {
  if (!Buffer.isBuffer(value)) throw new MessagePackError("a value is not bytes");
  return value;
}

function textIn(value: PackedValue): string {
  return bytesIn(value).toString("utf8");
}

function numberIn(value: PackedValue): number {
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new MessagePackError("a value is not a number");
  return value;
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]: Value });
}
