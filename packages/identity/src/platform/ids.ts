/** Ids that nobody can guess, as an argument: nothing makes one up by itself. */
import { randomUUID } from "node:crypto";

/** Makes an id that has never been given before. */
export type NewId = () => string;

/** 32 hexadecimal characters, as resources have them. */
export const newId: NewId = () => randomUUID().replaceAll("-", "");

/** `req-` and a UUID, as each answer carries it in `x-openstack-request-id`. */
export const newRequestId: NewId = () => `req-${randomUUID()}`;
