/** All of hamkit by one name. Programs that need one part import that part: `hamkit/locator` loads no callsign data. */
export * from "./callinfo.js";
