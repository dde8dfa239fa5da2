/** The thread that reads SAML messages: its exports are the pool's tasks. */
import { limitHeapGrowth } from "../../../platform/heap-growth.js";
import type { LogoutMessage, LogoutTask } from "../../logout/logout-message.js";
import { samlReader, toOutcome, type ResponseTask } from "../saml-reader.js";

limitHeapGrowth();

export const readResponse = (task: ResponseTask) => toOutcome(() => samlReader.readResponse(task));
export const readLogoutIssuer = (message: LogoutMessage) =>
  toOutcome(() => samlReader.readLogoutIssuer(message));
export const readLogout = (task: LogoutTask) => toOutcome(() => samlReader.readLogout(task));
