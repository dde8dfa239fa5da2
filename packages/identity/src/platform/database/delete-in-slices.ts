/** Deletes of any number of rows: SQLite runs one statement at a time and answers nothing else during it. */

/**
 * Repeats a statement that deletes at most `size` rows until it finds fewer. Between two statements other requests have their turn.
 *
 * @param deleteSome Resolves to the number of rows it deleted.
 */
export async function deleteInSlices(
  size: number,
  deleteSome: () => Promise<number | bigint>,
): Promise<void> {
  for (let deleted = size; deleted === size;) deleted = Number(await deleteSome());
}
