/** The login protocols that providers may have, as the service describes them: their forms, kinds of providers, and words. */
import { api, ask, type paths } from "../../api/client.ts";

type Listed =
  paths["/v3/OS-FEDERATION/protocol_types"]["get"]["responses"]["200"]["content"]["application/json"];

export type ProtocolType = Listed["protocol_types"][number];
export type ProtocolForm = NonNullable<ProtocolType["form"]>;
export type SettingsField = ProtocolForm["fields"][number];
/** What people call a provider, with settings and rules to start from. */
export type ProviderKind = ProtocolForm["kinds"][number];

/** A type that has a form. */
export interface FormType extends ProtocolType {
  readonly form: ProtocolForm;
}

export const hasForm = (type: ProtocolType): type is FormType => type.form !== null;

/** @param protocol One that need not exist yet: what to register at its provider is told, too. */
export async function readProtocolTypes(protocol?: {
  readonly idpId: string;
  readonly id: string;
}): Promise<readonly ProtocolType[]> {
  const query = protocol && { identity_provider_id: protocol.idpId, protocol_id: protocol.id };
  const options = query === undefined ? {} : { params: { query } };
  return (await ask(api.GET("/v3/OS-FEDERATION/protocol_types", options))).protocol_types;
}

/** The type of a protocol's settings, or of a protocol without any; `undefined` if it is not known. */
export function typeOf(
  types: readonly ProtocolType[],
  settings: { readonly type: string } | undefined,
): ProtocolType | undefined {
  return types.find((each) => (settings === undefined ? each.is_default : each.type === settings.type));
}
