/**
 * Settings of logins through a protocol: members that Keystone does not have, since it relies on modules of a web server.
 *
 * Each type of settings is that of a login protocol, which `federation/protocols` lists. Secrets are write-only: a view lists the names
 * of those that are set.
 */
import { Type, type Static, type TProperties, type TSchema } from "typebox";

import { nullable, openObject } from "../../platform/http/validation/schema-parts.js";
import { createSchemaCheck } from "../../platform/http/validation/validation.js";
import { ProtocolSettingsError } from "../identity-provider-errors.js";
import { privatePart } from "./private-parts.js";

/** How the console's sign-in offers the protocol. */
const SIGN_IN = {
  /** The provider's description or id, if left out. */
  sign_in_label: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** Smaller ones come first, then those without. */
  sign_in_order: Type.Optional(Type.Integer({ minimum: 0, maximum: 9999 })),
  sign_in_icon: Type.Optional(
    Type.String({
      pattern: "^data:image/(?:png|svg\\+xml|webp);base64,[A-Za-z0-9+/]+={0,2}$",
      maxLength: 16_384,
    }),
  ),
  sign_in_hidden: Type.Optional(Type.Boolean()),
};

type SignInSettings = { readonly [Name in keyof typeof SIGN_IN]?: Static<(typeof SIGN_IN)[Name]> };

/** Settings without their secrets: what those of every type have. The protocol of the type knows the others. */
export interface PublicSettings extends SignInSettings {
  readonly type: string;
  /** Whether WebSSO gives tokens to programs on the user's computer, such as keystoneauth's `v3websso`. */
  readonly allow_loopback_websso?: boolean;
  /** Whether a logout at the provider ends tokens, and the other way round; types without logout lack it. */
  readonly logout?: boolean;
  /** The prefix of attribute names; types may lack it. */
  readonly attribute_prefix?: string;
}

/** Settings with their secrets, for logins. */
export type OpenedSettings = PublicSettings;

/** Settings as a request has them: with secrets, of which `null` deletes one. */
export type ProtocolSettingsDraft = PublicSettings;

/** A type of settings. */
export interface SettingsType<Settings extends PublicSettings = PublicSettings> {
  readonly type: string;
  /** Made by {@link settingsSchema}. */
  readonly schema: TSchema;
  /** The members that are secrets. */
  readonly secrets: readonly string[];
  /** The settings of protocols without settings: only of the default type. */
  readonly defaultSettings?: Settings;
  /** @throws {ProtocolSettingsError} The settings contradict themselves. */
  check(draft: Settings): void;
  /** Whether users log in with a browser. */
  logsBrowsersIn(settings: Settings): boolean;
}

/** The schema of a type's settings. */
export function settingsSchema<Kind extends string, Properties extends TProperties>(
  type: Kind,
  properties: Properties,
) {
  return Type.Object(
    // `secrets_set` is ignored: clients send back what they have read.
    {
      type: Type.Literal(type),
      /** Whether WebSSO gives tokens to programs on the user's computer, such as keystoneauth's `v3websso`. */
      allow_loopback_websso: Type.Optional(Type.Boolean()),
      ...SIGN_IN,
      ...properties,
      secrets_set: Type.Optional(Type.Array(Type.String())),
    },
    { additionalProperties: false },
  );
}

function propertiesOf(schema: TSchema): object {
  return "properties" in schema && typeof schema.properties === "object" ? (schema.properties ?? {}) : {};
}

export interface SplitSettings {
  readonly settings: PublicSettings;
  /** New values by name; `null` deletes a secret. */
  readonly secrets: ReadonlyMap<string, string | null>;
}

export type ProtocolSettings = ReturnType<typeof createProtocolSettings>;

/**
 * The schemas and rules of all types of settings.
 *
 * @param types In the order of the schemas.
 * @throws {TypeError} The name of a secret is that of a public member of another type, which would be sealed too.
 */
export function createProtocolSettings(types: readonly SettingsType[]) {
  const typeNames = types.map(({ type }) => type);
  const secretNames = types.flatMap(({ secrets }) => secrets);
  for (const { type, schema, secrets } of types)
    for (const name of secretNames)
      if (!secrets.includes(name) && Object.hasOwn(propertiesOf(schema), name))
        throw new TypeError(`settings of type ${type}: "${name}" is a secret of another type`);
  const draftSchema = Type.Unsafe<ProtocolSettingsDraft | null>(
    Type.Union([...types.map(({ schema }) => schema), Type.Null()]),
  );
  /** In responses: without secrets, with the names of the secrets that are set. */
  const viewSchema = openObject({
    type: Type.Enum([...typeNames]),
    secrets_set: Type.Array(Type.String()),
  });
  /** PATCH sends only the members that change. The merged settings are validated as a draft; this names the secrets, for messages without them. */
  const changeSchema = Type.Unsafe<ProtocolSettingsChange | null>(
    nullable(
      Type.Object(
        {
          type: Type.Optional(Type.Enum([...typeNames])),
          ...Object.fromEntries(
            secretNames.map((name) => [name, Type.Optional(nullable(Type.String({ writeOnly: true })))]),
          ),
        },
        {
          additionalProperties: true,
          description:
            "Members as in a PUT. Those left out stay, null removes one. With another type than the stored one, all are replaced.",
        },
      ),
    ),
  );
  const checkWhole = createSchemaCheck(Type.Object({ settings: draftSchema }));

  /** The type of a protocol with these settings, or without any; `undefined` for settings of another release. */
  const find = (settings: PublicSettings | null): SettingsType | undefined =>
    types.find(({ type }) => type === settingsOf(settings).type);

  /** Those of the default type, for a protocol without settings. */
  function settingsOf(settings: PublicSettings | null): PublicSettings {
    if (settings !== null) return settings;
    const [usual] = types.flatMap(({ defaultSettings }) => defaultSettings ?? []);
    if (usual === undefined) throw new TypeError("no protocol type has default settings");
    return usual;
  }

  return {
    types,
    find,
    settingsOf,
    draftSchema,
    viewSchema,
    changeSchema,

    /**
     * Splits settings into public ones and secrets.
     *
     * @throws {ProtocolSettingsError} The settings contradict themselves.
     */
    split(draft: ProtocolSettingsDraft): SplitSettings {
      const shown: Record<string, unknown> = { ...draft };
      const secrets = new Map<string, string | null>();
      for (const name of secretNames) {
        const value = shown[name];
        if (value !== undefined) secrets.set(name, value as string | null);
        delete shown[name];
      }
      delete shown["secrets_set"];
      const privateKey = privatePart(shown);
      if (privateKey !== undefined) throw new ProtocolSettingsError(`settings: ${privateKey}`);
      find(draft)?.check(draft);
      return { settings: { ...shown, type: draft.type }, secrets };
    },

    /**
     * The settings after a change. Secrets are as sent: `null` deletes one, and those left out are not among them.
     *
     * @throws {SchemaError} The merged settings are invalid.
     */
    merge(known: PublicSettings | null, change: ProtocolSettingsChange): ProtocolSettingsDraft {
      const { type = known?.type } = change;
      const merged = {
        ...(known?.type === type && known),
        ...change,
        ...(type !== undefined && { type }),
      };
      const settings = Object.fromEntries(
        Object.entries(merged).filter(([name, value]) => value !== null || secretNames.includes(name)),
      );
      const error = checkWhole({ settings });
      if (error !== undefined) throw error;
      return settings as unknown as ProtocolSettingsDraft;
    },
  };
}

/** Members of settings that change. */
export interface ProtocolSettingsChange {
  readonly type?: string;
  readonly [name: string]: unknown;
}
