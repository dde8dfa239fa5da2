/** What a request changes of the members of a group, without the members it has. */
import type { Filter } from "../filter/filter-parser.js";
import { memberOf, type ScimChange } from "../patch/patch-operations.js";
import type { ScimObject } from "../schema/scim-attribute.js";
import { ScimFilterError, ScimTargetError, ScimValueError, TooManyMembersError } from "../scim-errors.js";

export interface MemberChange {
  /** `replace`: the members are these alone. */
  readonly kind: "add" | "remove" | "replace";
  readonly userIds: readonly string[];
}

/** Of all operations of a request. */
export const MAX_MEMBERS = 10_000;

/** The members of a whole group; `undefined` if the body does not have them. */
export function readMembersOfGroup(body: ScimObject): readonly string[] | undefined {
  const members = memberOf(body, "members");
  return members === undefined ? undefined : limited(idsIn(members));
}

/** @param changes Of the attribute `members`. */
export function readMemberChanges(changes: readonly ScimChange[]): MemberChange[] {
  const read = changes.map(readMemberChange);
  limited(read.flatMap(({ userIds }) => userIds));
  return read;
}

function readMemberChange({ kind, filter, sub, value, path }: ScimChange): MemberChange {
  if (sub !== undefined && sub.name !== "value") throw new ScimTargetError(path);
  if (filter !== undefined) {
    if (kind !== "remove") throw new ScimTargetError(path);
    return { kind, userIds: idsOfFilter(filter) };
  }
  // Entra ID sends the members to remove as the value.
  if (kind === "remove" && (value === undefined || value === null)) return { kind: "replace", userIds: [] };
  return { kind, userIds: idsIn(value) };
}

/** `[value eq "x"]`, or several of them joined by `or`. */
function idsOfFilter(filter: Filter): string[] {
  if (filter.kind === "or") return filter.filters.flatMap(idsOfFilter);
  if (
    filter.kind !== "compare" ||
    filter.operator !== "eq" ||
    filter.path.toLowerCase() !== "value" ||
    typeof filter.value !== "string"
  )
    throw new ScimFilterError('Members are chosen by their ids: members[value eq "…"].');
  return [filter.value];
}

function idsIn(members: unknown): string[] {
  if (members === null || members === undefined) return [];
  const list = Array.isArray(members) ? members : [members];
  return [...new Set(list.map(idOf))];
}

function idOf(member: unknown): string {
  if (typeof member === "string") return member;
  if (typeof member !== "object" || member === null)
    throw new ScimValueError("A member has the id of a user as its value.");
  const value = memberOf(member as ScimObject, "value");
  if (typeof value !== "string" || value === "")
    throw new ScimValueError("A member has the id of a user as its value.");
  const type = memberOf(member as ScimObject, "type");
  if (typeof type === "string" && type.toLowerCase() === "group")
    throw new ScimValueError(`Member ${value.slice(0, 100)} is a group: groups have users alone as members.`);
  return value;
}

/** @throws {TooManyMembersError} */
function limited(ids: readonly string[]): readonly string[] {
  if (ids.length > MAX_MEMBERS) throw new TooManyMembersError(MAX_MEMBERS);
  return ids;
}
