/** Messages of SCIM's protocol, and the documents that describe what this service supports (RFC 7643, sections 5 to 7). */
import { MAX_COUNT } from "../scim-lists.js";
import {
  COMMON_ATTRIBUTES,
  type ScimAttribute,
  type ScimObject,
  type ScimResourceType,
  type ScimSchema,
} from "../schema/scim-attribute.js";
import {
  ENTERPRISE_SCHEMA,
  GROUP_SCHEMA,
  GROUP_TYPE,
  USER_SCHEMA,
  USER_TYPE,
} from "../schema/scim-schemas.js";

const PROTOCOL = "urn:ietf:params:scim:api:messages:2.0";
const CORE = "urn:ietf:params:scim:schemas:core:2.0";

export interface ScimPageFacts {
  readonly total: number;
  readonly startIndex: number;
}

/** The start of a list, to which its resources and `itemsPerPage` are added. */
export function listHead({ total, startIndex }: ScimPageFacts) {
  return { schemas: [`${PROTOCOL}:ListResponse`], totalResults: total, startIndex };
}

export function errorMessage(status: number, detail: string, scimType?: string) {
  return {
    schemas: [`${PROTOCOL}:Error`],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail,
  };
}

/** @param locationOf The address of a document below the provider's base URL. */
export function serviceProviderConfig(locationOf: (path: string) => string): ScimObject {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_COUNT },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer secret",
        description: "A secret that an administrator has created for the identity provider",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: locationOf("/ServiceProviderConfig") },
  };
}

export const RESOURCE_TYPES: readonly ScimResourceType[] = [USER_TYPE, GROUP_TYPE];
export const SCHEMAS: readonly ScimSchema[] = [USER_SCHEMA, GROUP_SCHEMA, ENTERPRISE_SCHEMA];

export function resourceTypeMessage(
  { name, description, endpoint, schema, extensions }: ScimResourceType,
  location: string,
): ScimObject {
  return {
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    description,
    endpoint,
    schema: schema.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: "ResourceType", location },
  };
}

export function schemaMessage(
  { id, name, description, attributes }: ScimSchema,
  location: string,
): ScimObject {
  const common =
    id === ENTERPRISE_SCHEMA.id ? [] : COMMON_ATTRIBUTES.filter((each) => each.name === "externalId");
  return {
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes: [...common, ...attributes].map(attributeMessage),
    meta: { resourceType: "Schema", location },
  };
}

function attributeMessage(attribute: ScimAttribute): ScimObject {
  const { name, type, description, subAttributes } = attribute;
  return {
    name,
    type,
    multiValued: attribute.isMultiValued ?? false,
    description,
    required: attribute.isRequired ?? false,
    ...(type === "string" && { caseExact: attribute.isCaseExact ?? false }),
    mutability: attribute.isReadOnly ? "readOnly" : attribute.isImmutable ? "immutable" : "readWrite",
    returned: attribute.isAlwaysReturned ? "always" : "default",
    uniqueness: attribute.isUnique ? "server" : "none",
    ...(type === "reference" && { referenceTypes: ["User"] }),
    ...(subAttributes !== undefined && { subAttributes: subAttributes.map(attributeMessage) }),
  };
}
