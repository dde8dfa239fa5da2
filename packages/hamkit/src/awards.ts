/**
 * `hamkit/awards`: counts the awards of a log, by rules that are data.
 *
 * The rules were written from the sponsors' public texts. Each says what of it was compared, and what was not: check with the
 * sponsor before relying on a number.
 *
 * @module hamkit/awards
 */
export { countAwards, createAwardCounter } from "./awards/award-counter.js";
export type {
  AwardCounter,
  AwardCounts,
  ClassNeed,
  ClassProgress,
  CountAwardsOptions,
} from "./awards/award-counter.js";
export type {
  AwardCheck,
  AwardClass,
  AwardExclusion,
  AwardFacet,
  AwardRule,
  AwardUnitKind,
  ConfirmationSource,
  DupeField,
  UnitRange,
} from "./awards/rules/award-rule.js";
export { checkAwardRules } from "./awards/rules/check-award-rules.js";
export type {
  AwardContradiction,
  ContradictionList,
  ContradictionRule,
} from "./awards/contacts/contradictions.js";
export type { AwardCount, CountFilter, NeededUnits } from "./awards/counts/facet-count.js";
export { needs, needsText, spotContact } from "./awards/needs/needs.js";
export type { SpottedStation } from "./awards/needs/needs.js";
export type { Need } from "./awards/needs/need-index.js";
export { AWARD_RULES } from "./awards/generated/award-rules.js";
export type { OwnStation } from "./awards/contacts/own-station.js";
export type { ZonesAt } from "./awards/units/places.js";
export type { AwardUnit } from "./awards/counts/contact-tally.js";
export { wpxPrefix } from "./awards/units/wpx-prefix.js";
