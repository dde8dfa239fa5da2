/** Applies the operations of a PATCH to a resource. Members of groups are not in it: `groups/member-changes.ts`. */
import { matchesElement } from "../filter/filter-evaluation.js";
import type { Filter } from "../filter/filter-parser.js";
import { readElements, readMembers, readOne, readValue } from "../schema/read-values.js";
import type { ScimAttribute, ScimObject } from "../schema/scim-attribute.js";
import { ScimTargetError, ScimValueError } from "../scim-errors.js";
import type { ScimChange } from "./patch-operations.js";

type Part = Record<string, unknown>;
type Element = Record<string, unknown>;

/** A copy of a resource with changes applied in their order. */
export function applyChanges(resource: ScimObject, changes: readonly ScimChange[]): ScimObject {
  const changed = structuredClone(resource) as Part;
  for (const change of changes) {
    const { extension } = change;
    const part = extension === undefined ? changed : ((changed[extension.id] ?? {}) as Part);
    applyTo(part, change);
    if (extension === undefined) continue;
    if (Object.keys(part).length > 0) changed[extension.id] = part;
    else delete changed[extension.id];
  }
  return changed;
}

function applyTo(part: Part, change: ScimChange): void {
  const { attribute } = change;
  const next = attribute.isMultiValued
    ? changedList((part[attribute.name] ?? []) as readonly Element[], change)
    : changedValue(part[attribute.name], change);
  if (next === undefined || (Array.isArray(next) && next.length === 0)) delete part[attribute.name];
  else part[attribute.name] = next;
}

function changedValue(known: unknown, { kind, attribute, sub, value }: ScimChange): unknown {
  if (sub !== undefined)
    return withSub(known as Element | undefined, sub, kind === "remove" ? undefined : value);
  if (kind === "remove") return undefined;
  const read = readValue(value, attribute);
  // The sub-attributes that the value has are replaced.
  return attribute.type === "complex" && read !== undefined ? { ...(known as object), ...read } : read;
}

/** @param value None removes the sub-attribute. */
function withSub(known: Element | undefined, sub: ScimAttribute, value: unknown): Element | undefined {
  const { [sub.name]: _, ...rest } = known ?? {};
  const read = readOne(value, sub);
  const next = read === undefined ? rest : { ...rest, [sub.name]: read };
  return Object.keys(next).length === 0 ? undefined : next;
}

function changedList(known: readonly Element[], change: ScimChange): readonly Element[] {
  const { kind, attribute, sub, filter, value } = change;
  if (filter !== undefined) return changedMatches(known, { ...change, filter });
  if (sub !== undefined)
    return changedEach(known.length === 0 && kind !== "remove" ? [{}] : known, change, sub);
  if (kind === "remove") {
    if (value === undefined || value === null) return [];
    const removed = readElements(value, attribute) as Element[];
    return known.filter((each) => !removed.some(({ value: other }) => other === each["value"]));
  }
  const given = readElements(value, attribute) as Element[];
  if (kind === "replace") return given;
  const added = given.filter((each) => !known.some((other) => isSame(each, other)));
  return withOnePrimary([...known, ...added], added);
}

function changedEach(
  elements: readonly Element[],
  { kind, value }: Pick<ScimChange, "kind" | "value">,
  sub: ScimAttribute,
): Element[] {
  return elements.flatMap((each) => {
    const next = withSub(each, sub, kind === "remove" ? undefined : value);
    return next === undefined ? [] : [next];
  });
}

/** Changes the elements that the filter of the path chooses. */
function changedMatches(
  known: readonly Element[],
  change: ScimChange & { readonly filter: Filter },
): readonly Element[] {
  const { kind, attribute, sub, filter, value, path } = change;
  const chosen = known.filter((each) => matchesElement(filter, each, attribute));
  if (kind === "remove") {
    if (sub === undefined) return known.filter((each) => !chosen.includes(each));
    return known.flatMap((each) => (chosen.includes(each) ? changedEach([each], change, sub) : [each]));
  }
  // Entra ID adds and replaces emails[type eq "work"].value where there is none yet.
  const described = chosen.length > 0 ? undefined : describedBy(filter, attribute);
  if (chosen.length === 0 && described === undefined) throw new ScimTargetError(path);
  const changed = (each: Element): Element[] => {
    if (sub !== undefined) return changedEach([each], change, sub);
    const read = readOne(value, attribute) as Element | undefined;
    if (read === undefined) throw new ScimValueError(`${attribute.name} has to be an object.`);
    return [{ ...each, ...read }];
  };
  if (described !== undefined) return [...known, ...changed(described)];
  return known.flatMap((each) => (chosen.includes(each) ? changed(each) : [each]));
}

/** The element that a filter of equalities describes: `type eq "work" and primary eq true`. */
function describedBy(filter: Filter, attribute: ScimAttribute): Element | undefined {
  const terms = filter.kind === "and" ? filter.filters : [filter];
  const members: [string, unknown][] = [];
  for (const term of terms) {
    if (term.kind !== "compare" || term.operator !== "eq") return undefined;
    members.push([term.path, term.value]);
  }
  return readMembers(Object.fromEntries(members), attribute.subAttributes ?? []);
}

function isSame(one: Element, other: Element): boolean {
  return one["value"] === other["value"] && one["type"] === other["type"];
}

/** The primary value that is added is the only one (RFC 7643, section 2.4). */
function withOnePrimary(elements: readonly Element[], added: readonly Element[]): Element[] {
  const primary = added.findLast((each) => each["primary"] === true);
  return elements.map((each) =>
    primary === undefined || each === primary || each["primary"] !== true
      ? each
      : { ...each, primary: false },
  );
}
