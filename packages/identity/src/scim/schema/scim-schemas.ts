/** The attributes of users and groups that are kept (RFC 7643, sections 4.1 to 4.3). All others are ignored. */
import type { ScimAttribute, ScimResourceType, ScimSchema } from "./scim-attribute.js";

const text = (name: string, description: string): ScimAttribute => ({ name, type: "string", description });

const PLURAL_PARTS: readonly ScimAttribute[] = [
  text("value", "The value"),
  text("display", "A name for people"),
  text("type", "Such as work or home"),
  { name: "primary", type: "boolean", description: "Whether it is the preferred one" },
];

const plural = (name: string, description: string): ScimAttribute => ({
  name,
  type: "complex",
  description,
  isMultiValued: true,
  subAttributes: PLURAL_PARTS,
});

export const USER_SCHEMA: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "A user of the identity provider",
  attributes: [
    {
      ...text("userName", "The name by which the provider knows the user"),
      isRequired: true,
      isUnique: true,
    },
    {
      name: "name",
      type: "complex",
      description: "The parts of the name",
      subAttributes: [
        text("formatted", "The whole name"),
        text("familyName", "The family name"),
        text("givenName", "The given name"),
        text("middleName", "The middle name"),
        text("honorificPrefix", "A title before the name"),
        text("honorificSuffix", "A title after the name"),
      ],
    },
    text("displayName", "The name for people"),
    text("nickName", "The casual name"),
    text("title", "The title at work"),
    text("userType", "The relation to the organization"),
    text("preferredLanguage", "The preferred languages"),
    text("locale", "The locale"),
    text("timezone", "The time zone"),
    { name: "active", type: "boolean", description: "Whether the user may log in" },
    plural("emails", "E-mail addresses"),
    plural("phoneNumbers", "Phone numbers"),
  ],
};

export const ENTERPRISE_SCHEMA: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  name: "EnterpriseUser",
  description: "The user in the organization",
  attributes: [
    text("employeeNumber", "The number of the employee"),
    text("costCenter", "The cost center"),
    text("organization", "The organization"),
    text("division", "The division"),
    text("department", "The department"),
    {
      name: "manager",
      type: "complex",
      description: "The manager",
      subAttributes: [text("value", "The id of the manager"), text("displayName", "The name of the manager")],
    },
  ],
};

export const GROUP_SCHEMA: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "A group of users of the identity provider",
  attributes: [
    { ...text("displayName", "The name of the group"), isRequired: true, isUnique: true },
    {
      name: "members",
      type: "complex",
      description: "Users of the same provider",
      isMultiValued: true,
      subAttributes: [
        { ...text("value", "The id of the user"), isCaseExact: true, isImmutable: true },
        { name: "$ref", type: "reference", description: "The address of the user", isImmutable: true },
        { ...text("display", "The name of the user"), isReadOnly: true },
        { ...text("type", "User"), isReadOnly: true },
      ],
    },
  ],
};

export const USER_TYPE: ScimResourceType = {
  name: "User",
  description: "Users of the identity provider",
  endpoint: "/Users",
  schema: USER_SCHEMA,
  extensions: [ENTERPRISE_SCHEMA],
};

export const GROUP_TYPE: ScimResourceType = {
  name: "Group",
  description: "Groups of users of the identity provider",
  endpoint: "/Groups",
  schema: GROUP_SCHEMA,
  extensions: [],
};
