/** Walks through many grants in the database. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from "kysely";

import { groupIdsOfUser } from "../groups/membership-store.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { idsWithinDomain } from "../projects/project-tree-queries.js";
import { POSITION, toGrant, type AssignmentRow } from "./grant-store.js";
import { positionOf, type Grant, type PlacedGrant, type RoleTarget } from "./grant.js";

interface Tables {
  readonly assignment: AssignmentRow;
}

/** Conditions on grants; those that are left out do not apply. */
export interface GrantQuery {
  /** Granted to the user or, with `throughGroupsAt`, to a group of the user at that moment. */
  readonly userId?: string | undefined;
  readonly throughGroupsAt?: Moment;
  readonly groupId?: string | undefined;
  readonly roleId?: string | undefined;
  readonly isInherited?: boolean | undefined;
  /** In any of these places. */
  readonly places?: readonly GrantPlaces[] | undefined;
  /** On a domain or a project of it. */
  readonly withinDomainId?: string | undefined;
}

/** Targets of grants. */
export interface GrantPlaces {
  readonly kinds: readonly RoleTarget["kind"][];
  readonly targetIds?: ReadonlySet<string>;
  readonly isInherited?: boolean;
}

/** Grants of one query. */
export const MAX_GRANTS = 1000;
/** Target ids in a query; for more of them grants are filtered here. */
const MAX_NAMED_PLACES = 1000;

/** The start of a walk: after a position, or at it. */
export interface GrantStart {
  readonly position: string;
  readonly isIncluded: boolean;
}

/**
 * The grants that match a query, in their order, at most {@link MAX_GRANTS} at a time. If there are more than that, all grants are read
 * in their order, so that no query takes much longer than others.
 */
export async function* walkGrants(
  queries: Queries,
  query: GrantQuery,
  start: GrantStart | undefined,
): AsyncGenerator<readonly PlacedGrant[]> {
  const few = isNarrow(query) ? await fewGrants(queries, query) : undefined;
  if (few !== undefined) yield few.filter(({ position }) => isBehind(position, start));
  else yield* allGrants(queries, query, start);
}

async function* allGrants(
  queries: Queries,
  query: GrantQuery,
  start: GrantStart | undefined,
): AsyncGenerator<readonly PlacedGrant[]> {
  for (let from = start, isFull = true; isFull;) {
    const rows = await grantsFrom(queries, query, from);
    yield rows.flatMap((row) => (row.is_wanted && isPlaced(row, query.places) ? [toPlacedGrant(row)] : []));
    const last = rows.at(-1);
    isFull = rows.length === MAX_GRANTS;
    if (last !== undefined) from = { position: last.position, isIncluded: false };
    // On SQLite other requests would wait until all have been read.
    await nextTurn();
  }
}

/** Whether an index leads to the grants, or nearly all grants match. */
function isNarrow({ isInherited, userId, groupId, roleId, withinDomainId, places }: GrantQuery): boolean {
  const isPlaceGiven = places?.every(({ targetIds }) => targetIds !== undefined);
  return (
    isInherited === undefined ||
    [userId, groupId, roleId, withinDomainId].some(Boolean) ||
    isPlaceGiven === true
  );
}

/** `undefined` for too many. Not ordered by the database, which would have to find all of them first. */
async function fewGrants(queries: Queries, query: GrantQuery): Promise<PlacedGrant[] | undefined> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .selectAll()
    .where((eb) => eb.and(conditions(eb, query)))
    .limit(MAX_GRANTS + 1)
    .execute();
  if (rows.length > MAX_GRANTS) return undefined;
  return rows
    .filter((row) => isPlaced(row, query.places))
    .map((row) => placed(toGrant(row)))
    .toSorted((one, other) => (one.position < other.position ? -1 : 1));
}

/** All grants from a position on, each with whether it matches. */
function grantsFrom(queries: Queries, query: GrantQuery, start: GrantStart | undefined) {
  let select = queries
    .tables<Tables>()
    .selectFrom("assignment")
    .selectAll()
    .select(POSITION.as("position"))
    .select((eb) => eb.and([sql<SqlBool>`1 = 1`, ...conditions(eb, query)]).as("is_wanted"))
    .orderBy(POSITION)
    .limit(MAX_GRANTS);
  if (start !== undefined) select = select.where(POSITION, start.isIncluded ? ">=" : ">", start.position);
  return select.execute();
}

function isBehind(position: string, start: GrantStart | undefined): boolean {
  return (
    start === undefined || position > start.position || (start.isIncluded && position === start.position)
  );
}

function toPlacedGrant(row: Selectable<AssignmentRow> & { readonly position: string }): PlacedGrant {
  return { ...toGrant(row), position: row.position };
}

function placed(grant: Grant): PlacedGrant {
  return { ...grant, position: positionOf(grant) };
}

/** Conditions that are not in the query: places of more than {@link MAX_NAMED_PLACES} targets. */
function isPlaced(
  { target_kind: kind, target_id: id, is_inherited: isInherited }: Selectable<AssignmentRow>,
  places: GrantQuery["places"],
): boolean {
  if (places === undefined) return true;
  return places.some(
    (place) =>
      place.kinds.includes(kind) &&
      (place.targetIds === undefined || (id !== null && place.targetIds.has(id))) &&
      (place.isInherited === undefined || place.isInherited === isInherited),
  );
}

type Builder = ExpressionBuilder<Tables, "assignment">;

function conditions(eb: Builder, query: GrantQuery): Expression<SqlBool>[] {
  const { userId, groupId, roleId, isInherited, places, withinDomainId } = query;
  return [
    userId === undefined ? undefined : isHeldBy(eb, userId, query.throughGroupsAt),
    groupId === undefined ? undefined : eb("group_id", "=", groupId),
    roleId === undefined ? undefined : eb("role_id", "=", roleId),
    isInherited === undefined ? undefined : eb("is_inherited", "=", isInherited),
    places === undefined ? undefined : isInAny(eb, places),
    withinDomainId === undefined ? undefined : eb("target_id", "in", idsWithinDomain(withinDomainId)),
  ].filter((condition) => condition !== undefined);
}

function isHeldBy(eb: Builder, userId: string, moment: Moment | undefined): Expression<SqlBool> {
  const own = eb("user_id", "=", userId);
  if (moment === undefined) return own;
  const groupIds = groupIdsOfUser(userId, moment);
  // PostgreSQL finds rows of either column by the index of both: by two it reads the whole table.
  const holder = sql<string>`coalesce(assignment.user_id, assignment.group_id)`;
  const isOneOf = sql<SqlBool>`${holder} in (select ${userId} union all select group_id from ${groupIds} as own_group)`;
  return eb.and([isOneOf, eb.or([own, eb("assignment.group_id", "in", groupIds)])]);
}

/** PostgreSQL has no empty list. */
function isInAny(eb: Builder, places: readonly GrantPlaces[]): Expression<SqlBool> {
  return eb.or(places.filter(({ targetIds }) => targetIds?.size !== 0).map((place) => isIn(eb, place)));
}

function isIn(eb: Builder, { kinds, targetIds, isInherited }: GrantPlaces): Expression<SqlBool> {
  return eb.and(
    [
      eb("target_kind", "in", kinds),
      targetIds === undefined || targetIds.size > MAX_NAMED_PLACES
        ? undefined
        : eb("target_id", "in", [...targetIds]),
      isInherited === undefined ? undefined : eb("is_inherited", "=", isInherited),
    ].filter((condition) => condition !== undefined),
  );
}
