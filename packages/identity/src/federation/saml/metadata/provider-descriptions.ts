/**
 * The identity providers that protocols name, remembered for some minutes: by the settings, so that changed ones work at once.
 */
import { createHash, X509Certificate } from "node:crypto";

import type { OpenedSettings } from "../../../identity-providers/protocol-settings.js";
import { BusyError } from "../../../platform/concurrency/bounded-queue.js";
import type { Clock, Moment } from "../../../platform/clock.js";
import type { VerifierLog } from "../../assertion-verifier.js";
import { strongOnes, type ProviderDescription } from "./provider-metadata.js";
import type { SamlReader } from "../saml-reader.js";

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
/** Metadata that can't be had or read is tried again after this, however many want to log in; after each further failure twice as late. */
const FIRST_RETRY_MS = 5000;
const MAX_RETRY_MS = 60_000;
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

interface Schedule {
  /** When the metadata is read anew. */
  until: Moment;
  /** How often in a row it could not be had or read. */
  failures: number;
}

interface Entry {
  readonly schedule: Schedule;
  readonly reading: Promise<Reading>;
}

export function createProviderDescriptions(deps: ProviderDescriptionsDeps): ProviderDescriptions {
  const { clock } = deps;
  const known = new Map<string, Entry>();
  const keyOf = createSettingsKeys();

  /** What was read before does for a while where it can't be had again. */
  async function renew(
    schedule: Schedule,
    before: Promise<Reading> | undefined,
    wanted: WantedDescription,
  ): Promise<Reading> {
    try {
      const provider = await readDescription(deps, wanted, { isRetry: schedule.failures > 0 });
      schedule.failures = 0;
      return { provider, at: clock.now() };
    } catch (error) {
      backOff(schedule, error);
      const last = await before?.catch(() => undefined);
      if (last === undefined || clock.now() >= last.at + STALE_MS) throw error;
      wanted.log.warn({ err: error, entityId: last.provider.entityId }, "metadata not renewed");
      return last;
    }
  }

  function backOff(schedule: Schedule, error: unknown): void {
    // That there was much to do says nothing about the metadata.
    const isFailure = !(error instanceof BusyError);
    const wait = isFailure ? Math.min(FIRST_RETRY_MS * 2 ** schedule.failures, MAX_RETRY_MS) : 0;
    schedule.until = clock.now() + wait;
    if (isFailure) schedule.failures += 1;
  }

  function ask(key: string, wanted: WantedDescription): Promise<Reading> {
    const before = known.get(key);
    const schedule = { until: clock.now() + LIFE_MS, failures: before?.schedule.failures ?? 0 };
    const entry = { schedule, reading: renew(schedule, before?.reading, wanted) };
    known.delete(key);
    known.set(key, entry);
    const [oldest] = known.keys();
    if (known.size > MAX_PROVIDERS && oldest !== undefined) known.delete(oldest);
    return entry.reading;
  }

  return {
    async get(wanted) {
      const key = keyOf(wanted);
      const entry = known.get(key);
      const isGood = entry !== undefined && entry.schedule.until > clock.now();
      return (await (isGood ? entry.reading : ask(key, wanted))).provider;
    },
  };
}

/** Settings hold up to a megabyte of metadata, and are the same object from login to login: they are digested once. */
function createSettingsKeys(): (wanted: WantedDescription) => string {
  const digests = new WeakMap<Saml2Settings, string>();
  return ({ settings, remoteIds }) => {
    const digest = digests.get(settings) ?? sha256(settings);
    digests.set(settings, digest);
    return JSON.stringify([digest, remoteIds]);
  };
}

function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}

async function readDescription(
  { reader, readUrl }: ProviderDescriptionsDeps,
  { settings, remoteIds }: WantedDescription,
  { isRetry }: { readonly isRetry: boolean },
): Promise<ProviderDescription> {
  const { idp_metadata_xml: xml, idp_metadata_url: url = "", idp_certificates: pinned } = settings;
  const provider = await reader.readMetadata({ xml: xml ?? (await readUrl(url)), remoteIds, isRetry });
  if (pinned === undefined) return provider;
  return { ...provider, ...strongOnes(pinned.map((pem) => new X509Certificate(pem))) };
}
