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

/** Attributes that logins usually have, by what they are for. */
const UsualAttributes = Type.Object({
  /** Never changes, and never passes to another user; without it, the name tells users apart. */
  user_id: Type.Optional(Type.String()),
  user_name: Type.String(),
  email: Type.Optional(Type.String()),
  /** Each value is a group. */
  groups: Type.Optional(Type.String()),
});
export type UsualAttributes = Static<typeof UsualAttributes>;

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
  /** The page about it in the documentation. */
  guide: Type.String(),
  /** The rules of a new mapping, until the first test login shows what comes. */
  attributes: UsualAttributes,
  /** Attributes of which rules have to require a value: logins without are those of strangers. */
  requires: series(Type.Object({ attribute: Type.String(), reason: Type.String() })),
  /** Names of fields that it does not need. */
  without: series(Type.String()),
  /** How a login is tested: in a browser, or by a token that is pasted. */
  tested_by: Type.Enum(["browser", "token"]),
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

/** What most kinds have in common. */
const USUAL_KIND = {
  requires: [],
  without: [],
  tested_by: "browser",
  settings: {},
  is_any: false,
} as const satisfies Partial<ProviderKind>;

type KindFacts = Omit<ProviderKind, keyof typeof USUAL_KIND | "guide"> &
  Partial<Pick<ProviderKind, keyof typeof USUAL_KIND>>;

/** A kind with a guide of its own, named as the kind if no other is named. */
export const providerKind = ({ guide, ...facts }: KindFacts & { readonly guide?: string }): ProviderKind => ({
  ...USUAL_KIND,
  guide: `docs/identity/providers/${guide ?? facts.id}.md`,
  ...facts,
});

/** A kind that stands for any provider of the protocol. */
export const anyProvider = (facts: KindFacts & { readonly guide: string }): ProviderKind => ({
  ...USUAL_KIND,
  ...facts,
  is_any: true,
});
