/** What the settings of several protocols share: schemas, and checks of keys when they are stored, rather than at the first login. */
import { Type } from "typebox";

import { nullable } from "../../platform/http/validation/schema-parts.js";
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { keyWeakness, xmlKeyFault } from "../../platform/secrets/key-strength.js";
import { ProtocolSettingsError } from "../../identity-providers/identity-provider-errors.js";

export const WebAddress = Type.String({ pattern: "^https?://[^\\s]+$", maxLength: 2048 });
export const Word = Type.String({ minLength: 1, maxLength: 255 });
export const Pem = Type.String({ pattern: "^\\s*-----BEGIN ", maxLength: 65_536 });
/** Classes of authentication, such as URIs. */
export const Classes = Type.Array(Type.String({ pattern: "^[!-~]+$", maxLength: 255 }), {
  minItems: 1,
  maxItems: 16,
  uniqueItems: true,
});
export const Secret = Type.Optional(
  nullable(Type.String({ minLength: 1, maxLength: 65_536, writeOnly: true })),
);

/** The prefix of attribute names, such as `OIDC-`, that mappings expect. */
export const attributePrefix = { attribute_prefix: Type.Optional(Type.String({ maxLength: 64 })) };
/** Whether a logout at the provider ends tokens, and the other way round. */
export const logout = { logout: Type.Optional(Type.Boolean()) };

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
    for (const [index, pem] of (settings[name] ?? []).entries()) {
      const key = certificateKey(`${name}[${index}]`, pem);
      requireStrong(`${name}[${index}]`, key, name === "ca_certificates" ? undefined : xmlKeyFault);
    }
  if (certificate !== undefined)
    requireStrong("sp_certificate", certificateKey("sp_certificate", certificate), ownKeyFault);
  requireStrong("sp_private_key", privateKey(settings.sp_private_key), ownKeyFault);
  requireStrong("client_private_key", privateKey(settings.client_private_key));
}

function requireStrong(
  name: string,
  key: KeyObject | undefined,
  otherFault: (key: KeyObject) => string | undefined = () => undefined,
): void {
  const fault = key && (keyWeakness(key) ?? otherFault(key));
  if (fault !== undefined) throw new ProtocolSettingsError(`settings: "${name}" has an ${fault}`);
}

/** The service signs by RSA, and providers encrypt to the same key. */
function ownKeyFault({ asymmetricKeyType: type }: KeyObject): string | undefined {
  return type === "rsa" ? undefined : `unusable key of type ${type}, expected rsa`;
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
