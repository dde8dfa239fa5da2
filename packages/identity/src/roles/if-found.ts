/** Asks for what may not be there, where that is no failure: permissions are asked about what a path names, if it exists. */
import { NotFoundError } from "../platform/errors.js";

/** What is found; `undefined` where there is nothing. */
export async function ifFound<Thing>(search: Promise<Thing>): Promise<Thing | undefined> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
