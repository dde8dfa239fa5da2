/**
 * Creates self-signed X.509 certificates, by which SAML distributes keys: Node reads certificates, but creates none.
 *
 * @see RFC 5280, section 4.1, for the fields, and X.690 for how they are written (DER).
 */
import { createPublicKey, randomBytes, sign, type KeyObject } from "node:crypto";

import type { Moment } from "../platform/clock.js";

export interface CertificateOptions {
  readonly commonName: string;
  readonly from: Moment;
  readonly until: Moment;
}

/** Tags of DER. */
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const NULL = 0x05;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

/** 1.2.840.113549.1.1.11 */
const SHA256_WITH_RSA = Buffer.from("2a864886f70d01010b", "hex");
/** 2.5.4.3 */
const COMMON_NAME = Buffer.from("550403", "hex");
/** 2.5.29.19 */
const BASIC_CONSTRAINTS = Buffer.from("551d13", "hex");

/** The limit of X.509. */
const MAX_COMMON_NAME_LENGTH = 64;

/** A certificate of a private RSA key, in DER. */
export function selfSignedCertificate(
  key: KeyObject,
  { commonName, from, until }: CertificateOptions,
): Buffer {
  const algorithm = der(SEQUENCE, der(OBJECT_ID, SHA256_WITH_RSA), der(NULL));
  const name = nameOf(commonName.slice(0, MAX_COMMON_NAME_LENGTH));
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, newSerial()),
    algorithm,
    name,
    der(SEQUENCE, timeOf(from), timeOf(until)),
    name,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der(EXTENSIONS, der(SEQUENCE, noAuthority())),
  );
  return der(SEQUENCE, content, algorithm, bits(sign("sha256", content, key)));
}

/** A positive DER integer without leading zeros: bit 7 is the sign, bit 6 is set. */
function newSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

function nameOf(commonName: string): Buffer {
  const attribute = der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8, Buffer.from(commonName)));
  return der(SEQUENCE, der(SET, attribute));
}

/** Basic constraints: not a CA. */
function noAuthority(): Buffer {
  const critical = der(BOOLEAN, Buffer.from([0xff]));
  return der(SEQUENCE, der(OBJECT_ID, BASIC_CONSTRAINTS), critical, der(OCTET_STRING, der(SEQUENCE)));
}

/** Two-digit years before 2050, four-digit years after, as X.509 demands. */
function timeOf(moment: Moment): Buffer {
  const digits = `${new Date(moment).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`;
  const isShort = Number(digits.slice(0, 4)) < 2050;
  return isShort ? der(UTC_TIME, Buffer.from(digits.slice(2))) : der(GENERALIZED_TIME, Buffer.from(digits));
}

function bits(bytes: Buffer): Buffer {
  return der(BIT_STRING, Buffer.from([0]), bytes);
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes]);
}
