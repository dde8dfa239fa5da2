/** Attributes and options of resources. Attributes that only clients know are returned unchanged. */
import { InvalidError } from "./errors.js";

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
