/** The three user lists by their names. */

/** In the order of answers. */
export const LIST_NAMES = ["logbook", "logsite", "cardsite"] as const;

/** As the command line and JSON have them. */
export type ListName = (typeof LIST_NAMES)[number];

/** What people call the service of a list. */
export const SERVICE_TITLES: Readonly<Record<ListName, string>> = {
  logbook: "Logbook",
  logsite: "Log service",
  cardsite: "Card service",
};

/** What messages call a list: "the list of the logbook". */
export function listTitle(name: ListName): string {
  return `the list of the ${SERVICE_TITLES[name].toLowerCase()}`;
}
