/** The embedded country file, loaded once in each worker. */
import { loadEmbeddedCountryFile, type TableSource } from "hamkit/lookup";

let loading: Promise<TableSource> | undefined;

export function countryTable(): Promise<TableSource> {
  loading ??= loadEmbeddedCountryFile();
  return loading;
}
