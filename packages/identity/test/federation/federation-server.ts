/** The resources of federation behind the real guard, with stubs of domains and users. */
import { randomBytes } from "node:crypto";

import { addFederationResources, FEDERATION_PLACES } from "../../src/federation/federation-routes.js";
import { addDryRunRoutes } from "../../src/workbench/dry-run/dry-run-routes.js";
import { createLoginRecordings } from "../../src/workbench/recording/login-recordings.js";
import { addRecordingRoutes } from "../../src/workbench/recording/recording-routes.js";
import { createIdentityProviderService } from "../../src/identity-providers/identity-provider-service.js";
import type { CheckProtocol } from "../../src/identity-providers/protocols/protocol-report.js";
import { PROTOCOL_TYPES } from "./protocol-types.js";
import { createProtocolSettings } from "../../src/identity-providers/protocols/protocol-settings.js";
import {
  createProtocolService,
  type ProtocolService,
  requireProtocolIn,
} from "../../src/identity-providers/protocols/protocol-service.js";
import type { ShadowUsersOf } from "../../src/identity-providers/shadow-user-deletion.js";
import { createMappingService } from "../../src/mappings/mapping-service.js";
import type { Queries } from "../../src/platform/database/database.js";
import { NotFoundError } from "../../src/platform/errors.js";
import type { TokenSelection } from "../../src/policy/revoke-tokens.js";
import { toMasterKey, type MasterKey } from "../../src/platform/secrets/sealing.js";
import {
  createServiceProviderService,
  type ServiceProviderService,
} from "../../src/service-providers/service-provider-service.js";
import type { TestDatabases } from "../databases.js";
import { featureServer, type FeatureServer } from "../feature-server.js";

export interface FederationServer extends FeatureServer {
  readonly protocols: ProtocolService;
  readonly serviceProviders: ServiceProviderService;
  readonly masterKey: MasterKey;
  /** Whose users were ended, in their order. */
  readonly ended: readonly ShadowUsersOf[];
  /** Whose tokens were ended, or those of which provider or protocol. */
  readonly tokensRevoked: readonly (string | TokenSelection)[];
  /** Replaces the checks of protocols, which find nothing. */
  checkWith(check: CheckProtocol): void;
  /** Domains and projects by their ids. */
  domainIds(): Promise<string[]>;
}

interface ProjectTables {
  readonly project: {
    id: string;
    extra: string;
    is_domain: boolean;
    name: string;
    description: string | null;
    enabled: boolean;
    options: string;
  };
}

/** @param domainIds Domains that are there from the beginning. */
export async function federationServer(
  databases: TestDatabases,
  domainIds: readonly string[] = ["default"],
): Promise<FederationServer> {
  const ended: ShadowUsersOf[] = [];
  const tokensRevoked: (string | TokenSelection)[] = [];
  const masterKey = toMasterKey(randomBytes(32));
  const users = {
    endShadowUsers: async (_: Queries, of: ShadowUsersOf) => {
      ended.push(of);
      return [`user of ${of.protocolId ?? of.identityProviderId}`];
    },
    revokeTokens: async (_: Queries, selection: TokenSelection) => {
      tokensRevoked.push(selection.userId ?? selection);
    },
  };
  let checkProtocol: CheckProtocol = async () => ({ checks: [], register: {} });
  let parts: Pick<FederationServer, "protocols" | "serviceProviders"> | undefined;
  const service = await featureServer(databases, async (server, deps) => {
    for (const id of domainIds) await domains.createDomain(deps.database, { id, name: id });
    const mappings = createMappingService(deps);
    const protocols = createProtocolService({
      ...deps,
      ...users,
      mappings,
      settings: createProtocolSettings(PROTOCOL_TYPES),
      masterKey,
      checkMetadata: async () => {},
      checkProtocol: (protocol) => checkProtocol(protocol),
    });
    const serviceProviders = createServiceProviderService(deps);
    const identityProviders = createIdentityProviderService({
      ...deps,
      ...users,
      domains,
      hasProvisionedUsers: async () => false,
      onProviderEnded: async () => {},
    });
    parts = { protocols, serviceProviders };
    const serviceMetadata = async () => "";
    const loginRecordings = createLoginRecordings({
      ...deps,
      masterKey,
      protocols: { requireIn: requireProtocolIn },
      isAllowed: false,
    });
    // They have tests of their own, with logins.
    const unused = { failedLogins: {}, readProviderHealth: {} } as never;
    const resources = {
      ...deps,
      ...parts,
      mappings,
      identityProviders,
      serviceMetadata,
      loginRecordings,
      types: { types: PROTOCOL_TYPES },
      previewLogin: notHere,
      replay: notHere,
      listRuleAccess: async () => ({ access: [], isTruncated: false }),
    };
    addFederationResources(server, Object.assign(resources, unused));
    for (const place of FEDERATION_PLACES) {
      addDryRunRoutes(server, place, resources);
      addRecordingRoutes(server, place, resources);
    }
  });
  if (parts === undefined) throw new TypeError("no routes were added");
  return {
    ...service,
    ...parts,
    masterKey,
    ended,
    tokensRevoked,
    checkWith(check) {
      checkProtocol = check;
    },
    async domainIds() {
      const rows = await service.database
        .tables<ProjectTables>()
        .selectFrom("project")
        .select("id")
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** What looks up groups and users: see test/workbench. */
const notHere = (): Promise<never> => Promise.reject(new Error("not of this server"));

/** Domains as far as the tables go. */
const domains = {
  async getDomain(queries: Queries, id: string) {
    const found = await queries
      .tables<ProjectTables>()
      .selectFrom("project")
      .select("id")
      .where("id", "=", id)
      .executeTakeFirst();
    if (found === undefined) throw new NotFoundError(`Could not find domain: ${id}.`);
    return found;
  },
  async createDomain(
    queries: Queries,
    { id, name, description = null }: { id: string; name: string; description?: string | null },
  ) {
    await queries
      .tables<ProjectTables>()
      .insertInto("project")
      .values({ id, name, description, enabled: true, is_domain: true, extra: "{}", options: "{}" })
      .execute();
  },
};
