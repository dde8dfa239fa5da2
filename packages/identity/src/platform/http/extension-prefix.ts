/** The prefix of an extension's routes. An extension may have several, with links of their own. */
import { extensionParameter, extensionRelation, type HomeRelation } from "../discovery/json-home.js";

export interface ExtensionPrefix {
  /** Of all paths, such as `/v3/OS-FEDERATION`. */
  readonly prefix: string;
  /** Whether a PUT replaces an existing resource; otherwise it is rejected. */
  readonly putReplaces: boolean;
  /** The extension's name in the home document; not listed, if left out. */
  readonly homeName?: string;
  /** Whether the home document calls the parameters of its paths by their names in the core API. */
  readonly hasCoreParameters?: boolean;
}

/**
 * The name of a route in the home document; none for an unlisted prefix.
 *
 * @param parameters Of the path.
 */
export function homeIn(
  { homeName, hasCoreParameters = false }: ExtensionPrefix,
  relation: string,
  ...parameters: readonly string[]
): HomeRelation[] {
  if (homeName === undefined) return [];
  // Users are of the core API in each extension.
  const named = hasCoreParameters ? [] : parameters.filter((name) => name !== "user_id");
  return [
    {
      relation: extensionRelation(homeName, relation),
      parameters: Object.fromEntries(named.map((name) => [name, extensionParameter(homeName, name)])),
    },
  ];
}
