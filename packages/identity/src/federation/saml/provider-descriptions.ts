/**
 * The identity providers that protocols name, remembered for some minutes: by the settings, so that changed ones work at once.
 */
import { createHash, X509Certificate } from "node:crypto";

import type { OpenedSettings } from "../../identity-providers/protocol-settings.js";
import { BusyError } from "../../platform/bounded-queue.js";
import type { Clock, Moment } from "../../platform/clock.js";
import type { VerifierLog } from "../assertion-verifier.js";
import type { ProviderDescription } from "./provider-description.js";
import type { SamlReader } from "./saml-reader.js";

export type Saml2Settings = Extract<OpenedSettings, { readonly type: "saml2" }>;

/** The text at an address. @throws It can't be had. */
export type ReadUrl = (url: string) => Promise<string>;

export interface ProviderDescriptions {
  /** @throws The metadata can't be had, or can't be read. */
  get(wanted: WantedDescription): Promise<ProviderDescription>;
}

export interface WantedDescription {
  readonly settings: Saml2Settings;
  readonly remoteIds: readonly string[];
  readonly log: Pick<VerifierLog, "warn">;
}

const LIFE_MS = 300_000;
const MAX_PROVIDERS = 256;
/** Metadata that can't be had is asked for this often, however many want to log in. */
const FAILURE_LIFE_MS = 5000;
/** For how long what was read before does where it can't be had again: nobody is shut out because a file is not there overnight. */
const STALE_MS = 86_400_000;

export interface ProviderDescriptionsDeps {
  readonly readUrl: ReadUrl;
  readonly reader: Pick<SamlReader, "readMetadata">;
  readonly clock: Clock;
}

interface Reading {
  readonly provider: ProviderDescription;
  readonly at: Moment;
}

export function createProviderDescriptions(deps: ProviderDescriptionsDeps): ProviderDescriptions {
  const { clock } = deps;
  const known = new Map<string, { until: Moment; readonly reading: Promise<Reading> }>();

  /** What was read before does for a while where it can't be had again. */
  async function renew(before: Promise<Reading> | undefined, wanted: WantedDescription): Promise<Reading> {
    try {
      return { provider: await readDescription(deps, wanted), at: clock.now() };
    } catch (error) {
      const last = await before?.catch(() => undefined);
      if (last === undefined || clock.now() >= last.at + STALE_MS) throw error;
      wanted.log.warn({ err: error, entityId: last.provider.entityId }, "metadata not renewed");
      return last;
    }
  }

  function ask(key: string, wanted: WantedDescription): Promise<Reading> {
    const now = clock.now();
    const reading = renew(known.get(key)?.reading, wanted);
    const entry = { until: now + LIFE_MS, reading };
    known.delete(key);
    known.set(key, entry);
    const [oldest] = known.keys();
    if (known.size > MAX_PROVIDERS && oldest !== undefined) known.delete(oldest);
    const askAgainAfter = (wait: number) => void (entry.until = clock.now() + wait);
    reading.then(
      ({ at }) => at < now && askAgainAfter(FAILURE_LIFE_MS),
      // That there was much to do says nothing about the metadata.
      (error: unknown) => askAgainAfter(error instanceof BusyError ? 0 : FAILURE_LIFE_MS),
    );
    return reading;
  }

  return {
    async get(wanted) {
      const key = createHash("sha256")
        .update(JSON.stringify([wanted.settings, wanted.remoteIds]))
        .digest("base64");
      const entry = known.get(key);
      const isGood = entry !== undefined && entry.until > clock.now();
      return (await (isGood ? entry.reading : ask(key, wanted))).provider;
    },
  };
}

async function readDescription(
  { reader, readUrl }: ProviderDescriptionsDeps,
  { settings, remoteIds }: WantedDescription,
): Promise<ProviderDescription> {
  const { idp_metadata_xml: xml, idp_metadata_url: url = "", idp_certificates: pinned } = settings;
  const provider = await reader.readMetadata(xml ?? (await readUrl(url)), remoteIds);
  if (pinned === undefined) return provider;
  return { ...provider, certificates: pinned.map((pem) => new X509Certificate(pem)) };
}
