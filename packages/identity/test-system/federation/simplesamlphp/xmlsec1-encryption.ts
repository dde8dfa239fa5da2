/** Encryption of assertions by xmlsec1, with an algorithm that SimpleSAMLphp does not offer. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runProgram } from "../../run-program.js";

const XMLENC = "http://www.w3.org/2001/04/xmlenc#";
const XMLDSIG = "http://www.w3.org/2000/09/xmldsig#";
const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";

const TEMPLATE = `<EncryptedData xmlns="${XMLENC}" Type="${XMLENC}Element">
<EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>
<KeyInfo xmlns="${XMLDSIG}"><EncryptedKey xmlns="${XMLENC}">
<EncryptionMethod Algorithm="${XMLENC}rsa-oaep-mgf1p"/>
<CipherData><CipherValue/></CipherData>
</EncryptedKey></KeyInfo>
<CipherData><CipherValue/></CipherData>
</EncryptedData>`;

/**
 * Encrypts the assertion in a Response with AES-256-GCM.
 *
 * @param response Its Response is not signed itself.
 * @param metadata Of the service, with its certificate.
 */
export async function encryptAssertion(response: string, metadata: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-xmlsec1-"));
  const [, certificate = ""] = /X509Certificate>([^<]+)</.exec(metadata) ?? [];
  const lines = certificate
    .replaceAll(/\s/g, "")
    .match(/.{1,64}/g)
    ?.join("\n");
  const files = {
    "service.pem": `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    // What is encrypted has to declare its own prefix.
    "response.xml": response.replace("<saml:Assertion ", `$&xmlns:saml="${ASSERTION}" `),
    "template.xml": TEMPLATE,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const options = `--encrypt --pubkey-cert-pem service.pem --session-key aes-256 --xml-data response.xml`;
  const node = ["--node-xpath", "//*[local-name()='Assertion']", "template.xml"];
  const { exit, output, errors } = await runProgram([
    "/usr/bin/env",
    "-C",
    folder,
    "/usr/bin/xmlsec1",
    ...options.split(" "),
    ...node,
  ]);
  await rm(folder, { recursive: true });
  if (exit !== 0) throw new Error(errors);
  return output.replace(
    /<EncryptedData .*<\/EncryptedData>/s,
    `<saml:EncryptedAssertion xmlns:saml="${ASSERTION}">$&</saml:EncryptedAssertion>`,
  );
}
