/** Reads DER (ITU-T X.690), as certificates and PKCS #12 have it. */
import { ValueError } from "../../errors.js";

/** An element with its content. */
export interface DerElement {
  readonly tag: number;
  /** The content. */
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly bytes: Uint8Array;
}

export const SEQUENCE = 0x30;
export const OCTET_STRING = 0x04;
export const OBJECT_IDENTIFIER = 0x06;

/** The elements of a content. @throws {ValueError} It is no DER. */
export function derElements(content: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = 0; offset < content.length;) {
    const element = elementAt(content, offset);
    elements.push(element);
    offset += element.bytes.length;
  }
  return elements;
}

/** The only element of some bytes. */
export function derElement(bytes: Uint8Array): DerElement {
  return elementAt(bytes, 0);
}

/** The elements in an element that has this tag. */
export function childrenOf(element: DerElement | undefined, tag = SEQUENCE): DerElement[] {
  if (element?.tag !== tag) throw malformedDer();
  return derElements(element.content);
}

function elementAt(bytes: Uint8Array, offset: number): DerElement {
  const tag = bytes[offset];
  let length = bytes[offset + 1];
  if (tag === undefined || length === undefined) throw malformedDer();
  let start = offset + 2;
  if (length >= 0x80) {
    const count = length & 0x7f;
    // Indefinite lengths are no DER.
    if (count === 0 || count > 4 || start + count > bytes.length) throw malformedDer();
    length = 0;
    for (let index = 0; index < count; index++) length = length * 256 + (bytes[start + index] as number);
    start += count;
  }
  if (start + length > bytes.length) throw malformedDer();
  return {
    tag,
    content: bytes.subarray(start, start + length),
    bytes: bytes.subarray(offset, start + length),
  };
}

/** `1.2.840.113549.1.1.1` */
export function objectIdentifier(element: DerElement | undefined): string {
  if (element?.tag !== OBJECT_IDENTIFIER) throw malformedDer();
  const numbers: number[] = [];
  let number = 0;
  for (const byte of element.content) {
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [first = 0, ...rest] = numbers;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...rest].join(".");
}

export function integerOf(element: DerElement | undefined): number {
  if (element?.tag !== 0x02 || element.content.length > 4) throw malformedDer();
  return element.content.reduce((number, byte) => number * 256 + byte, 0);
}

export function octetsOf(element: DerElement | undefined): Uint8Array {
  if (element === undefined) throw malformedDer();
  return element.content;
}

export function malformedDer(): ValueError {
  return new ValueError({ argument: "p12", value: "a file", expected: "a PKCS #12 file in DER" });
}
