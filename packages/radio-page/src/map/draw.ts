/** The part of hamkit's maps that the page needs, so that the rest is left out of its build. */
export { drawMap } from "hamkit/map";
