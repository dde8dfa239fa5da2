/** Test logins, as the pages read them. */
import { api, ask, type paths } from "../api/client.ts";

const PATH = "/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/test_logins";
const ITEM =
  "/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/test_logins/{test_login_id}";

export type TestLogin =
  paths[typeof ITEM]["get"]["responses"]["200"]["content"]["application/json"]["test_login"];
export type TestResult = NonNullable<TestLogin["result"]>;
export type TestStep = TestResult["steps"][number];

export interface ProtocolPlace {
  readonly idpId: string;
  readonly protocolId: string;
}

const pathOf = ({ idpId, protocolId }: ProtocolPlace) => ({ idp_id: idpId, protocol_id: protocolId });

/** @param draft Empty for a browser's login. */
export async function createTestLogin(
  place: ProtocolPlace,
  draft: { access_token?: string; saml_response?: string } = {},
): Promise<TestLogin> {
  const request = { params: { path: pathOf(place) }, body: { test_login: draft } };
  return (await ask(api.POST(PATH, request))).test_login;
}

export async function readTestLogin(place: ProtocolPlace, id: string): Promise<TestLogin> {
  const path = { ...pathOf(place), test_login_id: id };
  return (await ask(api.GET(ITEM, { params: { path } }))).test_login;
}

/** Has the protocol accept access tokens for one more audience. */
export async function addAudience(place: ProtocolPlace, audience: string): Promise<void> {
  const path = "/v3/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}";
  const params = { path: pathOf(place) };
  const { protocol } = await ask(api.GET(path, { params }));
  const stored =
    (protocol.settings as { readonly audiences?: readonly string[] } | undefined)?.audiences ?? [];
  const settings = { audiences: [...stored, audience] };
  await ask(api.PATCH(path, { params, body: { protocol: { settings } } } as never));
}

/** What a mapping did, as `POST .../mappings/{id}/evaluate` returns it. */
export interface MappingTrace {
  readonly id: string;
  readonly error: { readonly reason: string; readonly message: string } | null;
  readonly trace?: readonly {
    readonly rule: number;
    readonly matched: boolean;
    readonly conditions: readonly {
      readonly condition: number;
      readonly type: string;
      readonly matched: boolean;
      readonly reason: string;
    }[];
  }[];
}
