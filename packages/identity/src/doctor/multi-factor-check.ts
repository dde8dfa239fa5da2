/** Finds users who can't satisfy any of their multi-factor rules. */
import { METHOD_NAMES } from "../auth/auth-methods.js";
import { TOTP_TYPE } from "../credentials/credential.js";
import { parseAttributes } from "../platform/attributes.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken } from "../platform/database/migrate.js";
import { activeRules, satisfiesRules } from "../users/multi-factor-rules.js";
import { warning, type Finding } from "./finding.js";

interface Tables {
  readonly user: { id: string; name: string; domain_id: string; options: string; is_federated: boolean };
  readonly protocol: { id: string };
  readonly credential: { user_id: string; type: string };
  readonly passkey: { user_id: string };
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
  const authenticators = steps.includes("0022-credentials")
    ? await tables.selectFrom("credential").select("user_id").where("type", "=", TOTP_TYPE).execute()
    : [];
  const passkeys = steps.includes("0047-passkeys")
    ? await tables.selectFrom("passkey").select("user_id").distinct().execute()
    : [];
  const owners: OwnersByMethod = {
    [TOTP_TYPE]: new Set(authenticators.map(({ user_id: id }) => id)),
    webauthn: new Set(passkeys.map(({ user_id: id }) => id)),
  };
  const offered = [...METHOD_NAMES, ...protocols.map(({ id }) => id)];
  const stuck = users
    .map(({ options, ...user }) => ({ user, rules: activeRules(parseAttributes(options)) }))
    .filter(
      ({ user, rules }) =>
        !satisfiesRules(
          rules,
          offered.filter((method) => isAvailable(method, user, owners)),
        ),
    );
  if (stuck.length === 0) return [];
  const named = stuck.map(
    ({ user, rules }) => `${user.name} (${user.id}, domain ${user.domain_id}): ${JSON.stringify(rules)}`,
  );
  const more = stuck.length > MAX_NAMED ? `; ${stuck.length - MAX_NAMED} more` : "";
  return [
    warning(
      "multi-factor",
      `${stuck.length} can't log in, since no rule in multi_factor_auth_rules has only available methods (totp needs a credential, webauthn a passkey): ` +
        `${named.slice(0, MAX_NAMED).join("; ")}${more}. Run hamkit-identity users clear-mfa-rules USER`,
    ),
  ];
}

/** The users who have what a method needs. */
type OwnersByMethod = Readonly<Record<string, ReadonlySet<string>>>;

/** Federated users have no password. One-time codes need a credential, and passkeys one of theirs. */
function isAvailable(
  method: string,
  { id, is_federated: isFederated }: Pick<Tables["user"], "id" | "is_federated">,
  owners: OwnersByMethod,
): boolean {
  if (method === "password") return !isFederated;
  return owners[method]?.has(id) ?? true;
}
