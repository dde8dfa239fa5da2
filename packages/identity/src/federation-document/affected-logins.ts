/** Which recorded logins a document would change: by the mappings that it changes, and by protocols that get another mapping. */
import type { ProtocolService } from "../identity-providers/protocols/protocol-service.js";
import { ForbiddenError, NotFoundError } from "../platform/errors.js";
import type { Replay, ReplayRequest } from "../workbench/dry-run/replay.js";
import type { FederationDocument, MappingEntry } from "./document.js";
import type { MadeChange } from "./reconcile.js";

/** What the recorded logins of a mapping, or of a protocol, would become. */
export interface AffectedLogins {
  /** `mapping corp`, or `protocol corp/openid`. */
  readonly subject: string;
  readonly logins: number;
  readonly same: number;
  /** In sentences, such as `3 gain admin in project web`. */
  readonly changes: readonly string[];
}

export interface AffectedLoginsDeps {
  readonly replay: (request: ReplayRequest) => Promise<Replay>;
  readonly protocols: Pick<ProtocolService, "get">;
}

/** Against what is stored: groups and projects that the document creates do not exist yet. Nothing, where no logins are recorded. */
export async function affectedLogins(
  { mappings = [] }: Pick<FederationDocument, "mappings">,
  changes: readonly MadeChange[],
  deps: AffectedLoginsDeps,
): Promise<readonly AffectedLogins[]> {
  const wanted = new Map(mappings.map((mapping) => [mapping.id, mapping]));
  const found: AffectedLogins[] = [];
  for (const change of changes) {
    const request = await requestFor(change, wanted, deps);
    const replay = request && (await replayed(request, deps));
    if (replay === undefined || replay.logins === 0) continue;
    const { logins, same } = replay;
    const subject = `${change.kind} ${change.name}`;
    found.push({ subject, logins, same, changes: replay.changes.map(({ text }) => text) });
  }
  return found;
}

async function requestFor(
  { change, kind, name, fields, target }: MadeChange,
  wanted: ReadonlyMap<string, MappingEntry>,
  { protocols }: AffectedLoginsDeps,
): Promise<ReplayRequest | undefined> {
  if (change !== "update") return undefined;
  const mapping = kind === "mapping" ? wanted.get(name) : undefined;
  if (mapping !== undefined) return { mappingId: name, ...rulesOf(mapping) };
  const switched = kind === "protocol" ? fields.find(({ field }) => field === "mapping") : undefined;
  const next = wanted.get(String(switched?.to));
  if (switched === undefined || next === undefined) return undefined;
  const { idp_id: idpId = "", protocol_id: protocolId = "" } = target;
  const { mappingId } = await protocols.get({ idpId, id: protocolId });
  return { mappingId, idpId, protocolId, ...rulesOf(next) };
}

const rulesOf = ({ rules, schema_version }: MappingEntry) => ({ rules, schemaVersion: schema_version });

/** @returns `undefined` where logins are not recorded, or the mapping does not exist. */
async function replayed(request: ReplayRequest, { replay }: AffectedLoginsDeps): Promise<Replay | undefined> {
  try {
    return await replay(request);
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return undefined;
    throw error;
  }
}

export function describeAffected(affected: readonly AffectedLogins[]): string[] {
  return affected.flatMap(({ subject, logins, same, changes }) => [
    `! ${subject}: of ${logins} recorded ${logins === 1 ? "login" : "logins"}, ${logins - same} would change`,
    ...changes.map((text) => `    ${text}`),
  ]);
}
