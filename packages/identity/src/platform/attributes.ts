/** Attributes and options of resources, such as `immutable`. Attributes that only clients know are returned unchanged. */
import { InvalidError, errorClass, ForbiddenError } from "./errors.js";

/** Attributes by name. */
export type Attributes = Readonly<Record<string, unknown>>;

/** The members of a body that the service does not know. */
export function extraOf(body: Attributes, known: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !known.includes(name)));
}

/** Attributes from a column. */
export function parseAttributes(text: string): Attributes {
  return JSON.parse(text) as Attributes;
}

/** The options after a change, in which `null` removes an option. */
export function changedOptions<Options extends object>(options: Options, change: object = {}): Options {
  const entries = Object.entries({ ...options, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as Options;
}

/** @throws {InvalidError} A change has another id than the resource. */
export function checkSameId(id: string, change: { readonly id?: unknown }): void {
  if (change.id !== undefined && change.id !== id) throw new InvalidError("Cannot change ID");
}

/** @throws {InvalidError} A change has another id or domain than the resource. */
export function checkSameDomain(
  { id, domainId }: { readonly id: string; readonly domainId: string },
  change: Attributes,
): void {
  checkSameId(id, change);
  if ("domain_id" in change && change["domain_id"] !== domainId)
    throw new InvalidError("Cannot change Domain ID");
}

/** The resource is immutable. */
export class ImmutableError extends errorClass(
  ForbiddenError,
  "resource/immutable",
  (verb: "update" | "delete", { kind, id }: Mutable) =>
    `Unable to ${verb} immutable ${kind} resource: \`${id}. Set resource option "immutable" to false first.`,
) {}

/** A resource that may be immutable. */
export interface Mutable {
  /** `domain`, `project` or `role`. */
  readonly kind: string;
  readonly id: string;
  readonly options: Attributes;
}

/**
 * Allows changes of mutable resources, and the change that only removes the option.
 *
 * @param change The members of the request.
 * @throws {ImmutableError}
 */
export function checkMutable(resource: Mutable, change: Attributes): void {
  if (!isImmutable(resource)) return;
  const { options } = change as { readonly options?: Attributes | null };
  const frees =
    options !== undefined &&
    options !== null &&
    "immutable" in options &&
    (options["immutable"] === false || options["immutable"] === null);
  if (!frees || Object.keys(change).length > 1) throw new ImmutableError("update", resource);
}

/** @throws {ImmutableError} */
export function checkDeletable(resource: Mutable): void {
  if (isImmutable(resource)) throw new ImmutableError("delete", resource);
}

export function isImmutable({ options }: Pick<Mutable, "options">): boolean {
  return options["immutable"] === true;
}
