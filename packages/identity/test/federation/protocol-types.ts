/** The login protocols of the service, whose SAML is read in this thread, and that trusts no front end. */
import { createProtocols } from "../../src/federation/protocols/index.js";
import { samlReader } from "../../src/federation/protocols/saml2/saml-reader.js";

export const PROTOCOL_TYPES = createProtocols({ samlReader, frontEnd: undefined });
