/** The thread that reads SAML responses: its exports are the pool's tasks. */
import { samlReader, toOutcome, type ResponseTask } from "../saml-reader.js";

export const readResponse = (task: ResponseTask) => toOutcome(() => samlReader.readResponse(task));
