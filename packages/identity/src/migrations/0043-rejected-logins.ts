/**
 * The latest rejected logins by all methods, with codes of their reasons. Replicas of the former release go on with `refused_login`,
 * whose rows are copied once.
 */
import { sql, type Kysely } from "kysely";

import type { Migration } from "../platform/database/migrate.js";

export const rejectedLogins: Migration = {
  name: "0043-rejected-logins",
  async up(tables, types) {
    const { schema } = tables;
    await schema
      .createTable("rejected_login")
      // Newest first.
      .addColumn("id", types.text, (column) => column.primaryKey())
      // Both empty for logins without a provider.
      .addColumn("idp_id", types.text, (column) =>
        column.references("identity_provider.id").onDelete("cascade"),
      )
      .addColumn("protocol_id", types.text)
      .addColumn("method", types.text, (column) => column.notNull())
      .addColumn("code", types.text, (column) => column.notNull())
      // Of users who exist.
      .addColumn("user_id", types.text)
      .addColumn("user_name", types.text)
      .addColumn("domain", types.text)
      .addColumn("address", types.text)
      .addColumn("request_id", types.text, (column) => column.notNull())
      .addColumn("step", types.text, (column) => column.notNull())
      .addColumn("reason", types.text, (column) => column.notNull())
      // Names, in JSON.
      .addColumn("attributes", types.text, (column) => column.notNull())
      .addColumn("refused_at", types.moment, (column) => column.notNull())
      .execute();
    for (const column of ["idp_id", "request_id", "user_id", "code", "method"])
      await schema
        .createIndex(`rejected_login_${column}`)
        .on("rejected_login")
        .columns([column, "id"])
        .execute();
    await copyRefused(tables);
  },
};

interface Tables {
  readonly refused_login: Row;
  readonly rejected_login: Row & { readonly method: string; readonly code: string };
}

interface Row {
  readonly id: string;
  readonly idp_id: string;
  readonly protocol_id: string;
  readonly request_id: string;
  readonly step: string;
  readonly reason: string;
  readonly attributes: string;
  readonly refused_at: number;
}

async function copyRefused(tables: Kysely<Tables>): Promise<void> {
  const columns = [
    "id",
    "idp_id",
    "protocol_id",
    "request_id",
    "step",
    "reason",
    "attributes",
    "refused_at",
  ] as const;
  await tables
    .insertInto("rejected_login")
    .columns([...columns, "method", "code"])
    .expression((eb) =>
      eb
        .selectFrom("refused_login")
        .select(columns)
        // Not a parameter: it runs together with the changes around it.
        .select((each) => [each.ref("protocol_id").as("method"), sql.lit("provider-login").as("code")]),
    )
    .execute();
}
