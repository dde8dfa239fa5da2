/**
 * `/v3/domains/{domain_id}/directory`: sets the directory of a domain in one step; below it `check`, which does what `hamkit-identity ldap
 * check` does, also with options that are not stored yet.
 */
import { Type } from "typebox";

import type { DirectoryConfig } from "../domain-config/domain-config-service.js";
import type { DomainConfig } from "../domain-config/domain-config-options.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { bodyOf, series } from "../platform/http/validation/schema-parts.js";
import { checkDirectory } from "./check-directory.js";

export interface DirectoryRoutesDeps {
  readonly domainConfigs: {
    /** @throws {DomainConfigNotFoundError} */
    directoryToCheck(domainId: string, config: unknown): Promise<DirectoryConfig>;
    replaceDirectory(domainId: string, config: unknown): Promise<DomainConfig>;
  };
}

const Text = Type.String({ minLength: 1, maxLength: 4096 });

const Options = Type.Record(Type.String(), Type.Unknown());

const CheckBody = Type.Object(
  {
    /** As in a PATCH of the configuration: its options replace those stored for the check. */
    config: Type.Optional(Options),
    /** A user who logs in at the end. */
    login: Type.Optional(Type.Object({ name: Text, password: Text }, { additionalProperties: false })),
  },
  { additionalProperties: false },
);

const DirectoryBody = Type.Object({ config: Options }, { additionalProperties: false });

const CheckResponse = Type.Object({
  findings: series(Type.Object({ failed: Type.Boolean(), text: Type.String() })),
});

export function addDirectoryRoutes(server: HttpServer, { domainConfigs }: DirectoryRoutesDeps): void {
  const route = createRoutes(server, "domain configuration");
  route("PUT", "/v3/domains/:domain_id/directory", {
    access: "identity:update_domain_config",
    auditedAs: "identity:replace_directory",
    summary:
      "Puts the users of a domain into a directory: replaces its options, but for a password that is not given",
    body: DirectoryBody,
    response: bodyOf("config", Options),
    handle: async ({ params, body }) => ({
      config: await domainConfigs.replaceDirectory(params.domain_id, body.config),
    }),
  });
  route("POST", "/v3/domains/:domain_id/directory/check", {
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
