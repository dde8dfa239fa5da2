/** Searches the database for rows that an incomplete transaction would leave. */
import { sql } from "kysely";

import { openDatabase } from "../../src/platform/database/open-database.js";

/** Rows of each kind that should not be there. */
const SEARCHES = {
  "a user who was given a password and has none": `select id from "user" u where name like 'w%'
    and not exists (select 1 from user_password p where p.user_id = u.id)`,
  "a password without a user": `select user_id from user_password p
    where not exists (select 1 from "user" u where u.id = p.user_id)`,
  "an endpoint without its service": `select id from endpoint e
    where not exists (select 1 from service s where s.id = e.service_id)`,
  "an assignment without its role": `select role_id from assignment a
    where not exists (select 1 from role r where r.id = a.role_id)`,
  "an assignment without a user": `select role_id from assignment a where user_id is not null
    and not exists (select 1 from "user" u where u.id = a.user_id)`,
  "an assignment to nothing": `select role_id from assignment a where target_id is not null
    and not exists (select 1 from project p where p.id = a.target_id)`,
  "a project without its domain": `select id from project c where domain_id is not null
    and not exists (select 1 from project d where d.id = c.domain_id and d.is_domain)`,
};

/** The kinds of rows found; none if the database is consistent. No other process may use the database concurrently. */
export async function halfWritten(databaseUrl: string): Promise<string[]> {
  const database = openDatabase(databaseUrl);
  try {
    const found: string[] = [];
    for (const [kind, search] of Object.entries(SEARCHES)) {
      const { rows } = await sql.raw(search).execute(database.tables());
      if (rows.length > 0) found.push(`${kind}: ${JSON.stringify(rows)}`);
    }
    if (database.kind === "sqlite") {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(
        database.tables(),
      );
      if (rows[0]?.integrity_check !== "ok") found.push(`the file is broken: ${JSON.stringify(rows)}`);
    }
    return found;
  } finally {
    await database.close();
  }
}
