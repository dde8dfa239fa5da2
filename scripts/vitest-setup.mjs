/**
 * Property tests draw the same inputs in each run, so that a run that fails can be run again. `FAST_CHECK_SEED=n`
 * draws others, `FAST_CHECK_SEED=random` new ones each time.
 */
import fc from "fast-check";

const { FAST_CHECK_SEED: asked = "1" } = process.env;
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });
