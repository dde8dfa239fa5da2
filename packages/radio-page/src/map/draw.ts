/** Draws a map, with what only the worker knows: names of entities, and where the moon is. */
import { drawMap, type MapOptions } from "hamkit/map";

import { countryTable } from "../worker/country-table.js";

export interface PageMapOptions extends MapOptions {
  /** Whether entities have their names, their prefixes, or both. */
  readonly entityTexts?: { readonly names: boolean; readonly prefixes: boolean } | undefined;
  readonly hasMoon?: boolean | undefined;
}

export interface DrawnMap {
  readonly svg: string;
  /** Whether a layer is left out, since it could not be loaded. */
  readonly isIncomplete: boolean;
}

/** A map. Layers that can't be loaded are left out: the rest works without a network. */
export async function drawPageMap({ entityTexts, hasMoon, ...options }: PageMapOptions): Promise<DrawnMap> {
  try {
    const moon = hasMoon === true ? await moonAt(options.date) : undefined;
    const names = entityTexts && (await namesOf(entityTexts));
    return { svg: await drawMap({ ...options, moon, names }), isIncomplete: false };
  } catch (error) {
    const { zones: _zones, borders: _borders, coast: _coast, entities: _entities, ...rest } = options;
    if (!isLoadingError(error)) throw error;
    return { svg: await drawMap(rest), isIncomplete: true };
  }
}

/** Browsers have different messages for a module that can't be loaded, and one type. */
function isLoadingError(error: unknown): boolean {
  return error instanceof TypeError && /modul|import|load|fetch/i.test(error.message);
}

async function moonAt(date: Date | null | undefined) {
  const { sublunarPoint } = await import("../sky/sky-facts.js");
  return sublunarPoint(date);
}

async function namesOf({ names, prefixes }: NonNullable<PageMapOptions["entityTexts"]>) {
  const table = await countryTable();
  return Array.from(table.content().entities).flatMap(({ adif, record }) => {
    const { deleted, country, prefix, latitude, longitude } = record;
    const text = [prefixes ? prefix : "", names ? country : ""].filter((part) => part !== "").join(" ");
    return deleted || text === "" ? [] : [{ adif, text, latitude, longitude }];
  });
}
