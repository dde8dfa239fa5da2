/** Resources that are kept from changes by their own option `immutable`. */
import type { Attributes } from "./attributes.js";
import { errorClass, ForbiddenError } from "./errors.js";

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
 * Lets a change through where the resource may be changed, or becomes changeable by this change, which then says nothing else.
 *
 * @param change The change's members as they were sent.
 * @throws {ImmutableError}
 */
export function checkMutable(thing: Mutable, change: Attributes): void {
  if (!isImmutable(thing)) return;
  const { options } = change as { readonly options?: Attributes | null };
  const frees =
    options !== undefined &&
    options !== null &&
    "immutable" in options &&
    (options["immutable"] === false || options["immutable"] === null);
  if (!frees || Object.keys(change).length > 1) throw new ImmutableError("update", thing);
}

/** @throws {ImmutableError} */
export function checkDeletable(thing: Mutable): void {
  if (isImmutable(thing)) throw new ImmutableError("delete", thing);
}

/** Whether it is kept from changes. */
export function isImmutable({ options }: Pick<Mutable, "options">): boolean {
  return options["immutable"] === true;
}
