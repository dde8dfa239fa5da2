/** Every step from an empty database to the tables of this release, in order. One is added at the end, and never changed. */
import type { Migration } from "../platform/database/migrations.js";

export const migrations: readonly Migration[] = [];
