/** The settings of projects. */
import { wholeNumber, type Options } from "../platform/option-parsers.js";
import { MAX_TREE_DEPTH } from "./project-tree-rules.js";

export const PROJECT_OPTIONS = {
  maxTreeDepth: {
    name: "IDENTITY_MAX_PROJECT_TREE_DEPTH",
    parser: wholeNumber({ from: 1, to: 100 }),
    help: "levels of projects that may be created in a domain",
    standard: String(MAX_TREE_DEPTH),
  },
} satisfies Options;
