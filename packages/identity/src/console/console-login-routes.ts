/** The ways in which users log in to the console besides passwords, and the way to providers. */
import { Type } from "typebox";

import type { Platform } from "../area.js";
import type { IdentityProvider } from "../identity-providers/identity-provider.js";
import type { ProtocolSettings } from "../identity-providers/protocols/protocol-settings.js";
import type { Protocol } from "../identity-providers/protocols/protocol-store.js";
import type { RelyingParty } from "../passkeys/passkey-options.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Database } from "../platform/database/database.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import { CONSOLE_API_PATH, consolePageOf } from "./console-address.js";
import type { WebConsole } from "./web-console.js";

export interface ConsoleLoginRoutesDeps extends Pick<Platform, "links"> {
  readonly webConsole: Pick<WebConsole, "address">;
  readonly database: Pick<Database, "revision">;
  readonly protocols: {
    readonly settings: Pick<ProtocolSettings, "types">;
    readonly listOfType: (type: string) => Promise<readonly Protocol[]>;
  };
  /** What passkeys are bound to. */
  readonly passkeys: { readonly rp: RelyingParty };
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
}

/** A provider as the page of the login shows it. */
interface LoginChoice {
  readonly idp: string;
  readonly protocol: string;
  readonly name: string;
  readonly kind: string;
  /** A picture, as a data address. */
  readonly icon?: string;
}

export function addConsoleLoginRoutes(server: HttpServer, deps: ConsoleLoginRoutesDeps): void {
  const { database, links } = deps;
  const { address } = deps.webConsole;
  const { rp } = deps.passkeys;
  const hasPasskeys = rp.fault === undefined && rp.origins.includes(address.origin);
  const choices = createRevisionCache<readonly LoginChoice[]>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  server.get(`${CONSOLE_API_PATH}/providers`, { config: { access: "public" } }, async () => ({
    providers: await choices.get("", () => listChoices(deps)),
    has_passkeys: hasPasskeys,
  }));

  // Dashboards' logins begin there: a browser keeps its pending logins in one list.
  server.get(
    `${CONSOLE_API_PATH}/login/:idp_id/:protocol_id`,
    {
      config: { access: "public", isConsoleNavigation: true },
      schema: {
        params: pathOf("idp_id", "protocol_id"),
        querystring: Type.Object({ return: Type.Optional(Type.String()) }),
      },
    },
    async ({ params, query }, reply) => {
      const { idp_id: idpId, protocol_id: id } = params;
      const origin = consolePageOf(address, query.return ?? "") ?? address.url;
      const login = links.self("/v3/auth/OS-FEDERATION/identity_providers", idpId, "protocols", id, "websso");
      return reply.redirect(`${login}?${new URLSearchParams({ origin }).toString()}`, 303);
    },
  );
}

async function listChoices({ protocols, identityProviders }: ConsoleLoginRoutesDeps): Promise<LoginChoice[]> {
  const found: { readonly choice: LoginChoice; readonly order: number }[] = [];
  for (const each of protocols.settings.types)
    for (const { idpId, id, settings } of await protocols.listOfType(each.type)) {
      if (settings === null || !each.logsBrowsersIn(settings) || settings.sign_in_hidden === true) continue;
      const { sign_in_label: label, sign_in_order: order = Infinity, sign_in_icon: icon } = settings;
      const { description } = await identityProviders.get(idpId);
      const name = label ?? (description?.trim() || idpId);
      const choice = { idp: idpId, protocol: id, name, kind: each.type, ...(icon !== undefined && { icon }) };
      found.push({ choice, order });
    }
  return found
    .toSorted(
      (one, other) =>
        compared(one.order, other.order) || one.choice.name.localeCompare(other.choice.name, "en"),
    )
    .map(({ choice }, _, all) => {
      const isOnly = all.filter((other) => other.choice.name === choice.name).length === 1;
      return isOnly ? choice : Object.assign({}, choice, { name: `${choice.name} (${choice.protocol})` });
    });
}

/** `Infinity` is equal to itself. */
const compared = (one: number, other: number): number => (one === other ? 0 : one - other);
