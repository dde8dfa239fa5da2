/** The login protocols that settings may be of, in the order of the API's schemas. */
import type { ForwardingSettings } from "./forwarded/forwarded-assertion.js";
import { createForwardedProtocol } from "./forwarded/index.js";
import { openIdProtocol } from "./openid/index.js";
import type { ProtocolType } from "./protocol-type.js";
import { createSaml2Protocol } from "./saml2/index.js";
import type { SamlReader } from "./saml2/saml-reader.js";

export interface ProtocolParts {
  /** Reads SAML: in threads, where a process serves. */
  readonly samlReader: SamlReader;
  /** The trusted front end; `undefined` without one. */
  readonly frontEnd: ForwardingSettings | undefined;
}

export const createProtocols = ({ samlReader, frontEnd }: ProtocolParts): readonly ProtocolType[] => [
  openIdProtocol,
  createSaml2Protocol(samlReader),
  createForwardedProtocol(frontEnd),
];
