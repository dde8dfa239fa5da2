/** This service as a SAML service provider: its keys and its name, and the metadata of its counterpart. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";

import { BusyError } from "../../../platform/concurrency/bounded-queue.js";
import type { SamlKey, SamlKeys } from "../../../saml/saml-keys.js";
import type { EnabledProtocol, VerifierLog } from "../../assertion-verifier.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import { errorText, responseIn } from "../../provider-words.js";
import type { MetadataCache, Saml2Settings } from "./metadata/metadata-cache.js";
import type { ProviderMetadata } from "./metadata/provider-metadata.js";

/** Where this service is a SAML service provider. */
export interface SamlParty {
  readonly protocol: Pick<EnabledProtocol<Saml2Settings>, "settings">;
  readonly deps: {
    /** The service's entity ID, where a protocol names no other. */
    readonly entityId: string;
    readonly keys: Pick<SamlKeys, "current">;
  };
}

interface ServiceKeys {
  /** Signs requests. */
  readonly signing: Pick<SamlKey, "privateKey" | "certificate">;
  readonly decryption: readonly KeyObject[];
}

/** The protocol's own keys, or else the service's. */
export async function keysOf({ protocol: { settings }, deps }: SamlParty): Promise<ServiceKeys> {
  const { sp_private_key: pem, sp_certificate: certificate } = settings;
  if (pem === undefined || pem === null || certificate === undefined) {
    const { signing, keys } = await deps.keys.current();
    return { signing, decryption: keys.map(({ privateKey }) => privateKey) };
  }
  const privateKey = createPrivateKey(pem);
  return { signing: { privateKey, certificate: new X509Certificate(certificate) }, decryption: [privateKey] };
}

export function entityIdFor({ protocol, deps }: SamlParty): string {
  return protocol.settings.sp_entity_id ?? deps.entityId;
}

/** @throws {AssertionRefusedError} The metadata can't be downloaded, or can't be read. */
export async function readMetadata(
  cache: MetadataCache,
  protocol: EnabledProtocol<Saml2Settings>,
  log: Pick<VerifierLog, "warn">,
): Promise<ProviderMetadata> {
  try {
    return await cache.get(protocol, log);
  } catch (cause) {
    if (cause instanceof AssertionRefusedError || cause instanceof BusyError) throw cause;
    const { body } = responseIn(cause);
    const facts = {
      step: "metadata",
      reason: errorText(cause),
      ...(body !== undefined && { responseBody: body }),
    };
    throw new AssertionRefusedError(facts, { cause });
  }
}
