/**
 * Fixes the seed of property tests, so that a failure is reproducible. `FAST_CHECK_SEED=n` sets another seed,
 * `FAST_CHECK_SEED=random` a random one.
 */
import fc from "fast-check";

const { FAST_CHECK_SEED: asked = "1" } = process.env;
if (asked !== "random") fc.configureGlobal({ seed: Number(asked) });
