/** Searches whose subject may not exist: as an error, or as a value. */
import { NotFoundError } from "./errors.js";

/** The item that a search finds. @throws The error that `notFound` makes, where it finds none. */
export async function required<Item>(
  search: Promise<Item | undefined>,
  notFound: () => NotFoundError,
): Promise<Item> {
  const item = await search;
  if (item === undefined) throw notFound();
  return item;
}

/** The item that a search finds; `undefined` where it throws a {@link NotFoundError}. */
export async function ifFound<Item>(search: Promise<Item>): Promise<Item | undefined> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
