/**
 * The identity providers that protocols name, remembered for some minutes: by the settings, so that changed ones work at once.
 */
import { createHash, X509Certificate } from "node:crypto";

import type { OpenedSettings } from "../../identity-providers/protocol-settings.js";
import { BusyError } from "../../platform/bounded-queue.js";
import type { Clock, Moment } from "../../platform/clock.js";
import type { ProviderDescription } from "./provider-description.js";
import type { SamlReader } from "./saml-reader.js";

export type Saml2Settings = Extract<OpenedSettings, { readonly type: "saml2" }>;

/** The text at an address. @throws It can't be had. */
export type ReadUrl = (url: string) => Promise<string>;

export interface ProviderDescriptions {
  /** @throws The metadata can't be had, or can't be read. */
  get(settings: Saml2Settings, remoteIds: readonly string[]): Promise<ProviderDescription>;
}

const LIFE_MS = 300_000;
const MAX_PROVIDERS = 256;
/** Metadata that can't be had is asked for this often, however many want to log in. */
const FAILURE_LIFE_MS = 5000;

export interface ProviderDescriptionsDeps {
  readonly readUrl: ReadUrl;
  readonly reader: Pick<SamlReader, "readMetadata">;
  readonly clock: Clock;
}

export function createProviderDescriptions({
  readUrl,
  reader,
  clock,
}: ProviderDescriptionsDeps): ProviderDescriptions {
  const known = new Map<
    string,
    { readonly until: Moment; readonly provider: Promise<ProviderDescription> }
  >();

  async function read(settings: Saml2Settings, remoteIds: readonly string[]): Promise<ProviderDescription> {
    const { idp_metadata_xml: xml, idp_metadata_url: url = "", idp_certificates: pinned } = settings;
    const provider = await reader.readMetadata(xml ?? (await readUrl(url)), remoteIds);
    if (pinned === undefined) return provider;
    return { ...provider, certificates: pinned.map((pem) => new X509Certificate(pem)) };
  }

  return {
    get(settings, remoteIds) {
      const key = createHash("sha256")
        .update(JSON.stringify([settings, remoteIds]))
        .digest("base64");
      const entry = known.get(key);
      if (entry !== undefined && entry.until > clock.now()) return entry.provider;
      const provider = read(settings, remoteIds);
      const fresh = { until: clock.now() + LIFE_MS, provider };
      known.delete(key);
      known.set(key, fresh);
      const [oldest] = known.keys();
      if (known.size > MAX_PROVIDERS && oldest !== undefined) known.delete(oldest);
      // What was good before is not used any longer than that.
      provider.catch((error: unknown) => {
        // That there was much to do says nothing about the metadata.
        fresh.until = error instanceof BusyError ? -Infinity : clock.now() + FAILURE_LIFE_MS;
      });
      return provider;
    },
  };
}
