/** Runs the checks of protocols with settings, for all enabled identity providers: they send requests to the providers. */
import type { Config } from "../config.js";
import type { ProtocolReport } from "../identity-providers/protocols/protocol-report.js";
import { listWithSettings, type ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import { migrations } from "../migrations/migrations.js";
import type { Clock } from "../platform/clock.js";
import { createBoundedQueue } from "../platform/concurrency/bounded-queue.js";
import type { Database } from "../platform/database/database.js";
import { missingSteps, stepsTaken } from "../platform/database/migrate.js";
import { createLinks } from "../platform/http/links.js";
import { newId } from "../platform/ids.js";
import { masterKeyOf } from "../master-key-of.js";
import { createDeletions } from "../policy/deletions.js";
import { publicUrlOf } from "../public-url.js";
import { ok, warning, type Finding } from "./finding.js";

/** As many as the checks allow at a time. */
const CONCURRENCY = 4;
/** For all protocols together, each of which takes 5 s at most. */
const MAX_MS = 60_000;

export async function examineProtocols(database: Database, config: Config, clock: Clock): Promise<Finding[]> {
  if (missingSteps(await stepsTaken(database), migrations).length > 0) return [];
  const keys = await listWithSettings(database);
  if (keys.length === 0) return [];
  const endsAt = clock.now() + MAX_MS;
  const queue = createBoundedQueue({ concurrency: CONCURRENCY, maxWaiting: keys.length });
  return withChecks(database, { config, clock }, async (check) => {
    const findings = keys.map((key) =>
      queue.run(async () => (clock.now() < endsAt ? findingsOf(key, await check(key)) : [late(key)])),
    );
    return (await Promise.all(findings)).flat();
  });
}

type CheckStored = (key: ProtocolKey) => Promise<ProtocolReport | undefined>;

/** Loaded on demand: most doctors have no such protocol to examine. */
async function withChecks<Result>(
  database: Database,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
  work: (check: CheckStored) => Promise<Result>,
): Promise<Result> {
  const { createAreas } = await import("../areas.js");
  const { createReaderThreads } = await import("../federation/protocols/saml2/threads/reader-threads.js");
  const masterKey = await masterKeyOf(config, database);
  const samlReader = createReaderThreads();
  const links = createLinks(publicUrlOf(config.server));
  try {
    const { defaultPageSize } = config.server;
    const deletions = createDeletions();
    const platform = {
      config,
      database,
      links,
      clock,
      newId,
      defaultPageSize,
      masterKey,
      deletions,
      // It changes nothing.
      publish: async () => {},
    };
    const { identityProviders } = createAreas(platform, { samlReader });
    return await work(identityProviders.protocols.check);
  } finally {
    await samlReader.close();
  }
}

/** One line for all checks that passed. */
function findingsOf(key: ProtocolKey, report: ProtocolReport | undefined): Finding[] {
  const { checks = [] } = report ?? {};
  const found = checks.flatMap(({ check, status, message }): Finding[] =>
    status === "ok"
      ? []
      : [{ state: status, subject: "providers", text: `${nameOf(key)}: ${check}: ${message}` }],
  );
  const passed = checks.filter(({ status }) => status === "ok").map(({ check }) => check);
  return [...found, ok("providers", `${nameOf(key)}: passed: ${[...new Set(passed)].join(", ") || "none"}`)];
}

function late(key: ProtocolKey): Finding {
  return warning(
    "providers",
    `${nameOf(key)}: not checked, since the checks of others took ${MAX_MS / 1000} s: send POST .../refresh`,
  );
}

function nameOf({ idpId, id }: ProtocolKey): string {
  return `identity provider "${idpId}", protocol "${id}"`;
}
