/** SAML messages in browsers: by HTTP-Redirect and HTTP-POST. @see SAML bindings, 3.4 and 3.5 */
import { createHash, sign } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

import { escapeHtml } from "../../platform/text/html.js";
import { ALGORITHMS } from "../../saml/saml-names.js";
import type { SamlKey } from "../../saml/saml-keys.js";
import { inAscii, signXml } from "../../saml/xml-writing.js";
import type { BrowserStep } from "../assertion-verifier.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { MAX_MESSAGE_LENGTH } from "./xml-reading.js";

export type MessageName = "SAMLRequest" | "SAMLResponse";

/** A message to send, not signed yet. */
export interface OutgoingMessage {
  readonly name: MessageName;
  readonly xml: string;
  readonly id: string;
  readonly relayState?: string | undefined;
  readonly key: Pick<SamlKey, "privateKey" | "certificate">;
}

/** The document with a signature after its Issuer. */
export async function signMessage({ xml, id, key }: Omit<OutgoingMessage, "name">): Promise<string> {
  const reference = `/*/*[local-name()="Issuer"]`;
  return inAscii(await signXml(xml, { id, reference, action: "after" }, key));
}

/** The URL of the HTTP-Redirect binding. The signature covers the query. */
export function messageUrl({ name, xml, relayState, key }: OutgoingMessage, destination: string): string {
  const query = new URLSearchParams({
    [name]: deflateRawSync(inAscii(xml)).toString("base64"),
    ...(relayState !== undefined && { RelayState: relayState }),
    SigAlg: ALGORITHMS.rsaSha256,
  }).toString();
  const url = new URL(destination);
  const signature = sign("sha256", Buffer.from(query), key.privateKey).toString("base64");
  // The signature does not cover the query of the provider's own URL.
  url.search = [url.search.slice(1), query, `Signature=${encodeURIComponent(signature)}`]
    .filter((part) => part !== "")
    .join("&");
  return url.href;
}

const SCRIPT = `document.forms[0].submit();`;

export interface MessageFormOptions {
  readonly destination: string;
  readonly title: string;
  /** The origin whose pages may frame the form; none, if left out. */
  readonly frameAncestor?: string;
}

/** The page of the HTTP-POST binding. */
export async function messageForm(
  message: OutgoingMessage,
  { destination, title, frameAncestor = "'none'" }: MessageFormOptions,
): Promise<Omit<BrowserStep, "status">> {
  const hash = createHash("sha256").update(SCRIPT).digest("base64");
  const fields = {
    [message.name]: Buffer.from(await signMessage(message)).toString("base64"),
    ...(message.relayState !== undefined && { RelayState: message.relayState }),
  };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      // No form-action: providers answer the form with redirects to hosts of their choice.
      "content-security-policy": `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors ${frameAncestor}`,
    },
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<form action="${escapeHtml(destination)}" method="post">
<h1>${title}</h1>
${inputs.join("\n")}
<input type="submit" value="Continue to your identity provider">
</form>
<script>${SCRIPT}</script>
</body>
</html>
`,
  };
}

/**
 * The XML of a received message.
 *
 * @param options.isDeflated By HTTP-Redirect.
 * @throws {AssertionRefusedError}
 */
export function decodeMessage(
  name: MessageName,
  encoded: string,
  { isDeflated = false }: { readonly isDeflated?: boolean } = {},
): string {
  const plain = encoded.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) throw malformed(`${name} is not in base64`);
  const bytes = Buffer.from(plain, "base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(isDeflated ? inflated(bytes) : bytes);
  } catch (cause) {
    throw malformed(isDeflated ? `${name} is not in deflated UTF-8` : `${name} is not in UTF-8`, { cause });
  }
}

/** @throws {RangeError} More bytes than a message may have characters. */
function inflated(bytes: Buffer): Buffer {
  return inflateRawSync(bytes, { maxOutputLength: MAX_MESSAGE_LENGTH });
}

function malformed(reason: string, options?: ErrorOptions): AssertionRefusedError {
  return new AssertionRefusedError({ step: "message", reason }, options);
}
