/**
 * The revocation position: a counter that increases with every revocation event, in commit order.
 *
 * Data read in one snapshot with the position reflects all events up to it and none after it. A token that carries the position
 * at which its login data was read is revoked by exactly the later events, independent of the replicas' clocks.
 *
 * @see docs/decisions/0010-revocations-are-ordered-by-commits.md
 */
import { sql, type RawBuilder } from "kysely";

/** A column expression: the position in the snapshot of the query. */
export function revocationPosition(): RawBuilder<number> {
  return sql<number>`(select position from revocation_position)`;
}
