/** The identity provider whose users and groups a SCIM client pushes. */
import type { IdentityProvider } from "../identity-providers/identity-provider.js";
import type { ScimUniqueId } from "../users/federated/provisioned-user-store.js";

export interface ScimProvider extends Pick<IdentityProvider, "id" | "domainId" | "authorizedDomains"> {
  readonly scimUniqueId: ScimUniqueId;
}
