/** Where the routes of an extension are: its resources may be reached under several prefixes, with links of their own. */
import { extensionParameter, extensionRelation, type HomeRelation } from "../discovery/json-home.js";

export interface ExtensionPlace {
  /** What stands before each path, such as `/v3/OS-FEDERATION`. */
  readonly prefix: string;
  /** Whether a PUT to what is there already replaces it. Otherwise it is refused. */
  readonly putReplaces: boolean;
  /** The name under which the home document lists these routes; not at all, if left out. */
  readonly homeName?: string;
}

/**
 * The name of a route in the home document, none where the place isn't listed.
 *
 * @param parameters Those of the path.
 */
export function homeIn(
  { homeName }: ExtensionPlace,
  relation: string,
  ...parameters: readonly string[]
): HomeRelation[] {
  if (homeName === undefined) return [];
  return [
    {
      relation: extensionRelation(homeName, relation),
      parameters: Object.fromEntries(parameters.map((name) => [name, extensionParameter(homeName, name)])),
    },
  ];
}
