/**
 * `hamkit/uploads`: uploads contacts to LoTW, eQSL, Club Log, QRZ, HRDLog, HamQTH, Cloudlog and Wavelog, one at a time, signs files for
 * LoTW with a callsign certificate, fetches the reports of LoTW, eQSL and QRZ, and spots the own activation at POTA and SOTA.
 *
 * It runs where a program calls it, and never by itself. Keys and passwords are arguments; no message has them.
 *
 * @module hamkit/uploads
 */
export { fetchReport } from "./uploads/fetch-report.js";
export type { FetchReportOptions, ReportServiceName } from "./uploads/fetch-report.js";
export type { LotwCertificate } from "./uploads/lotw/lotw-certificate.js";
export { lotwMode } from "./uploads/lotw/lotw-modes.js";
export type { LotwSigner, LotwStation, RefusedContact, SignedLog } from "./uploads/lotw/tq8.js";
export { daysToRenewal, openLotwKey, signForLotw, uploadToLotw } from "./uploads/lotw/upload-to-lotw.js";
export type { LotwFile, LotwKey, LotwUploadOptions } from "./uploads/lotw/upload-to-lotw.js";
export { selfSpot } from "./uploads/self-spot.js";
export type { SelfSpot, SelfSpotOptions, SelfSpotProgram } from "./uploads/self-spot.js";
export type { UploadAnswer, UploadServiceName, UploadSettings } from "./uploads/services.js";
export { uploadLog } from "./uploads/upload-log.js";
export type { UploadedContact, UploadOptions, UploadResult } from "./uploads/upload-log.js";
export type { UploadJournal } from "./uploads/unsent-contacts.js";
