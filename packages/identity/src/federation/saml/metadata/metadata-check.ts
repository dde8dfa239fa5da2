/** Metadata that an administrator sends: a provider that signs by a key too weak is refused at once, and not at the first login. */
import { ProtocolSettingsError } from "../../../identity-providers/identity-provider-errors.js";
import type { ProtocolSettingsDraft } from "../../../identity-providers/protocol-settings.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { ProviderDescription } from "./provider-metadata.js";
import type { SamlReader } from "../saml-reader.js";

export type MetadataCheck = ReturnType<typeof createMetadataCheck>;

export function createMetadataCheck({ reader }: { readonly reader: Pick<SamlReader, "readMetadata"> }) {
  /**
   * What can't be read yet passes, as does what is at an address: the log tells of it at the first login.
   *
   * @throws {ProtocolSettingsError} A key is too weak.
   * @throws {BusyError} Too much metadata waits to be read.
   */
  return async (draft: ProtocolSettingsDraft, remoteIds: readonly string[]): Promise<void> => {
    // Pinned certificates count in the place of those in the metadata.
    if (draft.type !== "saml2" || draft.idp_metadata_xml === undefined || draft.idp_certificates) return;
    const provider = await readable(
      reader.readMetadata({ xml: draft.idp_metadata_xml, remoteIds, isRetry: false }),
    );
    if (provider !== undefined && provider.weakKeys.length > 0)
      throw new ProtocolSettingsError(
        `settings: "idp_metadata_xml" has a key that is too weak to sign: ${provider.weakKeys.join(", ")}`,
      );
  };
}

async function readable(reading: Promise<ProviderDescription>): Promise<ProviderDescription | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AssertionRefusedError) return undefined;
    throw error;
  }
}
