/**
 * Metadata of several entities as the database keeps it: what is used of each, some 3 KB, without the rest that federations publish about
 * it. Restoring thousands parses no XML.
 */
import { X509Certificate } from "node:crypto";
import { setImmediate as otherWork } from "node:timers/promises";

import type { ProviderKey } from "../../protocol-type.js";
import { keyOfCertificate } from "../provider-certificates.js";
import type { ProviderMetadata } from "./provider-metadata.js";

/** Raised with each change of {@link ProviderMetadata}: what another release has kept is not used. */
const VERSION = 1;

interface KeptProvider extends Omit<ProviderMetadata, "certificates" | "others"> {
  readonly certificates: readonly KeptCertificate[];
}

interface KeptCertificate {
  /** In base64. */
  readonly der: string;
  /** What is shown of it: parsing takes 0.2 ms for each. */
  readonly key: ProviderKey;
}

interface Kept {
  readonly version: number;
  readonly entities: readonly KeptProvider[];
}

export function keptProviders(entities: readonly ProviderMetadata[]): string {
  const kept: Kept = {
    version: VERSION,
    entities: entities.map((entity) =>
      Object.assign({}, entity, {
        others: undefined,
        certificates: entity.certificates.map((each) => ({
          der: each.raw.toString("base64"),
          key: keyOfCertificate(each),
        })),
      }),
    ),
  };
  return JSON.stringify(kept);
}

/** @returns `undefined` for a text of XML, which is one document; empty if another release has kept it. */
export function keptProvidersIn(text: string): readonly KeptProvider[] | undefined {
  if (!text.startsWith("{")) return undefined;
  const { version, entities } = JSON.parse(text) as Kept;
  return version === VERSION ? entities : [];
}

/** Entities that are restored before other work of the process has its turn. */
const AT_ONCE = 20;

export async function restoreProviders(kept: readonly KeptProvider[]): Promise<ProviderMetadata[]> {
  const restored: ProviderMetadata[] = [];
  for (const { certificates, ...entity } of kept) {
    const own = certificates.map(({ der }) => new X509Certificate(Buffer.from(der, "base64")));
    restored.push({ ...entity, certificates: own });
    if (restored.length % AT_ONCE === 0) await otherWork();
  }
  return restored;
}
