/** A kind of entries of a document: how stored ones are read, compared, created, changed and deleted, by the services of the API. */
import type { Queries } from "../platform/database/database.js";
import type { FieldDifference } from "./differences.js";
import type { FederationDocument, Prunable } from "./document.js";
import type { DocumentPath } from "./document-errors.js";
import type { DocumentServices } from "./document-services.js";
import type { NameLookup } from "./name-lookup.js";
import type { SecretReference } from "./secret-references.js";

/** What kinds work with. */
export interface KindContext {
  readonly services: DocumentServices;
  readonly queries: Queries;
  readonly names: NameLookup;
  /** Limits are stored together, at the end of their sections. */
  readonly limitChanges: LimitChanges;
  /** The secret of a reference; `undefined` where stored secrets are kept. @throws {DocumentSecretError} */
  readonly secretAt: (path: DocumentPath, reference: SecretReference) => string | undefined;
  /** @throws {FederationDocumentError} */
  readonly fail: (path: DocumentPath, reason: string) => never;
}

export interface LimitChanges {
  /** Ids of registered limits and limits that are left out then. */
  readonly deleted: Set<string>;
  isChanged: boolean;
}

/** An entry and its place in the document. */
export interface Located<Entry> {
  readonly entry: Entry;
  readonly path: DocumentPath;
}

/** Ids of a changed resource by the names of path parameters, for the audit. */
export type TargetIds = Readonly<Record<string, string>>;

/** A stored resource, in the form of the document. */
export interface Stored<Entry> {
  readonly entry: Entry;
  readonly ids: TargetIds;
  /** Differences that the entries do not show: of secrets. */
  hiddenDifferences?(to: Located<Entry>): Promise<readonly FieldDifference[]>;
  /** @param changed The names of the fields that differ. */
  change(to: Located<Entry>, changed: ReadonlySet<string>): Promise<unknown>;
  delete(): Promise<unknown>;
}

/** A change that is made for all entries of a kind at once. */
export interface KindOptions {
  /** The action that the audit records, by change. */
  readonly actions: { readonly create: string; readonly update: string; readonly delete: string };
}

export interface Kind<Entry extends object = object> extends KindOptions {
  /** In the singular: `identity_provider`. */
  readonly kind: string;
  /** `undefined` for what is never deleted by its absence. */
  readonly prunedAs: Prunable | undefined;
  /** The members that identify an entry. */
  readonly keys: readonly (keyof Entry & string)[];
  /** The values of members that are left out. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** `undefined` where the document lacks the section. */
  entriesOf(document: FederationDocument): readonly Located<Entry>[] | undefined;
  /** Unique in the kind. */
  nameOf(entry: Entry): string;
  /** The entry as it is stored: without what makes no difference. */
  normalized?(entry: Entry): Entry;
  /** Checks beyond the schema. */
  check?(context: Pick<KindContext, "fail">, located: Located<Entry>): void;
  /** The stored resources. @param wanted Only those that these name, and all that may be deleted; all, if left out. */
  stored(context: KindContext, wanted?: readonly Located<Entry>[]): Promise<readonly Stored<Entry>[]>;
  /** Whether a stored one may be deleted for its absence, where the document asks for it. */
  isCovered?(entry: Entry, document: FederationDocument): boolean;
  create(context: KindContext, located: Located<Entry>): Promise<TargetIds>;
}

/** The entries of a section, each with its place. */
export function located<Entry>(
  section: string,
  entries: readonly Entry[] | undefined,
): readonly Located<Entry>[] | undefined {
  return entries?.map((entry, index) => ({ entry, path: [section, index] }));
}

/** The members of an entry besides its keys, with defaults. */
export function entryFields<Entry extends object>(
  { keys, defaults, normalized }: Pick<Kind<Entry>, "keys" | "defaults" | "normalized">,
  entry: Entry,
): Readonly<Record<string, unknown>> {
  const whole: Record<string, unknown> = { ...defaults, ...(normalized?.(entry) ?? entry) };
  for (const key of keys) delete whole[key];
  return whole;
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("/", String.raw`\/`);

/** `Default/ops`; a slash in a name is escaped, so that no two are the same. */
export function nameIn(domain: string | undefined, name: string): string {
  return domain === undefined ? escaped(name) : `${escaped(domain)}/${escaped(name)}`;
}

/** Only the members that changed, by the names of requests. */
export function changedMembers<Members extends object>(
  members: Members,
  changed: ReadonlySet<string>,
): Partial<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => changed.has(name)),
  ) as Partial<Members>;
}

/** The option `immutable` of a change; `null` removes it. */
export const immutableOption = (isImmutable: boolean | undefined): { readonly immutable: true | null } => ({
  immutable: isImmutable === true ? true : null,
});

/**
 * Changes a resource that may be immutable: the option is removed first, by a request of its own as in the API, where the document removes
 * it along with other changes.
 */
export async function changeMutable<Change extends { options?: { immutable?: boolean | null } }>(
  update: (change: Change) => Promise<unknown>,
  { change, wasImmutable }: { readonly change: Change; readonly wasImmutable: boolean },
): Promise<void> {
  const { options, ...others } = change;
  const frees = wasImmutable && options !== undefined && options.immutable === null;
  if (!frees || Object.keys(others).length === 0) await update(change);
  else {
    await update({ options } as Change);
    await update(others as Change);
  }
}
