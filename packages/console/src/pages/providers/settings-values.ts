/** The values of the settings form, which the service describes, and the settings that they stand for. */
import type { ProtocolForm, SettingsField } from "./protocol-types.ts";

/** By the names of the fields: a text, or the state of a switch. */
export type SettingsValues = Readonly<Record<string, string | boolean>>;

type Settings = Readonly<Record<string, unknown>>;

/** Of stored settings; empty without. */
export function valuesOf({ fields }: ProtocolForm, settings: Settings = {}): SettingsValues {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field, settings[field.name])]));
}

function valueOf({ kind }: SettingsField, stored: unknown): string | boolean {
  if (kind === "switch") return stored === true;
  if (isSecret(kind)) return "";
  if (stored === undefined || stored === null) return "";
  if (kind === "json") return JSON.stringify(stored, undefined, 2);
  if (Array.isArray(stored)) return stored.join(kind === "certificates" ? "\n" : " ");
  return typeof stored === "string" || typeof stored === "number" || typeof stored === "boolean"
    ? `${stored}`
    : "";
}

/** Stored sealed, and never shown. */
export const isSecret = (kind: SettingsField["kind"]): boolean => kind === "secret" || kind === "key";

/** What is wrong with the fields, before the service is asked. */
export function faultsOf(
  { fields, choices }: ProtocolForm,
  values: SettingsValues,
): Readonly<Record<string, string>> {
  const wrong = fields.flatMap(({ name, kind, required = false, expected }) => {
    const value = textOf(values[name]);
    const isWrong = value === "" ? required : !isWritten(kind, value);
    const text = expected ?? EXPECTED[kind];
    return text !== undefined && isWrong ? [[name, text] as const] : [];
  });
  const chosen = choices.flatMap(({ fields: names, none, several }) => {
    const { length } = names.filter((name) => textOf(values[name]) !== "");
    if (length === 1) return [];
    return [[(length === 0 ? names[0] : names.at(-1)) ?? "", length === 0 ? none : several] as const];
  });
  return Object.fromEntries([...wrong, ...chosen]);
}

const EXPECTED: Partial<Record<SettingsField["kind"], string>> = {
  number: "Expected a whole number.",
  json: "Expected JSON.",
  certificates: "Expected certificates in PEM, which begin with -----BEGIN CERTIFICATE-----.",
};

/** Whether a text is one of the kind. The service checks its meaning. */
function isWritten(kind: SettingsField["kind"], text: string): boolean {
  if (kind === "address") return /^https?:\/\/[^\s]+$/.test(text);
  if (kind === "number") return /^\d{1,15}$/.test(text);
  if (kind === "certificates") return text.startsWith("-----BEGIN ");
  if (kind !== "json") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const textOf = (value: string | boolean | undefined): string =>
  typeof value === "string" ? value.trim() : "";

/**
 * The settings to store. An empty secret is left out: the stored one is kept.
 *
 * @param stored The settings that are changed: what was cleared is null, as the service keeps what a change leaves out.
 */
export function settingsOf(
  { type, form }: { readonly type: string; readonly form: ProtocolForm },
  values: SettingsValues,
  stored: Settings = {},
): Settings {
  const given = form.fields.map(
    (field) => [field.name, givenValue(field, values[field.name], stored)] as const,
  );
  const kept = given.flatMap(([name, value]) => {
    if (value !== undefined) return [[name, value] as const];
    return name in stored ? [[name, null] as const] : [];
  });
  return { type, ...Object.fromEntries(kept) };
}

/** `undefined` for an empty field. */
function givenValue(
  { name, kind, more = false }: SettingsField,
  value: string | boolean | undefined,
  stored: Settings,
): unknown {
  // What few need is left out where it is off.
  if (kind === "switch") return value === true || !more || name in stored ? value === true : undefined;
  const text = textOf(value);
  if (text === "") return undefined;
  if (kind === "words") return text.split(/\s+/);
  if (kind === "number") return Number(text);
  if (kind === "yes-no") return text === "true";
  if (kind === "json") return JSON.parse(text);
  if (kind === "certificates") return text.split(/(?=-----BEGIN )/).map((pem) => pem.trim());
  return kind === "address" || kind === "choice" ? text : value;
}

export interface SettingChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** What saving changes. Secrets are named, not shown. */
export function settingChanges(
  { fields }: ProtocolForm,
  stored: Settings,
  wanted: Settings,
): SettingChange[] {
  const secrets = new Set(fields.filter(({ kind }) => isSecret(kind)).map(({ name }) => name));
  const names = [...new Set([...Object.keys(stored), ...Object.keys(wanted)])].filter(
    (name) => name !== "secrets_set",
  );
  return names.flatMap((name) => {
    if (secrets.has(name)) return [{ name, before: "stored, not shown", after: "a new one" }];
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
