/** `/v3/auth/webauthn/options`: begins a login with a passkey, which `POST /v3/auth/tokens` finishes. */
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { CeremonyView, ceremonyView } from "../passkeys/passkey-routes.js";
import type { PasskeyService } from "../passkeys/passkey-service.js";
import type { Receipts } from "./receipts.js";

export interface PasskeyLoginRoutesDeps {
  readonly passkeys: Pick<PasskeyService, "beginLogin">;
  readonly receipts: Pick<Receipts, "prove">;
}

export function addPasskeyLoginRoutes(
  server: HttpServer,
  { passkeys, receipts }: PasskeyLoginRoutesDeps,
): void {
  // A request can't name a user: whether one exists, or has passkeys, does not show. A receipt is the proof of another factor.
  createRoutes(server, "authentication")("POST", "/v3/auth/webauthn/options", {
    access: "public",
    login: "webauthn",
    summary:
      "Begins a login with a passkey: options for navigator.credentials.get(); of one user, with the receipt of another factor",
    response: CeremonyView,
    async handle({ headers }) {
      const receipt = [headers["openstack-auth-receipt"]].flat().join("");
      const userId = receipt === "" ? undefined : (await receipts.prove(receipt)).userId;
      return ceremonyView(await passkeys.beginLogin(userId));
    },
  });
}
