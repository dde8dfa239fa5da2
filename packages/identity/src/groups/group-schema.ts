/** Schemas of groups in requests and responses. */
import { Type, type Static } from "typebox";

import {
  bodyOf,
  Id,
  listQueryOf,
  Name,
  nullable,
  openObject,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";

const description = Type.Optional(nullable(Type.String()));

export const NewGroup = bodyOf(
  "group",
  openObject({ name: Name, domain_id: Type.Optional(Id), description }),
);
/** A new group whose domain is known. */
export type NewGroup = Static<typeof NewGroup>["group"] & { readonly domain_id: string };

export const GroupChange = bodyOf(
  "group",
  openObject({ name: Type.Optional(Name), description }, { minProperties: 1 }),
);
export type GroupChange = Static<typeof GroupChange>["group"];

export const GroupListQuery = listQueryOf({ domain_id: Id, name: Name });

export const GroupView = openObject({
  id: Type.String(),
  name: Type.String(),
  domain_id: Type.String(),
  description: nullable(Type.String()),
  links: SelfLink,
});
