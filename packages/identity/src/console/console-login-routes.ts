/** The providers by which users log in to the console, and the way there. */
import { Type } from "typebox";

import type { IdentityProvider } from "../identity-providers/identity-provider-store.js";
import type { Protocol } from "../identity-providers/protocols/protocol-store.js";
import { createRevisionCache } from "../platform/concurrency/revision-cache.js";
import type { Database } from "../platform/database/database.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import { CONSOLE_API_PATH, consolePageOf } from "./console-address.js";
import type { WebConsole } from "./web-console.js";

/** Types of protocols that log browsers in. */
const KINDS = ["openid", "saml2", "forwarded"] as const;

export interface ConsoleLoginRoutesDeps {
  readonly webConsole: Pick<WebConsole, "address">;
  readonly database: Pick<Database, "revision">;
  readonly protocols: { readonly listOfType: (type: (typeof KINDS)[number]) => Promise<readonly Protocol[]> };
  readonly identityProviders: { readonly get: (id: string) => Promise<IdentityProvider> };
  readonly links: Links;
}

/** A provider as the page of the login shows it. */
interface LoginChoice {
  readonly idp: string;
  readonly protocol: string;
  readonly name: string;
  readonly kind: (typeof KINDS)[number];
}

export function addConsoleLoginRoutes(server: HttpServer, deps: ConsoleLoginRoutesDeps): void {
  const { database, links } = deps;
  const { address } = deps.webConsole;
  const choices = createRevisionCache<readonly LoginChoice[]>({
    revision: () => database.revision("facts"),
    maxEntries: 1,
  });

  server.get(`${CONSOLE_API_PATH}/providers`, { config: { access: "public" } }, async () => ({
    providers: await choices.get("", () => listChoices(deps)),
  }));

  // Dashboards' logins begin there: a browser keeps its begun logins in one list.
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
  const found: LoginChoice[] = [];
  for (const kind of KINDS)
    for (const { idpId, id, settings } of await protocols.listOfType(kind)) {
      // A protocol for workloads alone has no client.
      if (settings?.type === "openid" && settings.client_id === undefined) continue;
      const { description } = await identityProviders.get(idpId);
      found.push({ idp: idpId, protocol: id, name: description?.trim() || idpId, kind });
    }
  return found.toSorted((one, other) => one.name.localeCompare(other.name, "en"));
}
