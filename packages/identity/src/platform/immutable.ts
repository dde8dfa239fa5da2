/** Resources with the option `immutable`. */
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
