/** Kysely on PostgreSQL, with the errors of the database. */
import { type Driver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";

import { toPostgresError } from "./postgres-errors.js";
import { translatedDriver } from "../translated-driver.js";

export function createKysely(driver: Driver): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => translatedDriver(driver, toPostgresError),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}
