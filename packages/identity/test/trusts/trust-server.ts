/** The whole service, with a trustor, a trustee and trusts between them. */
import {
  credentialServer,
  type Answer,
  type CredentialServer,
  type Member,
} from "../application-credentials/application-credential-server.js";
import type { TestDatabases } from "../databases.js";

export type TrustServer = Awaited<ReturnType<typeof trustServer>>;

export const TRUSTS = "/v3/OS-TRUST/trusts";

export async function trustServer(databases: TestDatabases, env: Record<string, string> = {}) {
  const server: CredentialServer = await credentialServer(databases, env);

  const attempt = (from: Member, to: Pick<Member, "id">, attributes: object = {}, token = from.token) =>
    server.send("POST", TRUSTS, {
      token,
      body: {
        trust: {
          trustor_user_id: from.id,
          trustee_user_id: to.id,
          impersonation: false,
          project_id: from.projectId,
          roles: [{ name: "member" }],
          ...attributes,
        },
      },
    });

  return {
    ...server,
    /** Creates a trust by the trustor's own token, if no other is given. */
    attempt,
    /** The id of a new trust. */
    async trust(...facts: Parameters<typeof attempt>): Promise<string> {
      const { status, body } = await attempt(...facts);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.trust.id as string;
    },
    logIn: (trustee: Pick<Member, "id">, id: string): Promise<Answer> =>
      server.byPassword({ id: trustee.id }, { "OS-TRUST:trust": { id } }),
    /** The status of a token that it is used with. */
    used: async (token: string) => (await server.send("GET", "/v3/auth/projects", { token })).status,
  };
}
