/**
 * `hamkit/qsl`: who uses the log service, the card service and the logbook, from the lists that these publish.
 *
 * Each function gets the list anew; the lists change once a day or once a week, so programs keep the result.
 *
 * @module hamkit/qsl
 */
export { getCardsiteUsers } from "./user-lists/card-service.js";
export { getLogbookUsers, type LogbookUsers } from "./user-lists/logbook.js";
export { getLogsiteUsers } from "./user-lists/log-service.js";
export type { LogsiteUser, LogsiteUsers } from "./user-lists/log-service-record.js";
export type { UserListOptions } from "./user-lists/list-file.js";
export type { Logger } from "./io/default-logger.js";
