/**
 * The revocation position: a number that grows with every event that ends tokens, in the order in which these are committed.
 *
 * What is read together with the position rests on all events up to it, and on none behind it. So a token that keeps the position
 * at which its proof was read is ended by exactly the events behind it, whatever the clocks of the replicas show.
 *
 * @see docs/decisions/0010-revocations-are-ordered-by-commits.md
 */
import { sql, type RawBuilder } from "kysely";

/** For a column of a query: the position of the same snapshot as the rest of that query. */
export function revocationPosition(): RawBuilder<number> {
  return sql<number>`(select position from revocation_position)`;
}
