/** Checks the keys in a protocol's settings when they are stored, rather than at the first login. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";

import { keyWeakness } from "../../platform/secrets/key-strength.js";
import { ProtocolSettingsError } from "../identity-provider-errors.js";

/** The settings that are keys, in PEM. */
export interface SettingsKeys {
  readonly client_private_key?: string | null;
  readonly ca_certificates?: readonly string[];
  readonly idp_certificates?: readonly string[];
  readonly idp_metadata_certificates?: readonly string[];
  readonly sp_certificate?: string;
  readonly sp_private_key?: string | null;
}

/** @throws {ProtocolSettingsError} A key is too weak, or a certificate can't be read. */
export function checkKeys(settings: SettingsKeys): void {
  const { sp_certificate: certificate } = settings;
  for (const name of ["idp_certificates", "idp_metadata_certificates", "ca_certificates"] as const)
    for (const [index, pem] of (settings[name] ?? []).entries())
      requireStrongCertificate(`${name}[${index}]`, pem);
  if (certificate !== undefined) requireStrongCertificate("sp_certificate", certificate);
  for (const name of ["sp_private_key", "client_private_key"] as const)
    requireStrong(name, privateKey(settings[name]));
}

function requireStrong(name: string, key: KeyObject | undefined): void {
  const weakness = key && keyWeakness(key);
  if (weakness !== undefined) throw new ProtocolSettingsError(`settings: "${name}" has an ${weakness}`);
}

function requireStrongCertificate(name: string, pem: string): void {
  requireStrong(name, certificateKey(name, pem));
}

function certificateKey(name: string, pem: string): KeyObject {
  try {
    return new X509Certificate(pem).publicKey;
  } catch (cause) {
    throw new ProtocolSettingsError(`settings: "${name}" is no X.509 certificate in PEM`, { cause });
  }
}

/** @returns `undefined` if it is not a key, which logins report. */
function privateKey(pem: string | null | undefined): KeyObject | undefined {
  try {
    return pem === null || pem === undefined ? undefined : createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
