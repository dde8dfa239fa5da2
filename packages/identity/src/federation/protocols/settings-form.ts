/**
 * What the console shows of a protocol: the form of its settings, words for what it reads and registers, and kinds of providers to start
 * from. The API serves it as it is, so that the console knows no protocol.
 */
import { Type, type Static } from "typebox";

import { series } from "../../platform/http/validation/schema-parts.js";

/** A control of the form, for a member of the settings. */
const Field = Type.Object({
  name: Type.String(),
  label: Type.String(),
  /**
   * `words` is a list, separated by spaces; `document` a long text that a file may fill; `certificates` a list of them in PEM, one after
   * the other; a `choice` is one of the options or none, `yes-no` true, false or none; a `secret` and a secret `key` in PEM that are left
   * empty stay; `json` is any value, as JSON.
   */
  kind: Type.Enum([
    "text",
    "address",
    "secret",
    "key",
    "words",
    "document",
    "certificates",
    "switch",
    "number",
    "choice",
    "yes-no",
    "json",
  ]),
  /** Of a choice. */
  options: Type.Optional(series(Type.String())),
  /** Whether few need it: such fields stand together, closed. */
  more: Type.Optional(Type.Boolean()),
  help: Type.Optional(Type.String()),
  placeholder: Type.Optional(Type.String()),
  required: Type.Optional(Type.Boolean()),
  /** What is said of a value that is missing, or no address; without it, the service decides. */
  expected: Type.Optional(Type.String()),
  /** The types of files that may fill a document, as HTML has them. */
  files: Type.Optional(Type.String()),
  /** The legend above switches that follow each other. */
  group: Type.Optional(Type.String()),
});
export type SettingsField = Static<typeof Field>;

/** A kind of provider that the protocol is used with: what it is called, and settings and rules to start from. */
const ProviderKind = Type.Object({
  id: Type.String(),
  title: Type.String(),
  /** In a few words: how users log in through it. */
  about: Type.String(),
  /** The address that its settings need, as this kind has it. */
  example: Type.String(),
  /** Where the values of this service go, at the provider. */
  register: Type.String(),
  /** The rules of a new mapping. */
  rules: series(Type.Unknown()),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** Whether it stands for any provider, so that it has no name. */
  is_any: Type.Boolean(),
});
export type ProviderKind = Static<typeof ProviderKind>;

export const ProtocolForm = Type.Object({
  fields: series(Field),
  /** Fields of which exactly one is filled, and what is said otherwise. */
  choices: series(
    Type.Object({ fields: series(Type.String()), none: Type.String(), several: Type.String() }),
  ),
  /** Where the remote id of assertions is found before a login: the value of a field, or what a pattern finds in it. */
  remote_id: Type.Optional(Type.Object({ field: Type.String(), pattern: Type.Optional(Type.String()) })),
  /** What the values to register at the provider are called. */
  register: Type.Record(Type.String(), Type.String()),
  kinds: series(ProviderKind),
});
export type ProtocolForm = Static<typeof ProtocolForm>;

/** A field that few need. */
export const moreField = (
  kind: SettingsField["kind"],
  name: string,
  label: string,
  others: Omit<SettingsField, "kind" | "name" | "label" | "more"> = {},
): SettingsField => ({ name, label, kind, more: true, ...others });

/** Fields of what settings of every type have. */
export const COMMON_FIELDS: readonly SettingsField[] = [
  moreField("text", "attribute_prefix", "Prefix of attributes", {
    help: "Before the names that mapping rules see.",
  }),
  moreField(
    "switch",
    "allow_loopback_websso",
    "Programs on the user's computer may receive tokens by a browser",
  ),
  moreField("text", "sign_in_label", "Name on the sign-in page", {
    help: "The provider's description if empty.",
  }),
  moreField("number", "sign_in_order", "Place on the sign-in page", { help: "Smaller numbers come first." }),
  moreField("text", "sign_in_icon", "Icon on the sign-in page", {
    help: "A small picture, as a data address.",
    placeholder: "data:image/svg+xml;base64,…",
  }),
  moreField("switch", "sign_in_hidden", "Not on the sign-in page"),
];

const DEFAULT_DOMAIN = { name: "Default" };

/** Each value of an attribute is a group that exists in the default domain. */
export const groupRule = (attribute: string) => ({
  remote: [{ type: attribute }],
  local: [{ groups: "{0}", domain: DEFAULT_DOMAIN }],
});

export const nameRule = (attribute: string) => ({
  remote: [{ type: attribute }],
  local: [{ user: { name: "{0}" } }],
});
