/** Makes the service what a document states, by the services of the API, in the caller's transaction. */
import type { Queries } from "../platform/database/database.js";
import { ServiceError } from "../platform/errors.js";
import { differencesBetween, type DocumentChange, type FieldDifference } from "./differences.js";
import type { FederationDocument, Prunable } from "./document.js";
import {
  DocumentRefusedError,
  DocumentSecretError,
  FederationDocumentError,
  type DocumentPath,
} from "./document-errors.js";
import type { DocumentServices } from "./document-services.js";
import type { ReadDocument } from "./document-source.js";
import {
  entryFields,
  type Kind,
  type KindContext,
  type Located,
  type Stored,
  type TargetIds,
} from "./kind.js";
import { KINDS } from "./kinds.js";
import { releaseRemoteIds } from "./kinds/federation.js";
import { applyLimits } from "./kinds/limits.js";
import { createNameLookup } from "./name-lookup.js";
import { SecretUnreadable, type SecretSource } from "./secret-references.js";

/** A change that was made, and what the audit records of it. */
export interface MadeChange extends DocumentChange {
  readonly action: string;
  readonly target: TargetIds;
}

export interface ReconcileDeps extends ReadDocument {
  readonly services: DocumentServices;
  readonly queries: Queries;
  /** `undefined` to keep the stored secrets. */
  readonly secrets: SecretSource | undefined;
}

type AnyKind = Kind<Record<string, unknown>>;

/**
 * Deletes first, what others rest on last, then creates and changes in the order of the kinds.
 *
 * @throws {FederationDocumentError} {@link DocumentSecretError} {@link DocumentRefusedError} They end the transaction.
 */
export async function reconcile(deps: ReconcileDeps): Promise<readonly MadeChange[]> {
  const { document } = deps;
  const context = contextOf(deps);
  const kinds = KINDS as readonly unknown[] as readonly AnyKind[];
  const sections = kinds.flatMap((kind) => {
    const entries = kind.entriesOf(document);
    return entries === undefined ? [] : [{ kind, entries }];
  });
  for (const { kind, entries } of sections) checkEntries(context, kind, entries);
  const deleted: MadeChange[] = [];
  for (const section of sections.toReversed()) deleted.push(...(await deleteAbsent(context, section, deps)));
  context.names.forget();
  const made: MadeChange[] = [];
  for (const section of sections) {
    made.push(...(await putEntries(context, section, deps)));
    context.names.forget();
  }
  return [...made, ...deleted];
}

interface Section {
  readonly kind: AnyKind;
  readonly entries: readonly Located<Record<string, unknown>>[];
}

function contextOf({ services, queries, source, secrets }: ReconcileDeps): KindContext {
  return {
    services,
    queries,
    names: createNameLookup({ services, queries, source }),
    limitChanges: { deleted: new Set(), isChanged: false },
    secretAt(path, reference) {
      if (secrets === undefined) return undefined;
      try {
        return secrets.read(reference);
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        throw new DocumentSecretError({ path, place: source.placeOf(path), reason: error.message });
      }
    },
    fail(path, reason) {
      throw new FederationDocumentError({ path, place: source.placeOf(path), reason });
    },
  };
}

/** @throws {FederationDocumentError} Two entries have the same name, or an entry contradicts itself. */
function checkEntries(context: KindContext, kind: AnyKind, entries: Section["entries"]): void {
  const seen = new Set<string>();
  for (const each of entries) {
    kind.check?.(context, each);
    const name = kind.nameOf(each.entry);
    if (seen.has(name)) context.fail(each.path, `duplicate ${kind.kind} ${name}, expected it once`);
    seen.add(name);
  }
}

async function deleteAbsent(
  context: KindContext,
  { kind, entries }: Section,
  { document, source }: ReconcileDeps,
): Promise<MadeChange[]> {
  if (!isPruned(kind, document)) return [];
  const named = new Set(entries.map(({ entry }) => kind.nameOf(entry)));
  const made: MadeChange[] = [];
  const absent = (await kind.stored(context, entries))
    .map((stored) => ({ stored, name: kind.nameOf(stored.entry) }))
    .filter(({ stored, name }) => !named.has(name) && kind.isCovered?.(stored.entry, document) === true)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const { stored, name } of absent) {
    await refusedAt({ path: ["prune"], source, what: `can't delete ${kind.kind} ${name}` }, () =>
      stored.delete(),
    );
    made.push({
      change: "delete",
      kind: kind.kind,
      name,
      fields: [],
      action: kind.actions.delete,
      target: stored.ids,
    });
  }
  return made;
}

/** Whether what the document does not name may be deleted. */
function isPruned({ kind, prunedAs }: AnyKind, { prune = false }: FederationDocument): boolean {
  // The list of a role is a part of the role.
  if (prunedAs === undefined) return kind === "implied_role";
  return typeof prune === "boolean" ? prune : (prune as readonly Prunable[]).includes(prunedAs);
}

async function putEntries(
  context: KindContext,
  { kind, entries }: Section,
  { document, source }: ReconcileDeps,
): Promise<MadeChange[]> {
  const stored = new Map(
    (await kind.stored(context, entries)).map((each) => [kind.nameOf(each.entry), each] as const),
  );
  const plans: Plan[] = [];
  for (const each of entries) {
    const known = stored.get(kind.nameOf(each.entry));
    if (known === undefined) plans.push({ ...each, known, fields: [] });
    else {
      const fields = await differencesOf(kind, known, each);
      if (fields.length > 0) plans.push({ ...each, known, fields });
    }
  }
  if (kind.kind === "identity_provider" && plans.length > 0)
    await releaseRemoteIds(context, document.identity_providers ?? []);
  const made: MadeChange[] = [];
  for (const { entry, path, known, fields } of inOrder(kind, plans)) {
    const { create, update } = kind.actions;
    const name = kind.nameOf(entry);
    const change =
      known === undefined
        ? () => kind.create(context, { entry, path })
        : async () => (await known.change({ entry, path }, changedFields(fields)), known.ids);
    const target = await refusedAt({ path, source }, change);
    made.push({
      change: known === undefined ? "create" : "update",
      kind: kind.kind,
      name,
      fields,
      action: known === undefined ? create : update,
      target,
    });
  }
  if (isLimit(kind) && made.length > 0) context.limitChanges.isChanged = true;
  if (kind.kind === lastLimitKind(document) && context.limitChanges.isChanged)
    await refusedAt({ path: [`${kind.kind}s`], source }, () => applyLimits(context, document));
  return made;
}

interface Plan extends Located<Record<string, unknown>> {
  readonly known: Stored<Record<string, unknown>> | undefined;
  readonly fields: readonly FieldDifference[];
}

/** Limits are stored together, after the last of their sections. */
const lastLimitKind = ({ limits }: FederationDocument): string =>
  limits === undefined ? "registered_limit" : "limit";

const isLimit = ({ kind }: AnyKind): boolean => kind === "registered_limit" || kind === "limit";

const projectKey = (domain: unknown, name: unknown): string => JSON.stringify([domain, name]);

/** Projects are created and enabled from the top of their tree, and disabled from its leaves. */
function inOrder(kind: AnyKind, plans: readonly Plan[]): readonly Plan[] {
  if (kind.kind !== "project") return plans;
  const depths = new Map<string, number>();
  const parents = new Map(
    plans.map(({ entry }) => [projectKey(entry["domain"], entry["name"]), entry["parent"]]),
  );
  const depthOf = (domain: unknown, name: unknown, above = 0): number => {
    const key = projectKey(domain, name);
    const known = depths.get(key);
    const parent = parents.get(key);
    if (known !== undefined) return known;
    // A ring of parents is refused when its first project is created.
    const depth = typeof parent === "string" && above < 100 ? depthOf(domain, parent, above + 1) + 1 : 0;
    depths.set(key, depth);
    return depth;
  };
  const orderOf = ({ entry, fields }: Plan) => {
    const depth = depthOf(entry["domain"], entry["name"]);
    const disables = fields.some(({ field, to }) => field === "enabled" && to === false);
    return disables ? 1000 - depth : depth;
  };
  return plans.toSorted((one, other) => orderOf(one) - orderOf(other));
}

async function differencesOf(
  kind: AnyKind,
  known: Stored<Record<string, unknown>>,
  to: Located<Record<string, unknown>>,
): Promise<readonly FieldDifference[]> {
  const shown = differencesBetween(entryFields(kind, known.entry), entryFields(kind, to.entry));
  return [...shown, ...((await known.hiddenDifferences?.(to)) ?? [])];
}

/** The names of the members: `remote_ids` of `remote_ids[1]`. */
function changedFields(fields: readonly FieldDifference[]): ReadonlySet<string> {
  return new Set(fields.map(({ field }) => /^[^.[]*/.exec(field)?.[0] ?? field));
}

interface Place {
  readonly path: DocumentPath;
  readonly source: ReadDocument["source"];
  readonly what?: string;
}

/** Has errors of the service's rules name the entry that they refuse. */
async function refusedAt<Result>(
  { path, source, what }: Place,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.kind === "unavailable" || isOwn(cause)) throw cause;
    const at = {
      path,
      place: source.placeOf(path),
      reason: [what, cause.message].filter(Boolean).join(": "),
    };
    throw Object.assign(new DocumentRefusedError(at), { cause });
  }
}

function isOwn(error: ServiceError): boolean {
  return (
    error instanceof FederationDocumentError ||
    error instanceof DocumentSecretError ||
    error instanceof DocumentRefusedError
  );
}
