/** Generators of random ids, passed as arguments. */
import { randomUUID } from "node:crypto";

/** Returns a new, unique id. */
export type NewId = () => string;

/** Ids of resources: 32 hexadecimal characters. */
export const newId: NewId = () => randomUUID().replaceAll("-", "");

/** `req-` and a UUID, for the header `x-openstack-request-id`. */
export const newRequestId: NewId = () => `req-${randomUUID()}`;
