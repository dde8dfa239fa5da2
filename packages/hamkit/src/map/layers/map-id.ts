/** Stands for the id of the map in the ids of clip paths: it depends on the rest of the drawing. */
export const MAP_ID = "\u0000";
