/** Metadata of providers from where they publish it: no further inwards than the operator allows. */
import { createOutgoingFetch, hostOf, type Lookup } from "../../../platform/outgoing/outgoing-requests.js";
import type { ReadUrl } from "./provider-descriptions.js";

export interface MetadataDownloadDeps {
  /** For development: over HTTP, and from addresses that are not on the internet. */
  readonly allowsHttpIssuers: boolean;
  /** Networks of the operator's own that providers may be in. */
  readonly isProviderNetwork: (address: string) => boolean;
  /** How names are looked up; as the system does it, if left out. */
  readonly lookup?: Lookup;
}

export function createMetadataDownload({
  allowsHttpIssuers,
  isProviderNetwork,
  lookup,
}: MetadataDownloadDeps): ReadUrl {
  return async (text) => {
    const url = new URL(text);
    const host = allowsHttpIssuers ? hostOf(url) : undefined;
    const rules = {
      allowsHttp: allowsHttpIssuers && url.protocol === "http:",
      allowsPrivate: (address: string, name: string) => name === host || isProviderNetwork(address),
    };
    const answer = await createOutgoingFetch(rules, lookup)(text, { method: "GET", headers: {} });
    if (answer.status !== 200) throw new TypeError(`metadata is answered with status ${answer.status}`);
    return answer.text();
  };
}
