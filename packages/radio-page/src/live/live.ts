/** The live part of the page, which is loaded when it is needed first. */
export { createLiveDesk, startsByItself } from "./live-desk.js";
export type { LiveDesk } from "./live-desk.js";
export { LivePanel } from "./LivePanel.js";
export { SpotLayer } from "./SpotLayer.js";
export { spotAt } from "./spot-points.js";
