/** The fields of the settings form, and the settings that they stand for. */
import type { SettingsType } from "./provider-kinds.ts";

export interface SettingsValues {
  issuer: string;
  clientId: string;
  clientSecret: string;
  audiences: string;
  metadataUrl: string;
  metadata: string;
  allowSha1: boolean;
  allowMissingAudience: boolean;
}

type Settings = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Of stored settings; empty without. */
export function valuesOf(settings: Settings = {}): SettingsValues {
  const { audiences } = settings;
  return {
    issuer: text(settings["issuer"]),
    clientId: text(settings["client_id"]),
    clientSecret: "",
    audiences: Array.isArray(audiences) ? audiences.join(" ") : "",
    metadataUrl: text(settings["idp_metadata_url"]),
    metadata: text(settings["idp_metadata_xml"]),
    allowSha1: settings["allow_sha1"] === true,
    allowMissingAudience: settings["allow_missing_audience"] === true,
  };
}

/** What is wrong with the fields, before the service is asked. */
export function faultsOf(
  type: SettingsType,
  values: SettingsValues,
): Partial<Record<keyof SettingsValues, string>> {
  if (type === "saml2") {
    const [hasUrl, hasFile] = [values.metadataUrl.trim() !== "", values.metadata.trim() !== ""];
    if (hasUrl && hasFile)
      return { metadata: "Expected the address or the metadata itself, not both: empty one of them." };
    return hasUrl || hasFile
      ? {}
      : { metadataUrl: "Give the address of the provider's metadata, or the metadata itself." };
  }
  return {
    ...(isWebAddress(values.issuer)
      ? {}
      : { issuer: "Expected an address such as https://idp.example.org." }),
    ...(values.clientId === ""
      ? { clientId: "Expected the client id that the provider gave to this service." }
      : {}),
  };
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\/[^\s]+$/.test(value);
}

/** Settings that the form may leave empty. */
const OPTIONAL: Readonly<Record<SettingsType, readonly string[]>> = {
  openid: ["audiences"],
  saml2: ["idp_metadata_url", "idp_metadata_xml"],
};

/**
 * The settings to store. An empty secret is left out: the stored one is kept.
 *
 * @param stored The settings that are changed: what was cleared is null, as the service keeps what a change leaves out.
 */
export function settingsOf(type: SettingsType, values: SettingsValues, stored: Settings = {}): Settings {
  const given = givenSettings(type, values);
  const cleared = OPTIONAL[type].filter((name) => name in stored && !(name in given));
  return { ...given, ...Object.fromEntries(cleared.map((name) => [name, null])) };
}

function givenSettings(type: SettingsType, values: SettingsValues): Settings {
  if (type === "saml2")
    return {
      type,
      ...(values.metadataUrl.trim() === "" ? {} : { idp_metadata_url: values.metadataUrl.trim() }),
      ...(values.metadata.trim() === "" ? {} : { idp_metadata_xml: values.metadata }),
      allow_sha1: values.allowSha1,
      allow_missing_audience: values.allowMissingAudience,
    };
  const audiences = values.audiences.split(/\s+/).filter((each) => each !== "");
  return {
    type,
    issuer: values.issuer,
    client_id: values.clientId,
    ...(values.clientSecret === "" ? {} : { client_secret: values.clientSecret }),
    ...(audiences.length === 0 ? {} : { audiences }),
  };
}

/** The remote id that assertions will carry: the issuer, or the entity ID in the metadata; `undefined` if it is not known here. */
export function remoteIdOf(type: SettingsType, values: SettingsValues): string | undefined {
  if (type === "openid") return values.issuer;
  return /<(?:[\w-]+:)?EntityDescriptor[^>]*\sentityID=["']([^"']+)["']/.exec(values.metadata)?.[1];
}

export interface SettingChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** What saving changes. Secrets are named, not shown. */
export function settingChanges(stored: Settings, wanted: Settings): SettingChange[] {
  const names = [...new Set([...Object.keys(stored), ...Object.keys(wanted)])].filter(
    (name) => name !== "secrets_set",
  );
  return names.flatMap((name) => {
    if (name === "client_secret") return [{ name, before: "stored, not shown", after: "a new one" }];
    if (!(name in wanted)) return [];
    // A switch that is not set is off.
    const isSwitch = typeof wanted[name] === "boolean";
    const [before, after] = [shown(stored[name] ?? (isSwitch ? false : undefined)), shown(wanted[name])];
    return before === after ? [] : [{ name, before, after }];
  });
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "not set";
  const whole = typeof value === "string" ? value : JSON.stringify(value);
  return whole.length > 120 ? `${whole.slice(0, 120)}… (${whole.length} characters)` : whole;
}
