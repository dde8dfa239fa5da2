/**
 * Sends statements that change a schema together: PostgreSQL makes a new database while this process does something else, rather than
 * wait for it after each of 200 statements.
 */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type CompiledQuery,
  type DatabaseConnection,
} from "kysely";

/** Without a result. */
const CHANGE = /^\s*(?:create|alter|drop|insert|update) /i;
const RESULT = /\breturning\b/i;

export interface SchemaScript {
  /** Runs other statements at once, after those that wait. */
  readonly queries: Kysely<unknown>;
  /** Runs the statements that wait, and waits for the work beside them. */
  finish(): Promise<void>;
  /** Waits for the work beside them, whatever becomes of it. */
  settled(): Promise<unknown>;
}

/** @param meanwhile What this process does from when PostgreSQL has the first statements. */
export function createSchemaScript(
  transaction: Kysely<unknown>,
  meanwhile: () => Promise<unknown>,
): SchemaScript {
  let waiting: string[] = [];
  let beside: Promise<unknown> | undefined;

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    const script = waiting.join("\n;\n");
    waiting = [];
    const ran = sql.raw(script).execute(transaction);
    if (beside === undefined) {
      beside = meanwhile();
      // It fails `finish`, also where a statement fails before.
      beside.catch(() => {});
    }
    await ran;
  }

  async function run(query: CompiledQuery) {
    if (query.parameters.length === 0 && CHANGE.test(query.sql) && !RESULT.test(query.sql)) {
      waiting.push(query.sql);
      return { rows: [] };
    }
    await flush();
    return transaction.executeQuery(query);
  }

  class ScriptDriver extends DummyDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      return Object.assign(await super.acquireConnection(), { executeQuery: run });
    }
  }
  const queries = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new ScriptDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return {
    queries,
    async finish() {
      await flush();
      await beside;
    },
    settled: () => Promise.allSettled([beside]),
  };
}
