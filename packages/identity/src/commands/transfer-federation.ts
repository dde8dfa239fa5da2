/** Exports, plans and applies federation documents. A module of its own, loaded on demand, so that other commands start faster. */
import type { FastifyBaseLogger } from "fastify";

import type { Config } from "../config.js";
import { createAreas } from "../areas.js";
import {
  affectedLogins,
  describeAffected,
  type AffectedLogins,
} from "../federation-document/affected-logins.js";
import { logChanges, recordChanges } from "../federation-document/change-audit.js";
import {
  changesView,
  countChanges,
  describeChanges,
  type DocumentChange,
} from "../federation-document/differences.js";
import {
  createFederationDocuments,
  type FederationDocuments,
} from "../federation-document/federation-document.js";
import { revisionOf } from "../federation-document/plan-revision.js";
import { secretsOfProcess } from "../federation-document/secret-references.js";
import { samlReader } from "../federation/protocols/saml2/saml-reader.js";
import { systemClock as clock } from "../platform/clock.js";
import { createLinks } from "../platform/http/links.js";
import { newId, newRequestId } from "../platform/ids.js";
import { holdMasterKey } from "../platform/secrets/held-master-key.js";
import { masterKeyOf } from "../master-key-of.js";
import { createDeletions } from "../policy/deletions.js";
import { publicUrlOf } from "../public-url.js";
import { servicesIn } from "../services-in-transaction.js";
import type { Platform } from "../area.js";
import type { Areas } from "../areas.js";
import { createEventStore, createPublish } from "../events/event-log.js";
import { openMigrated } from "./open-migrated.js";

export interface GivenFile {
  readonly text: string;
  readonly file: string;
  /** `undefined` to keep the stored secrets. */
  readonly secrets:
    | { readonly env: Readonly<Record<string, string | undefined>>; readonly folder: string }
    | undefined;
}

export interface OutputOptions {
  readonly json?: true;
}

export interface ApplyOutput extends OutputOptions {
  readonly log: Pick<FastifyBaseLogger, "info">;
  /** That of a plan: other changes are refused. */
  readonly revision?: string | undefined;
}

interface OpenFederation {
  readonly documents: FederationDocuments;
  readonly platform: Platform;
  readonly areas: Areas;
}

/** Opens the service's database and its services, without serving. */
export async function withFederation<Result>(
  config: Config,
  work: (opened: OpenFederation) => Promise<Result>,
): Promise<Result> {
  const database = await openMigrated(config.database.url, { eventStore: createEventStore(config, clock) });
  try {
    const platform: Platform = {
      config,
      database,
      clock,
      newId,
      links: createLinks(publicUrlOf(config.server)),
      defaultPageSize: config.server.defaultPageSize,
      masterKey: holdMasterKey(await masterKeyOf(config, database)),
      deletions: createDeletions(),
      publish: createPublish(database, config.events),
    };
    const areas = createAreas(platform, { samlReader });
    const { types } = areas.identityProviders.protocols.settings;
    const secretNames = new Set(types.flatMap(({ secrets }) => secrets));
    const openIn = servicesIn(platform, { samlReader });
    return await work({
      documents: createFederationDocuments({ database, openIn, secretNames }),
      platform,
      areas,
    });
  } finally {
    await database.close();
  }
}

/** What a file would change, as text for the terminal. */
export function planFederation(
  config: Config,
  given: GivenFile,
  { json }: OutputOptions,
): Promise<{ readonly text: string; readonly hasChanges: boolean }> {
  return withFederation(config, async ({ documents, areas }) => {
    const { document, changes } = await documents.plan(withSecrets(given));
    const logins = await affectedLogins(document, changes, {
      replay: areas.workbench.replay,
      protocols: areas.identityProviders.protocols,
    });
    const revision = revisionOf(changes);
    const end = changes.length === 0 ? ", none made" : `, none made: revision ${revision}`;
    const text = json === true ? asJson(changes, logins, revision) : asLines(changes, logins, end);
    return { text, hasChanges: changes.length > 0 };
  });
}

/** Applies a file. @returns The changes as text. */
export function applyFederation(
  config: Config,
  given: GivenFile,
  { json, log, revision }: ApplyOutput,
): Promise<string> {
  return withFederation(config, async ({ documents, platform }) => {
    const request = newRequestId();
    const keepsTrail = config.console.auditTrailDays > 0;
    const changes = await documents.apply(withSecrets(given), {
      revision,
      record: (transaction, made) =>
        keepsTrail ? recordChanges(transaction, made, { ...platform, request }) : Promise.resolve(),
    });
    logChanges(changes, { log, request });
    return json === true ? asJson(changes, [], undefined) : asLines(changes, [], "");
  });
}

function withSecrets({ secrets, ...document }: GivenFile) {
  return { ...document, secrets: secrets && secretsOfProcess(secrets.env, secrets.folder) };
}

function asLines(changes: readonly DocumentChange[], logins: readonly AffectedLogins[], end: string): string {
  const lines = [...describeChanges(changes), ...describeAffected(logins), `${countChanges(changes)}${end}`];
  return `${lines.join("\n")}\n`;
}

function asJson(
  changes: readonly DocumentChange[],
  logins: readonly AffectedLogins[],
  revision: string | undefined,
): string {
  return `${JSON.stringify({ changes: changesView(changes), logins, revision }, null, 2)}\n`;
}
