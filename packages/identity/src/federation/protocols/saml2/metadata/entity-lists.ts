/** The identity providers that the metadata of settings describes: read once, and again where it has changed. */
import { ProtocolSettingsError } from "../../../../identity-providers/identity-provider-errors.js";
import type { Clock, Moment } from "../../../../platform/clock.js";
import { BusyError } from "../../../../platform/concurrency/bounded-queue.js";
import { reasonOf } from "../../../provider-checks/check.js";
import type { SamlReader } from "../saml-reader.js";
import type { PublicSaml2Settings } from "../saml2-settings.js";
import type { ListedEntity } from "./entity-index.js";
import { trustOf } from "./metadata-cache.js";
import type { DocumentVersion, ReadUrl } from "./metadata-download.js";

export interface EntityListDeps {
  readonly readUrl: ReadUrl;
  readonly clock: Clock;
}

interface KnownList {
  readonly readAt: Moment;
  readonly version: DocumentVersion | undefined;
  readonly entities: readonly ListedEntity[];
}

/** That of a whole federation has some megabytes. */
const MAX_KEPT = 4;
/** Until it is asked for again: an administrator searches several times. */
const FRESH_MS = 600_000;

export function createEntityLists(reader: Pick<SamlReader, "readAggregate">) {
  const lists = new Map<string, Promise<KnownList>>();

  async function read(
    settings: PublicSaml2Settings,
    before: KnownList | undefined,
    { readUrl, clock }: EntityListDeps,
  ): Promise<KnownList> {
    const { idp_metadata_xml: inline, idp_metadata_url: url = "" } = settings;
    const { content, version } =
      inline === undefined ? await readUrl(url, before?.version) : { content: inline };
    const readAt = clock.now();
    if (content === undefined) return { readAt, version, entities: before?.entities ?? [] };
    const chunks = typeof content === "string" ? oneChunk(content) : content;
    const trust = trustOf(settings);
    const task = { entityIds: [], lists: true, trust, isRetry: false };
    return { readAt, version, entities: (await reader.readAggregate(task, chunks)).listed };
  }

  /** @throws {ProtocolSettingsError} It can't be read. {@link BusyError} */
  return async (settings: PublicSaml2Settings, deps: EntityListDeps): Promise<readonly ListedEntity[]> => {
    if (settings.idp_mdq_url !== undefined)
      throw new ProtocolSettingsError(
        'settings: the service at "idp_mdq_url" is asked for single entities, and has no list: add entity IDs to remote_ids',
      );
    const { idp_metadata_xml: xml, idp_metadata_url: url, idp_metadata_certificates: signers } = settings;
    const key = JSON.stringify([xml, url, signers]);
    const before = await lists.get(key)?.catch(() => undefined);
    if (before !== undefined && deps.clock.now() < before.readAt + FRESH_MS) return before.entities;
    const reading = read(settings, before, deps);
    lists.delete(key);
    lists.set(key, reading);
    const [oldest] = lists.keys();
    if (lists.size > MAX_KEPT && oldest !== undefined) lists.delete(oldest);
    try {
      return (await reading).entities;
    } catch (error) {
      if (lists.get(key) === reading) lists.delete(key);
      if (error instanceof BusyError) throw error;
      throw new ProtocolSettingsError(`settings: the metadata can't be read: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  };
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
