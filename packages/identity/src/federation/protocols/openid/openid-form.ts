/** What the console shows of OpenID Connect. */
import { COMMON_FIELDS, moreField, type ProtocolForm } from "../settings-form.js";
import { OPENID_KINDS } from "./openid-kinds.js";

export const OPENID_FORM: ProtocolForm = {
  fields: [
    {
      name: "issuer",
      label: "Issuer",
      kind: "address",
      required: true,
      help: "As the provider's discovery document spells it.",
      expected: "Expected an address such as https://idp.example.org.",
    },
    {
      name: "client_id",
      label: "Client id",
      kind: "text",
      required: true,
      expected: "Expected the client id that the provider gave to this service.",
    },
    { name: "client_secret", label: "Client secret", kind: "secret" },
    {
      name: "scopes",
      label: "Scopes",
      kind: "words",
      help: "Requested by browsers in addition to openid, separated by spaces; profile and email if empty.",
    },
    {
      name: "audiences",
      label: "Audiences",
      kind: "words",
      help: "Accepted in access tokens in addition to the client id; separated by spaces.",
    },
    moreField("switch", "logout", "Logouts at the provider end tokens, and the other way round"),
    moreField("choice", "userinfo", "Userinfo", {
      options: ["as_needed", "always"],
      help: "Whether each login needs it, or only those whose token lacks claims.",
    }),
    moreField("words", "acr_values", "Classes of authentication (acr)", { help: "Any if empty." }),
    moreField("number", "max_age", "Seconds since the user's authentication", {
      help: "At most; any if empty.",
    }),
    moreField("choice", "claims_format", "Format of claims", { options: ["plain", "mod_auth_openidc"] }),
    moreField("words", "claims_as_keys", "Claims that are objects", {
      help: "They stand for the list of their keys.",
    }),
    moreField("choice", "client_auth_method", "How the client authenticates", {
      options: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    }),
    moreField("key", "client_private_key", "Private key of the client", {
      help: "In PEM, instead of the secret.",
    }),
    moreField("certificates", "ca_certificates", "Certificate authorities", {
      help: "In PEM: they vouch for the provider's addresses, instead of the public ones.",
    }),
    moreField("words", "access_token_clients", "Clients whose access tokens are accepted", {
      help: "Whatever the audience: they obtain tokens for this service only.",
    }),
    moreField("address", "token_info_url", "Token information", {
      placeholder: "https://oauth2.googleapis.com/tokeninfo",
      help: "Instead of introspection.",
    }),
    moreField("words", "token_kinds", "Kinds of tokens", {
      help: "access_token, workload or both; access_token if empty.",
    }),
    moreField("json", "conditions", "Conditions on workloads", {
      placeholder: '[{"claim": "repository", "values": ["acme/site"]}]',
    }),
    moreField("address", "jwks_uri", "Keys of workloads", { placeholder: "https://ci.example.org/keys" }),
    moreField("json", "jwks", "Keys of workloads, themselves", { placeholder: '{"keys": []}' }),
    moreField("switch", "allow_pull_requests", "Jobs of pull requests may log in"),
    moreField("yes-no", "persist_user", "Workloads become stored users"),
    moreField("number", "max_users", "Users of workloads, at most"),
    moreField("number", "unused_days", "Days until an unused user of a workload is deleted"),
    ...COMMON_FIELDS,
  ],
  choices: [],
  register: {
    redirect_uri: "Redirect URI",
    backchannel_logout_uri: "Back-channel logout URI",
    post_logout_redirect_uri: "Post-logout redirect URI",
  },
  kinds: OPENID_KINDS,
};
