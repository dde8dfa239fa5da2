/** The options of a directory that most need, as a form; the others are JSON. */
import type { RecordField, RecordValues } from "../../ui/forms/record-fields.ts";

export type Options = Readonly<Record<string, unknown>>;

const text = (key: string, label: string, hint?: string): RecordField => ({
  key,
  kind: "text",
  label,
  ...(hint !== undefined && { hint }),
});

/** Keys are the names of options of the group `ldap`. */
export const DIRECTORY_FIELDS: readonly RecordField[] = [
  {
    ...text("url", "Servers", "Such as ldaps://ldap.example.org; several are separated by commas."),
    required: true,
  },
  { key: "use_tls", kind: "check", label: "STARTTLS", hint: "For ldap://. Certificates are verified." },
  text(
    "tls_cacertfile",
    "Certificate authorities",
    "A file on the service's machine; the system's if empty.",
  ),
  text("user", "Account of the service", "A DN; anonymous if empty."),
  {
    key: "password",
    kind: "password",
    label: "Its password",
    hint: "Stored sealed. Leave it empty to keep it.",
  },
  text("suffix", "Suffix", "Such as dc=example,dc=org."),
  {
    key: "query_scope",
    kind: "select",
    label: "Depth",
    options: [
      { value: "", text: "one level" },
      { value: "sub", text: "all levels" },
    ],
  },
  text("user_tree_dn", "Users below"),
  text("user_objectclass", "Class of users", "inetOrgPerson if empty; user in Active Directory."),
  text("user_id_attribute", "Attribute of their ids", "cn if empty; uid, or objectGUID in Active Directory."),
  text(
    "user_name_attribute",
    "Attribute of their names",
    "sn if empty; uid, or sAMAccountName in Active Directory.",
  ),
  text("user_filter", "Filter of users", "Such as (memberOf=cn=cloud,dc=example,dc=org)."),
  text("user_enabled_attribute", "Attribute that enables them", "userAccountControl in Active Directory."),
  text("user_enabled_mask", "Its bit for disabled", "2 in Active Directory."),
  text("user_enabled_default", "Its default", "512 in Active Directory."),
  text("group_tree_dn", "Groups below"),
  text("group_objectclass", "Class of groups", "groupOfNames if empty; group in Active Directory."),
  text("group_id_attribute", "Attribute of their ids", "cn if empty."),
  text("group_name_attribute", "Attribute of their names", "ou if empty; cn in most directories."),
  text("group_member_attribute", "Attribute of members", "member if empty."),
  { key: "others", kind: "area", label: "Other options", hint: "As JSON, by their names in Keystone." },
];

const NAMED: ReadonlySet<string> = new Set(
  DIRECTORY_FIELDS.map(({ key }) => key).filter((key) => key !== "others"),
);

export function directoryValues(stored: Options): RecordValues {
  const named = DIRECTORY_FIELDS.filter(({ key }) => key !== "others").map(({ key, kind }) => {
    const value = stored[key];
    if (kind === "check") return [key, value === true || String(value).toLowerCase() === "true"] as const;
    return [key, typeof value === "string" || typeof value === "number" ? `${value}` : ""] as const;
  });
  const others = Object.fromEntries(Object.entries(stored).filter(([key]) => !NAMED.has(key)));
  const shown = Object.keys(others).length === 0 ? "" : JSON.stringify(others, undefined, 2);
  return { ...Object.fromEntries(named), others: shown };
}

/**
 * The options that a form names: what is empty is left out, a password that is empty too.
 *
 * @throws {SyntaxError} The other options are no JSON.
 */
export function directoryOptions({ others = "", ...values }: RecordValues): Options {
  const named = Object.entries(values).filter(([, value]) => value !== "" && value !== false);
  const rest = typeof others === "string" && others.trim() !== "" ? (JSON.parse(others) as Options) : {};
  return { ...rest, ...Object.fromEntries(named) };
}
