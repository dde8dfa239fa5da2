/** `/v3/domains/{domain_id}/directory/check`: what `hamkit-identity ldap check` does, also with options that are not stored yet. */
import { Type } from "typebox";

import type { DirectoryConfig } from "../domain-config/domain-config-service.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { series } from "../platform/http/validation/schema-parts.js";
import { checkDirectory } from "./check-directory.js";

export interface DirectoryRoutesDeps {
  readonly domainConfigs: {
    /** @throws {DomainConfigNotFoundError} */
    directoryToCheck(domainId: string, config: unknown): Promise<DirectoryConfig>;
  };
}

const Text = Type.String({ minLength: 1, maxLength: 4096 });

const CheckBody = Type.Object(
  {
    /** As in a PATCH of the configuration: its options replace those stored for the check. */
    config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** A user who logs in at the end. */
    login: Type.Optional(Type.Object({ name: Text, password: Text }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);

const CheckResponse = Type.Object({
  findings: series(Type.Object({ failed: Type.Boolean(), text: Type.String() })),
});

export function addDirectoryRoutes(server: HttpServer, { domainConfigs }: DirectoryRoutesDeps): void {
  createRoutes(server, "domain configuration")("POST", "/v3/domains/:domain_id/directory/check", {
    access: "identity:update_domain_config",
    auditedAs: "identity:check_directory",
    summary: "Checks the directory of a domain: connection, account, users, groups and a login",
    body: CheckBody,
    response: CheckResponse,
    async handle({ params, body: { config, login } }) {
      const directory = await domainConfigs.directoryToCheck(params.domain_id, config);
      const findings: { failed: boolean; text: string }[] = [];
      for await (const { isFailure, text } of checkDirectory(directory, login))
        findings.push({ failed: isFailure, text });
      return { findings };
    },
  });
}
