/** Exports and imports limits. A module of its own, loaded on demand, so that other commands start faster. */
import { readFileSync } from "node:fs";

import { createRegionService } from "../catalog/regions/region-service.js";
import { createServiceService } from "../catalog/service-service.js";
import type { Config } from "../config.js";
import {
  parseLimitDocument,
  writeLimitDocument,
  type DocumentFormat,
} from "../limits/transfer/limit-document.js";
import { createLimitServices } from "../limits/index.js";
import type { LimitTransfer } from "../limits/transfer/limit-transfer.js";
import type { Database } from "../platform/database/database.js";
import { newId } from "../platform/ids.js";
import { findProjectsById } from "../projects/project-store.js";
import { openMigrated } from "./open-migrated.js";

export function exportLimits(config: Config, format: DocumentFormat): Promise<string> {
  return withTransfer(config, async (transfer) => writeLimitDocument(await transfer.export(), format));
}

/** Replaces all limits by those of a file. @returns The changes, one line each. */
export function importLimits(
  config: Config,
  { file, isDryRun }: { readonly file: string; readonly isDryRun: boolean },
): Promise<string[]> {
  const document = parseLimitDocument(readFileSync(file, "utf8"));
  return withTransfer(config, (transfer) => transfer.import(document, { isDryRun }));
}

async function withTransfer<Result>(
  config: Config,
  work: (transfer: LimitTransfer) => Promise<Result>,
): Promise<Result> {
  const database = await openMigrated(config.database.url);
  try {
    return await work(transferOf(database, config));
  } finally {
    await database.close();
  }
}

function transferOf(database: Database, { limit }: Config): LimitTransfer {
  const services = createServiceService({ database, newId });
  const regions = createRegionService({ database, newId });
  return createLimitServices({
    database,
    newId,
    catalog: { getService: services.get, getRegion: regions.get },
    projects: { listProjectsById: (ids) => findProjectsById(database, ids) },
    enforcementModel: limit.enforcementModel,
  }).limitTransfer;
}
