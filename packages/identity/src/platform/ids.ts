/** Unguessable ids. Their generator is passed as an argument. */
import { randomUUID } from "node:crypto";

/** Generates a unique id. */
export type NewId = () => string;

/** 32 hexadecimal characters, for resources. */
export const newId: NewId = () => randomUUID().replaceAll("-", "");

/** `req-` and a UUID, for the header `x-openstack-request-id`. */
export const newRequestId: NewId = () => `req-${randomUUID()}`;
