/** The file that `openstack` and SDKs read: clouds.yaml. */

export interface CloudEntry {
  /** The name after `--os-cloud`. */
  readonly cloud: string;
  /** Of the Identity API, with its version. */
  readonly authUrl: string;
  readonly credentialId: string;
  readonly secret: string;
  /** `undefined` if the catalog has none. */
  readonly region: string | undefined;
}

/** @see https://docs.openstack.org/openstacksdk/latest/user/config/configuration.html */
export function cloudsYaml({ cloud, authUrl, credentialId, secret, region }: CloudEntry): string {
  // A JSON string is a double-quoted scalar of YAML.
  return [
    "clouds:",
    `  ${JSON.stringify(cloud)}:`,
    "    auth_type: v3applicationcredential",
    "    auth:",
    `      auth_url: ${JSON.stringify(authUrl)}`,
    `      application_credential_id: ${JSON.stringify(credentialId)}`,
    `      application_credential_secret: ${JSON.stringify(secret)}`,
    ...(region === undefined ? [] : [`    region_name: ${JSON.stringify(region)}`]),
    "    interface: public",
    "    identity_api_version: 3",
    "",
  ].join("\n");
}

interface CatalogEntry {
  readonly type: string;
  readonly endpoints: readonly {
    readonly interface: string;
    readonly url: string;
    readonly region?: string | null;
  }[];
}

/** The public address of the Identity API in a token's catalog; that of this page, if the catalog has none. */
export function identityOf(
  token: Readonly<Record<string, unknown>>,
  fallback: string,
): { authUrl: string; region: string | undefined } {
  const catalog = (token["catalog"] ?? []) as readonly CatalogEntry[];
  const endpoint = catalog
    .find(({ type }) => type === "identity")
    ?.endpoints.find((each) => each.interface === "public");
  return { authUrl: endpoint?.url ?? fallback, region: endpoint?.region ?? undefined };
}
