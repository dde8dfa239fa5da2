/** `/v3/domains/{domain_id}/config` and `/v3/domains/config/default` */
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";

import { coreParameter, coreRelation, type HomeRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { bodyOf } from "../platform/http/validation/schema-parts.js";
import { DEFAULT_DOMAIN_ID } from "../policy/caller.js";
import {
  UnsupportedConfigError,
  checkPath,
  DEFAULTS,
  isSensitive,
  type ConfigPath,
  type DomainConfig,
} from "./domain-config-options.js";
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

const TAG = "domain configuration";

/** The whole configuration, a group, and an option: end of the path, name in the home document, and name in summaries. */
const PARTS = [
  { end: "", relation: "domain_config", noun: "the configuration of a domain" },
  { end: "/:group", relation: "domain_config_group", noun: "a group of a domain's configuration" },
  { end: "/:group/:option", relation: "domain_config_option", noun: "an option of a domain's configuration" },
] as const;

export function addDomainConfigRoutes(server: HttpServer, deps: DomainConfigRoutesDeps): void {
  const route = createRoutes(server, TAG);
  addDefaultRoutes(server);
  addPartRoutes(server, deps);
  route("PUT", "/v3/domains/:domain_id/config", {
    access: "identity:create_domain_config",
    summary: "Creates or replaces the configuration of a domain",
    body: DomainConfigBody,
    response: DomainConfigResponse,
    async handle({ params, body }, reply) {
      const { config, isNew } = await deps.domainConfigs.replace(params.domain_id, body.config);
      reply.code(isNew ? 201 : 200);
      return { config };
    },
  });
}

function addPartRoutes(
  server: HttpServer,
  { domainConfigs, passwordSettings }: DomainConfigRoutesDeps,
): void {
  const route = createRoutes(server, TAG);
  for (const { end, relation, noun } of PARTS) {
    const path = `/v3/domains/:domain_id/config${end}`;
    route("GET", path, {
      access: { choose: accessOfRead },
      home: homeOf(relation),
      summary: `Shows ${noun}`,
      response: DomainConfigResponse,
      async handle({ params }) {
        const { domain_id: id = "" } = params;
        const part = pathIn(params);
        if (part?.group === COMPLIANCE) return { config: complianceOf(passwordSettings, id, part) };
        return { config: shownOf(await domainConfigs.get(id, part), part) };
      },
    });
    route("PATCH", path, {
      access: "identity:update_domain_config",
      summary: `Changes ${noun}`,
      body: DomainConfigBody,
      response: DomainConfigResponse,
      handle: async ({ params, body }) => ({
        config: await domainConfigs.update(params["domain_id"] ?? "", body.config, pathIn(params)),
      }),
    });
    route("DELETE", path, {
      access: "identity:delete_domain_config",
      summary: `Deletes ${noun}`,
      handle: ({ params }) => domainConfigs.delete(params["domain_id"] ?? "", pathIn(params)),
    });
  }
}

function addDefaultRoutes(server: HttpServer): void {
  const route = createRoutes(server, TAG);
  for (const { end, relation, noun } of PARTS)
    route("GET", `/v3/domains/config${end}/default`, {
      access: "identity:get_domain_config_default",
      home: homeOf(relation.replace("domain_config", "domain_config_default")),
      summary: `Shows the defaults of ${noun}`,
      response: DomainConfigResponse,
      handle({ params }) {
        const part = pathIn(params);
        if (part !== undefined) checkPath(part);
        if (part?.option !== undefined && isSensitive(part.group, part.option))
          throw new UnsupportedConfigError(
            `Reading the default for option ${part.option} in group ${part.group} is not supported.`,
          );
        return { config: shownOf(DEFAULTS, part) };
      },
    });
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

function pathIn({ group, option }: Readonly<Record<string, string | undefined>>): ConfigPath | undefined {
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

const Options = Type.Record(Type.String(), Type.Unknown());

const DomainConfigBody = Type.Object({
  config: Type.Optional(Type.Union([Options, Type.Null(), Type.Array(Type.Unknown())])),
});

const DomainConfigResponse = bodyOf("config", Options);
