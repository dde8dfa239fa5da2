/** The live part of the page, which is loaded when it is needed first. */
export { createLiveState, startsByItself } from "./live-state.js";
export type { LiveState } from "./live-state.js";
export { LivePanel } from "./LivePanel.js";
export { SpotLayer } from "./SpotLayer.js";
export { spotAt } from "./spot-points.js";
