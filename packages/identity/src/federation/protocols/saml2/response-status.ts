/**
 * The status of a SAML response, in the provider's own words. @see SAML core, 3.2.2
 *
 * A response that reports a failure has no assertion, and is often not signed: its words are for the log, and decide nothing but that
 * there is no login.
 */
import { quoted, quotedWords, shortened } from "../../../platform/text/quoted-value.js";
import { NAMESPACES, SUCCESS } from "../../../saml/saml-names.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { masked } from "../../provider-words.js";
import { attributeOf, childrenOf, elementsIn, type ElementName } from "./xml-reading.js";

const protocolName = (name: string): ElementName => ({ namespace: NAMESPACES.protocol, name });

/** Status codes that a message names, from the outermost: SAML defines two levels. */
const MAX_CODES = 4;
/** Characters of the codes that a test login compares. */
const MAX_RECEIVED = 500;

/** @throws {AssertionRefusedError} The status is not Success. */
export function checkStatus(response: Element, signature?: string): void {
  const reason = statusFault(response);
  if (reason === undefined) return;
  const received = shortened(statusCodes(response).join(", "), MAX_RECEIVED);
  throw new AssertionRefusedError(
    { step: "status", reason: signature === undefined ? reason : `${reason}; ${signature}` },
    { details: { check: "message", ...(received !== "" && { received }), expected: SUCCESS } },
  );
}

/** The codes, StatusMessage and StatusDetail of a failure, quoted; `undefined` if the status is Success. */
export function statusFault(response: Element): string | undefined {
  const codes = statusCodes(response);
  if (codes[0] === SUCCESS) return undefined;
  const named = codes.length === 0 ? quoted(undefined) : codes.map(quoted).join(", ");
  const words = childText(response, "StatusMessage");
  const message = words === undefined ? "" : `, StatusMessage ${quotedWords(masked(words))}`;
  const detail = statusPart(response, "StatusDetail");
  return `provider answered with status ${named}${message}${detail === undefined ? "" : `, StatusDetail ${detailOf(detail)}`}, expected ${quoted(SUCCESS)}`;
}

/** The outer one, and those within it: the innermost, such as NoAuthnContext, is the most specific. */
function statusCodes(response: Element): readonly string[] {
  const codes: string[] = [];
  let code = statusPart(response, "StatusCode");
  while (code !== undefined && codes.length < MAX_CODES) {
    codes.push(attributeOf(code, "Value") ?? "");
    [code] = childrenOf(code, protocolName("StatusCode"));
  }
  return codes;
}

function statusPart(response: Element, name: string): Element | undefined {
  const [status] = childrenOf(response, protocolName("Status"));
  return status && childrenOf(status, protocolName(name))[0];
}

function childText(response: Element, name: string): string | undefined {
  const text = statusPart(response, name)?.textContent?.trim() ?? "";
  return text === "" ? undefined : text;
}

/** Providers put stack traces there: the names of its elements, and its text, shortened. */
function detailOf(detail: Element): string {
  const names = elementsIn(detail)
    .slice(0, MAX_CODES)
    .map(({ localName }) => localName);
  const text = (detail.textContent ?? "").trim();
  return quotedWords(masked([...names, text].filter((part) => part !== "").join(" ")), 150);
}

/** A SOAP fault, in the words of its sender; `undefined` if the element is none. */
export function soapFault(element: Element): string | undefined {
  if (element.localName !== "Fault" || !SOAP.has(element.namespaceURI ?? "")) return undefined;
  const child = (...names: string[]) =>
    elementsIn(element)
      .find(({ localName }) => names.includes(localName))
      ?.textContent?.trim();
  return `the provider or client sent a SOAP fault: code ${quoted(child("faultcode", "Code"))}, ${quotedWords(masked(child("faultstring", "Reason") ?? ""))}, expected samlp:Response`;
}

/** SOAP 1.1 and 1.2. */
const SOAP: ReadonlySet<string> = new Set([NAMESPACES.soap, "http://www.w3.org/2003/05/soap-envelope"]);
