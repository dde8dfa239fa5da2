/**
 * Property tests draw the same inputs in each run, so that a failure is reproducible. `FAST_CHECK_SEED=n` draws others,
 * `FAST_CHECK_SEED=random` new ones in each run.
 */
import fc from "fast-check";

const { FAST_CHECK_SEED: asked = "1" } = process.env;
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });
