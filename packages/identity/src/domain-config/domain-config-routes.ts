/** `/v3/domains/{domain_id}/config` and `/v3/domains/config/default` */
import type { FastifyRequest } from "fastify";

import { coreParameter, coreRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { noContent } from "../platform/http/resource-route.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import { DEFAULT_DOMAIN_ID } from "../policy/own-domain.js";
import { UnsupportedConfigError, type ConfigPath } from "./domain-config-errors.js";
import { checkPath, DEFAULTS, isSensitive, type DomainConfig } from "./domain-config-options.js";
import { DomainConfigBody, DomainConfigResponse } from "./domain-config-schema.js";
import type { DomainConfigService } from "./domain-config-service.js";

export interface DomainConfigRoutesDeps {
  readonly domainConfigs: DomainConfigService;
  /** The settings on passwords that every user may read. */
  readonly passwordSettings: PasswordCompliance;
}

/** The group of options on passwords, which is read from the service's settings. */
const COMPLIANCE = "security_compliance";

export interface PasswordCompliance {
  readonly password_regex: string | null;
  readonly password_regex_description: string | null;
}

const tags = ["domain configuration"];

/** The whole configuration, a group, and an option: path, parameters, name in the home document, and name in summaries. */
const PARTS = [
  { path: "", names: [], relation: "domain_config", noun: "the configuration of a domain" },
  {
    path: "/:group",
    names: ["group"],
    relation: "domain_config_group",
    noun: "a group of a domain's configuration",
  },
  {
    path: "/:group/:option",
    names: ["group", "option"],
    relation: "domain_config_option",
    noun: "an option of a domain's configuration",
  },
] as const;

export function addDomainConfigRoutes(server: HttpServer, deps: DomainConfigRoutesDeps): void {
  addDefaultRoutes(server);
  addPartRoutes(server, deps);
  server.put(
    "/v3/domains/:domain_id/config",
    {
      config: { access: "identity:create_domain_config" },
      schema: {
        tags,
        summary: "Creates or replaces the configuration of a domain",
        params: pathOf("domain_id"),
        body: DomainConfigBody,
        response: { 200: DomainConfigResponse, 201: DomainConfigResponse },
      },
    },
    async ({ params, body }, reply) => {
      const { config, isNew } = await deps.domainConfigs.replace(params.domain_id, body.config);
      return reply.code(isNew ? 201 : 200).send({ config });
    },
  );
}

function addPartRoutes(
  server: HttpServer,
  { domainConfigs, passwordSettings }: DomainConfigRoutesDeps,
): void {
  for (const { path, names, relation, noun } of PARTS) {
    const url = `/v3/domains/:domain_id/config${path}`;
    const params = pathOf("domain_id", ...names);
    server.get(
      url,
      {
        config: { access: { choose: accessOfRead }, home: homeOf(relation) },
        schema: { tags, summary: `Shows ${noun}`, params, response: { 200: DomainConfigResponse } },
      },
      async ({ params: { domain_id: id, ...rest } }) => {
        const part = pathIn(rest);
        if (part?.group === COMPLIANCE) return { config: complianceOf(passwordSettings, id, part) };
        return { config: shownOf(await domainConfigs.get(id, part), part) };
      },
    );
    server.patch(
      url,
      {
        config: { access: "identity:update_domain_config" },
        schema: {
          tags,
          summary: `Changes ${noun}`,
          params,
          body: DomainConfigBody,
          response: { 200: DomainConfigResponse },
        },
      },
      async ({ params: { domain_id: id, ...rest }, body }) => ({
        config: await domainConfigs.update(id, body.config, pathIn(rest)),
      }),
    );
    server.delete(
      url,
      {
        config: { access: "identity:delete_domain_config" },
        schema: { tags, summary: `Deletes ${noun}`, params },
      },
      async ({ params: { domain_id: id, ...rest } }, reply) =>
        noContent(reply, domainConfigs.delete(id, pathIn(rest))),
    );
  }
}

function addDefaultRoutes(server: HttpServer): void {
  for (const { path, names, relation, noun } of PARTS)
    server.get(
      `/v3/domains/config${path}/default`,
      {
        config: {
          access: "identity:get_domain_config_default",
          home: homeOf(relation.replace("domain_config", "domain_config_default")),
        },
        schema: {
          tags,
          summary: `Shows the defaults of ${noun}`,
          params: pathOf(...names),
          response: { 200: DomainConfigResponse },
        },
      },
      async ({ params }) => {
        const part = pathIn(params);
        if (part !== undefined) checkPath(part);
        if (part?.option !== undefined && isSensitive(part.group, part.option))
          throw new UnsupportedConfigError(
            `Reading the default for option ${part.option} in group ${part.group} is not supported.`,
          );
        return { config: shownOf(DEFAULTS, part) };
      },
    );
}

function homeOf(name: string): HomeRelation[] {
  const parameters = { group: coreParameter("config_group"), option: coreParameter("config_option") };
  return [{ relation: coreRelation(name), parameters }];
}

function accessOfRead({ params }: FastifyRequest) {
  const { group } = params as { readonly group?: string };
  const action =
    group === COMPLIANCE ? "identity:get_security_compliance_domain_config" : "identity:get_domain_config";
  return { action } as const;
}

function pathIn({
  group,
  option,
}: {
  readonly group?: string;
  readonly option?: string;
}): ConfigPath | undefined {
  return group === undefined ? undefined : { group, option };
}

/** The part of a configuration at a path: of an option, its name and value alone. */
function shownOf(config: DomainConfig, path: ConfigPath | undefined): Readonly<Record<string, unknown>> {
  if (path === undefined) return config;
  const { group, option } = path;
  const options = config[group];
  return option === undefined ? { [group]: options } : { [option]: options?.[option] };
}

/** @throws {UnsupportedConfigError} They are read by the default domain alone. */
function complianceOf(
  settings: PasswordCompliance,
  domainId: string,
  path: ConfigPath,
): Readonly<Record<string, unknown>> {
  if (domainId !== DEFAULT_DOMAIN_ID)
    throw new UnsupportedConfigError(
      "Reading security compliance information for any domain other than the default domain is not allowed or supported.",
    );
  if (path.option !== undefined && !Object.hasOwn(settings, path.option))
    throw new UnsupportedConfigError(
      "Reading security compliance values other than password_regex and password_regex_description is not allowed.",
    );
  return shownOf({ [COMPLIANCE]: { ...settings } }, path);
}
