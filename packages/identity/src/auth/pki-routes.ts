/** The routes of PKI tokens, which are not supported: as in Keystone, each rejects all callers. */
import { extensionRelation } from "../platform/discovery/json-home.js";
import { ForbiddenError, GoneError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";

export function addPkiRoutes(server: HttpServer): void {
  server.get(
    "/v3/auth/tokens/OS-PKI/revoked",
    {
      config: { access: "public", home: [{ relation: extensionRelation("OS-PKI", "revocations") }] },
      schema: { tags: ["authentication"], summary: "Forbidden for all callers" },
    },
    async () => {
      throw new ForbiddenError("You are not authorized to perform the requested action.");
    },
  );
  for (const [path, name] of [
    ["ca", "ca_certificate"],
    ["certificates", "certificates"],
  ] as const)
    server.get(
      `/v3/OS-SIMPLE-CERT/${path}`,
      {
        config: { access: "public", home: [{ relation: extensionRelation("OS-SIMPLE-CERT", name) }] },
        schema: { tags: ["authentication"], summary: "No longer available" },
      },
      async () => {
        throw new GoneError("This API is no longer available due to the removal of support for PKI tokens.");
      },
    );
}
