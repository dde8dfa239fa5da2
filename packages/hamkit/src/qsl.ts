/**
 * `hamkit/qsl`: the published user lists of the log service, the card service and the logbook.
 *
 * Each call downloads the list again; the lists change once a day or once a week, so programs should cache the result.
 *
 * @module hamkit/qsl
 */
export { getCardsiteUsers } from "./user-lists/card-service.js";
export { getLogbookUsers, type LogbookUsers } from "./user-lists/logbook.js";
export { getLogsiteUsers, type LogsiteUser, type LogsiteUsers } from "./user-lists/log-service.js";
export type { UserListOptions } from "./user-lists/list-file.js";
export type { Logger } from "./io/default-logger.js";
