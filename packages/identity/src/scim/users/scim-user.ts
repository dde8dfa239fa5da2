/** A pushed user: what SCIM says of it, what is stored, and its resource. */
import { uniqueIdOf } from "../../federation/mapped/mapped-user.js";
import { nameFault, normalizeName } from "../../platform/text/name-characters.js";
import {
  uniqueKeyOf,
  type ListedProvisionedUser,
  type ProvisionedUser,
} from "../../users/federated/provisioned-user-store.js";
import { USER_SCHEMA, USER_TYPE } from "../schema/scim-schemas.js";
import type { ScimObject } from "../schema/scim-attribute.js";
import { etagOf } from "../scim-changes.js";
import { ScimValueError } from "../scim-errors.js";
import type { ScimProvider } from "../scim-provider.js";

const MAX_CHARACTERS = 255;
/** Of all attributes, as JSON. */
const MAX_ATTRIBUTES_LENGTH = 32_768;

/** What a client wants a user to be. */
export interface DesiredScimUser extends Pick<
  ProvisionedUser,
  "userName" | "externalId" | "attributes" | "uniqueKey"
> {
  /** The user's id at logins, percent-encoded as theirs. */
  readonly uniqueId: string;
  /** The name in this service. */
  readonly name: string;
  readonly email: string | undefined;
  /** `undefined` if the client does not say. */
  readonly active: boolean | undefined;
}

/** @throws {ScimValueError} */
export function readDesiredUser(resource: ScimObject, { scimUniqueId }: ScimProvider): DesiredScimUser {
  const {
    userName,
    externalId = null,
    active,
    ...attributes
  } = resource as {
    readonly userName?: string;
    readonly externalId?: string | null;
    readonly active?: boolean;
  };
  if (userName === undefined) throw new ScimValueError("userName is required.");
  const name = normalizeName(userName);
  requireUsable("userName", name);
  if (externalId !== null) requireUsable("externalId", externalId);
  const unique = scimUniqueId === "userName" ? name : externalId;
  if (unique === null)
    throw new ScimValueError("externalId is required: the identity provider's users are identified by it.");
  const uniqueId = uniqueIdOf(unique);
  if (uniqueId.length > MAX_CHARACTERS)
    throw new ScimValueError(`${scimUniqueId} is too long for an id: ${uniqueId.length} characters encoded.`);
  if (JSON.stringify(attributes).length > MAX_ATTRIBUTES_LENGTH)
    throw new ScimValueError(`The attributes have more than ${MAX_ATTRIBUTES_LENGTH} characters.`);
  const uniqueKey = uniqueKeyOf(scimUniqueId, unique);
  return { userName, externalId, attributes, uniqueKey, uniqueId, name, email: emailOf(attributes), active };
}

function requireUsable(what: string, text: string): void {
  const fault =
    text === ""
      ? "is empty"
      : text.length > MAX_CHARACTERS
        ? `has more than ${MAX_CHARACTERS} characters`
        : nameFault(text);
  if (fault !== undefined) throw new ScimValueError(`${what} ${fault}.`);
}

/** The primary address, or the first one. */
function emailOf(attributes: ScimObject): string | undefined {
  const emails = (attributes["emails"] ?? []) as readonly {
    readonly value?: string;
    readonly primary?: boolean;
  }[];
  const email = (emails.find(({ primary }) => primary === true) ?? emails[0])?.value;
  return email !== undefined && email.length <= MAX_CHARACTERS && nameFault(email) === undefined
    ? email
    : undefined;
}

/** The resource without what the service adds: what operations of a PATCH change. */
export function plainResource({
  userName,
  externalId,
  attributes,
  enabled,
}: Pick<ListedProvisionedUser, "userName" | "externalId" | "attributes" | "enabled">): ScimObject {
  return { userName, ...(externalId !== null && { externalId }), active: enabled, ...attributes };
}

/** @param location The address of the resource. */
export function userResource(user: ListedProvisionedUser, location: string): ScimObject {
  const { userName: _, externalId, ...rest } = plainResource(user);
  const extensions = USER_TYPE.extensions.flatMap(({ id }) => (user.attributes[id] === undefined ? [] : id));
  return {
    schemas: [USER_SCHEMA.id, ...extensions],
    id: user.userId,
    ...(externalId !== undefined && { externalId }),
    userName: user.userName,
    ...rest,
    meta: metaOf(USER_TYPE.name, user, location),
  };
}

export function metaOf(
  resourceType: string,
  { createdAt, updatedAt, version }: Pick<ProvisionedUser, "createdAt" | "updatedAt" | "version">,
  location: string,
) {
  return {
    resourceType,
    created: new Date(createdAt).toISOString(),
    lastModified: new Date(updatedAt).toISOString(),
    location,
    version: etagOf(version),
  };
}
