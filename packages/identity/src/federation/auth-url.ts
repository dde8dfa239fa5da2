/** Where users log in through a protocol. */
import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import type { Links } from "../platform/http/links.js";

/** The redirect URI, or the ACS URL, of a protocol: whichever prefix or address a client uses. */
export function authUrlOf(links: Links, { idpId, id }: ProtocolKey): string {
  return links.self("/v3/OS-FEDERATION/identity_providers", idpId, "protocols", id, "auth");
}
