/** Service providers as the API has them, and the fields of their forms. */
import type { operations } from "../../api/client.ts";
import type { RecordField, RecordValues } from "../../ui/forms/record-fields.ts";

export type ServiceProvider =
  operations["get_v3_OS_FEDERATION_service_providers"]["responses"][200]["content"]["application/json"]["service_providers"][number];

/** @param isNew Whether its id is still to be chosen. */
export const serviceProviderFields = (isNew: boolean): readonly RecordField[] => [
  {
    key: "id",
    kind: "text",
    label: "Service provider id",
    required: true,
    maxLength: 64,
    fixed: !isNew,
    hint: "Clients choose the other cloud by it. It can't be changed later.",
  },
  {
    key: "auth_url",
    kind: "text",
    label: "Login address",
    required: true,
    maxLength: 225,
    hint: "Of the protocol at the other cloud: https://KEYSTONE/v3/OS-FEDERATION/identity_providers/…/protocols/…/auth",
  },
  {
    key: "sp_url",
    kind: "text",
    label: "Address for assertions",
    required: true,
    maxLength: 225,
    hint: "The other cloud's ACS URL for ECP: of a Keystone with mod_shib, https://KEYSTONE/Shibboleth.sso/SAML2/ECP",
  },
  { key: "description", kind: "text", label: "Description" },
  {
    key: "relay_state_prefix",
    kind: "text",
    label: "Prefix of the relay state",
    hint: "ss:mem: for mod_shib, and as a rule.",
  },
  {
    key: "enabled",
    kind: "check",
    label: "Enabled",
    hint: "Tokens list it, and users get assertions for it.",
  },
];

export const serviceProviderValues = (of: ServiceProvider | undefined): RecordValues => ({
  id: of?.id ?? "",
  auth_url: of?.auth_url ?? "",
  sp_url: of?.sp_url ?? "",
  description: of?.description ?? "",
  relay_state_prefix: of?.relay_state_prefix ?? "ss:mem:",
  enabled: of?.enabled ?? true,
});

/** An empty description is none. */
export const storedValues = (values: RecordValues) => ({
  ...values,
  ...(values["description"] === "" ? { description: null } : {}),
});
