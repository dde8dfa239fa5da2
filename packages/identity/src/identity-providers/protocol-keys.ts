/** The keys among a protocol's settings: too weak ones are refused when they are sent, and not at the first login. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";

import { keyWeakness } from "../platform/key-strength.js";
import { ProtocolSettingsError } from "./identity-provider-errors.js";
import type { ProtocolSettingsDraft } from "./protocol-settings.js";

/** @throws {ProtocolSettingsError} A key is too weak, or a certificate can't be read. */
export function checkKeys(draft: ProtocolSettingsDraft): void {
  if (draft.type === "openid") requireStrong("client_private_key", privateKey(draft.client_private_key));
  if (draft.type !== "saml2") return;
  const { idp_certificates: pinned = [], sp_certificate: certificate, sp_private_key: key } = draft;
  for (const [index, pem] of pinned.entries()) {
    const name = `idp_certificates[${index}]`;
    requireStrong(name, certificateKey(name, pem));
  }
  if (certificate !== undefined)
    requireStrong("sp_certificate", certificateKey("sp_certificate", certificate));
  requireStrong("sp_private_key", privateKey(key));
}

function requireStrong(name: string, key: KeyObject | undefined): void {
  const weakness = key && keyWeakness(key);
  if (weakness !== undefined) throw new ProtocolSettingsError(`settings: "${name}" has an ${weakness}`);
}

function certificateKey(name: string, pem: string): KeyObject {
  try {
    return new X509Certificate(pem).publicKey;
  } catch (cause) {
    throw new ProtocolSettingsError(`settings: "${name}" is no X.509 certificate in PEM`, { cause });
  }
}

/** @returns `undefined` for what is no key, which is told where it is used. */
function privateKey(pem: string | null | undefined): KeyObject | undefined {
  try {
    return pem === null || pem === undefined ? undefined : createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
