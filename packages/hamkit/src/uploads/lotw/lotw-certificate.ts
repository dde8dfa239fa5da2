/** What a callsign certificate of LoTW says: call, entity, and the dates of contacts that it may sign. */
import { ValueError } from "../../errors.js";
import {
  childrenOf,
  derElement,
  derElements,
  integerOf,
  objectIdentifier,
  octetsOf,
  type DerElement,
} from "./der.js";

/** A callsign certificate. */
export interface LotwCertificate {
  /** In DER. */
  readonly bytes: Uint8Array;
  readonly call: string;
  /** Code of the DXCC entity. */
  readonly entity: number;
  /** First and last day of contacts, `2024-06-30`. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** Until then the certificate can sign. */
  readonly expires: Date;
}

/** ARRL's identifiers, as in libtqsllib. */
const ARRL = "1.3.6.1.4.1.12348.1.";
const CALL = `${ARRL}1`;
const NOT_BEFORE = `${ARRL}2`;
const NOT_AFTER = `${ARRL}3`;
const ENTITY = `${ARRL}4`;

/** The certificate of a call; `undefined` for one of an authority. */
export function readLotwCertificate(bytes: Uint8Array): LotwCertificate | undefined {
  const [body] = childrenOf(derElement(bytes));
  const fields = childrenOf(body).filter(({ tag }) => tag !== 0xa0);
  // serial number, signature algorithm, issuer, validity, subject, key, extensions
  const [, , , validity, subject] = fields;
  const call = attributeOf(subject, CALL);
  const extensions = extensionsOf(fields.find(({ tag }) => tag === 0xa3));
  const [firstDay, lastDay, entity] = [NOT_BEFORE, NOT_AFTER, ENTITY].map((name) => extensions.get(name));
  if (call === undefined || firstDay === undefined || lastDay === undefined || entity === undefined)
    return undefined;
  return {
    bytes,
    call: call.toUpperCase(),
    entity: Number(entity),
    firstDay,
    lastDay,
    expires: timeOf(childrenOf(validity)[1]),
  };
}

/** The certificate of a call among those of a file. @throws {ValueError} It has none. */
export function findLotwCertificate(certificates: readonly Uint8Array[]): LotwCertificate {
  for (const each of certificates) {
    const found = readLotwCertificate(each);
    if (found !== undefined) return found;
  }
  throw new ValueError({
    argument: "p12",
    value: "a file",
    expected: "a file with a callsign certificate of LoTW",
  });
}

function attributeOf(name: DerElement | undefined, wanted: string): string | undefined {
  for (const set of childrenOf(name))
    for (const attribute of derElements(set.content)) {
      const [type, value] = childrenOf(attribute);
      if (objectIdentifier(type) === wanted) return textOf(octetsOf(value));
    }
  return undefined;
}

function extensionsOf(element: DerElement | undefined): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (element === undefined) return found;
  for (const extension of childrenOf(derElement(element.content))) {
    const [name, ...rest] = childrenOf(extension);
    const value = octetsOf(rest.at(-1));
    const oid = objectIdentifier(name);
    if (oid.startsWith(ARRL)) found.set(oid, valueText(value));
  }
  return found;
}

/** TQSL's extensions are plain text, or a text in DER. */
function valueText(value: Uint8Array): string {
  const [tag = 0, length = 0] = value;
  if (length !== value.length - 2) return textOf(value);
  return tag === 0x02 ? String(integerOf(derElement(value))) : textOf(value.subarray(2));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trim();
}

/** UTCTime and GeneralizedTime. */
function timeOf(element: DerElement | undefined): Date {
  const text = textOf(octetsOf(element));
  const full = element?.tag === 0x17 ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? [];
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
