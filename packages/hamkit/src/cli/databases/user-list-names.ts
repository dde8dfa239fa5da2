/** The names of the three user lists. */

/** In the order of reports. */
export const LIST_NAMES = ["logbook", "logsite", "cardsite"] as const;

/** A list on the command line and in JSON. */
export type ListName = (typeof LIST_NAMES)[number];

/** The service of a list, for reports. */
export const SERVICE_TITLES: Readonly<Record<ListName, string>> = {
  logbook: "Logbook",
  logsite: "Log service",
  cardsite: "Card service",
};

/** Name of a list in messages: "the list of the logbook". */
export function listTitle(name: ListName): string {
  return `the list of the ${SERVICE_TITLES[name].toLowerCase()}`;
}
