/** Finds users who can't satisfy any of their multi-factor rules. */
import type { Database } from "../platform/database/database.js";
import { parseAttributes } from "../platform/attributes.js";
import { stepsTaken } from "../platform/database/migrations.js";
import { METHOD_NAMES } from "../auth/auth-methods.js";
import { activeRules, satisfiesRules } from "../users/multi-factor-rules.js";
import { warning, type Finding } from "./finding.js";

interface Tables {
  readonly user: { id: string; name: string; domain_id: string; options: string; is_federated: boolean };
  readonly protocol: { id: string };
}

/** Users listed in the finding; the others are counted. */
const MAX_NAMED = 20;

export async function examineMultiFactorRules(database: Database): Promise<Finding[]> {
  const steps = await stepsTaken(database);
  if (!steps.includes("0002-users")) return [];
  const tables = database.tables<Tables>();
  const users = await tables
    .selectFrom("user")
    .select(["id", "name", "domain_id", "options", "is_federated"])
    .where("options", "like", "%multi_factor_auth_rules%")
    .orderBy("id")
    .execute();
  const protocols = steps.includes("0007-federation")
    ? await tables.selectFrom("protocol").select("id").distinct().execute()
    : [];
  const offered = [...METHOD_NAMES, ...protocols.map(({ id }) => id)];
  const stuck = users
    .map(({ options, ...user }) => ({ user, rules: activeRules(parseAttributes(options)) }))
    .filter(
      ({ user, rules }) => !satisfiesRules(rules, user.is_federated ? withoutPassword(offered) : offered),
    );
  if (stuck.length === 0) return [];
  const named = stuck.map(
    ({ user, rules }) => `${user.name} (${user.id}, domain ${user.domain_id}): ${JSON.stringify(rules)}`,
  );
  const more = stuck.length > MAX_NAMED ? `; ${stuck.length - MAX_NAMED} more` : "";
  return [
    warning(
      "multi-factor",
      `${stuck.length} can't log in, since no rule in multi_factor_auth_rules has only available methods: ` +
        `${named.slice(0, MAX_NAMED).join("; ")}${more}. Run hamkit-identity users clear-mfa-rules USER`,
    ),
  ];
}

/** Federated users have no password. */
function withoutPassword(methods: readonly string[]): readonly string[] {
  return methods.filter((method) => method !== "password");
}
