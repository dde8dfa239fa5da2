/** A server with the routes of credentials and EC2 keys: users u1 and u2 in domain d1, u3 in d2, and a project in each domain. */
import { addCredentialRoutes } from "../../src/credentials/credential-routes.js";
import { createCredentialService, type CredentialService } from "../../src/credentials/credential-service.js";
import { addEc2KeyRoutes } from "../../src/credentials/ec2-key-routes.js";
import { createEc2KeyService, type Ec2KeyService } from "../../src/credentials/ec2-key-service.js";
import type { Database } from "../../src/platform/database/database.js";
import { toMasterKey, type MasterKey } from "../../src/platform/secrets/sealing.js";
import type { Credentials } from "../../src/policy/caller.js";
import { findProject } from "../../src/projects/project-store.js";
import { findUser, insertUser, requireUser } from "../../src/users/user-store.js";
import type { TestDatabases } from "../databases.js";
import { featureServer, type FeatureServer } from "../feature-server.js";

export interface CredentialServer extends FeatureServer {
  readonly credentials: CredentialService;
  readonly ec2Keys: Ec2KeyService;
  readonly masterKey: MasterKey;
}

interface Tables {
  readonly project: Readonly<Record<string, string | boolean | null>>;
}

/** Bearers of tokens for project p1. */
export const MEMBER: Credentials = inP1("u1", "member", "reader");
export const READER: Credentials = inP1("u1", "reader");
export const NEIGHBOR: Credentials = inP1("u2", "member", "reader");
export const PROJECT_ADMIN: Credentials = inP1("admin", "admin", "manager", "member", "reader");

function inP1(userId: string, ...roles: string[]): Credentials {
  return { userId, roles, scope: { kind: "project", projectId: "p1", projectDomainId: "d1" } };
}

export async function credentialServer(
  databases: TestDatabases,
  { maxPerUser }: { readonly maxPerUser?: number } = {},
): Promise<CredentialServer> {
  const masterKey = toMasterKey(Buffer.alloc(32, 9));
  let services!: Pick<CredentialServer, "credentials" | "ec2Keys">;
  const service = await featureServer(databases, async (server, deps) => {
    const { database } = deps;
    await addRows(database);
    const users = {
      findUser: ({ id }: { readonly id: string }) => findUser(database, id),
      getUser: (id: string) => requireUser(database, id),
    };
    const projects = { findProject: ({ id }: { readonly id: string }) => findProject(database, id) };
    // There are no tokens here: resets are tested with the whole service.
    const revokeTokens = () => Promise.resolve();
    const credentials = createCredentialService({
      ...deps,
      masterKey,
      users,
      projects,
      revokeTokens,
      maxPerUser,
    });
    const ec2Keys = createEc2KeyService({ database, credentials });
    addCredentialRoutes(server, { ...deps, credentials, users });
    addEc2KeyRoutes(server, { ...deps, ec2Keys, users });
    services = { credentials, ec2Keys };
  });
  return { ...service, ...services, masterKey };
}

async function addRows(database: Database): Promise<void> {
  const texts = { options: "{}", extra: "{}", enabled: true };
  const tables = database.tables<Tables>();
  for (const id of ["d1", "d2"])
    await tables
      .insertInto("project")
      .values({ id, name: id, is_domain: true, ...texts })
      .execute();
  for (const [id, domain] of [
    ["p1", "d1"],
    ["p2", "d2"],
  ] as const)
    await tables
      .insertInto("project")
      .values({ id, name: id, is_domain: false, domain_id: domain, parent_id: domain, ...texts })
      .execute();
  for (const [id, domainId] of [
    ["u1", "d1"],
    ["u2", "d1"],
    ["u3", "d2"],
  ] as const)
    await insertUser(database, {
      id,
      name: id,
      domainId,
      enabled: true,
      defaultProjectId: null,
      options: {},
      extra: {},
      createdAt: 0,
      lastActiveAt: null,
      passwordExpiresAt: null,
    });
}
