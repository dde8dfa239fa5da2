/** The thread that reads SAML responses: its exports are the pool's tasks. */
import { limitHeapGrowth } from "../../../platform/heap-growth.js";
import { samlReader, toOutcome, type ResponseTask } from "../saml-reader.js";

limitHeapGrowth();

export const readResponse = (task: ResponseTask) => toOutcome(() => samlReader.readResponse(task));
