/**
 * `hamkit`: re-exports all public modules but the deprecated `hamkit/utils`.
 *
 * A program that needs one part should import that part: `hamkit/locator` loads no callsign data. Everything loads in a
 * browser; operations that need files throw an `IOError` there.
 *
 * @module hamkit
 */
export * from "./adif.js";
export * from "./awards.js";
export * from "./callinfo.js";
export * from "./contest.js";
export * from "./errors.js";
export * from "./feeds.js";
export * from "./frequency.js";
export * from "./locator.js";
export * from "./logs.js";
export * from "./lookup.js";
export * from "./lookuplib.js";
export * from "./map.js";
export * from "./merge.js";
export * from "./moon.js";
export * from "./n1mm.js";
export * from "./places.js";
export * from "./qsl.js";
export * from "./references.js";
export * from "./satellites.js";
export * from "./scp.js";
export * from "./spots.js";
export * from "./uploads.js";
export * from "./wsjtx.js";
export * from "./zones.js";
