/** Tokens that real Keystones issued: what they hold is what those Keystones showed. */
import { describe, expect, it } from "vitest";

import { readKeyFolder } from "../../src/import/key-folder.js";
import { decryptFernet, toFernetKey } from "../../../identity/src/tokens/fernet.js";
import { decodeKeystonePayload } from "../../../identity/src/tokens/imported/keystone-payload.js";
import type { TokenPayload } from "../../../identity/src/tokens/token-payload.js";
import {
  CLOUD_METHODS,
  cloudFolder,
  cloudIds,
  cloudRows,
  CLOUDS,
  hasClouds,
} from "../../../identity/test/keystone-cloud.js";

interface ShownToken {
  readonly methods: readonly string[];
  readonly user: {
    readonly id: string;
    readonly "OS-FEDERATION"?: {
      readonly groups: readonly { readonly id: string }[];
      readonly identity_provider: { readonly id: string };
      readonly protocol: { readonly id: string };
    };
  };
  readonly audit_ids: readonly string[];
  readonly issued_at: string;
  readonly expires_at: string;
  readonly project?: { readonly id: string };
  readonly domain?: { readonly id: string };
  readonly system?: { readonly all: true };
  readonly "OS-TRUST:trust"?: { readonly id: string; readonly trustee_user: { readonly id: string } };
  readonly application_credential?: { readonly id: string };
}

/** What a token holds of what Keystone showed. */
function heldOf(token: ShownToken) {
  const { user } = token;
  return {
    methods: token.methods,
    // With impersonation Keystone shows the trustor.
    user: token["OS-TRUST:trust"]?.trustee_user.id ?? user.id,
    audits: token.audit_ids,
    times: [token.issued_at, token.expires_at].map((time) => Date.parse(time)),
    scope: token.project?.id ?? token.domain?.id ?? (token.system === undefined ? "none" : "system"),
    trust: token["OS-TRUST:trust"]?.id,
    applicationCredential: token.application_credential?.id,
  };
}

function heldIn(payload: TokenPayload) {
  const { scope, delegation, auditId, auditChainId } = payload;
  return {
    methods: payload.methods,
    user: payload.userId,
    audits: auditChainId === undefined ? [auditId] : [auditId, auditChainId],
    times: [payload.issuedAt, payload.expiresAt],
    scope:
      scope.kind === "project"
        ? scope.projectId
        : scope.kind === "domain"
          ? scope.domainId
          : scope.kind === "system"
            ? "system"
            : "none",
    trust: delegation?.trustId,
    applicationCredential: delegation?.applicationCredentialId,
  };
}

describe.skipIf(!hasClouds).each(CLOUDS)("tokens of the Keystone %s", (cloud) => {
  it("hold what it showed", () => {
    const keys = readKeyFolder(`${cloudFolder(cloud)}fernet-keys`).map(({ key }) => toFernetKey(key));
    const { tokens } = cloudIds(cloud);
    const rows = cloudRows(cloud, "tokens").filter(
      ({ path, status }) => path === "/v3/auth/tokens" && status === 200,
    );
    let federated = 0;
    for (const row of rows) {
      const alias = row.request_headers["X-Subject-Token"]?.slice(1) ?? "";
      const decrypted = decryptFernet(keys, tokens[alias] ?? "");
      const payload = decodeKeystonePayload(decrypted?.payload ?? Buffer.alloc(0), {
        authMethods: CLOUD_METHODS,
        issuedAt: (decrypted?.madeAtSeconds ?? 0) * 1000,
      });
      const { token } = row.response_body as { readonly token: ShownToken };
      expect([row.name, payload && heldIn(payload)]).toEqual([row.name, heldOf(token)]);
      const federation = token.user["OS-FEDERATION"];
      if (federation !== undefined) federated++;
      expect(payload?.federation).toEqual(
        federation && {
          identityProviderId: federation.identity_provider.id,
          protocolId: federation.protocol.id,
          groupIds: federation.groups.map(({ id }) => id),
        },
      );
    }
    expect(rows.length).toBeGreaterThan(30);
    expect(federated).toBeGreaterThan(3);
  });

  it("are many, and every one is read", () => {
    const keys = readKeyFolder(`${cloudFolder(cloud)}fernet-keys`).map(({ key }) => toFernetKey(key));
    const tokens = Object.entries(cloudIds(cloud).tokens);
    const unread = tokens.filter(([, text]) => {
      const payload = decryptFernet(keys, text)?.payload ?? Buffer.alloc(0);
      return decodeKeystonePayload(payload, { authMethods: CLOUD_METHODS, issuedAt: 0 }) === undefined;
    });
    expect(unread).toEqual([]);
    expect(tokens.length).toBeGreaterThan(30);
  });
});
