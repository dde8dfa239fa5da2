/**
 * `hamkit/contest`: scores contests by rules that are data, live and from logs.
 *
 * The rules were written from public copies of the sponsors' texts. Each says what of it was compared, and what was not.
 *
 * @module hamkit/contest
 */
export { createContest } from "./contest/contact-scoring.js";
export type {
  ContactScore,
  Contest,
  ContestContact,
  ContestOptions,
  ContestQtc,
} from "./contest/contact-scoring.js";
export { CONTEST_RULES } from "./contest/generated/contest-rules.js";
export { checkContestRules } from "./contest/rules/check-contest-rules.js";
export type {
  ContestCheck,
  ContestCondition,
  ContestConditions,
  ContestExchange,
  ContestFactor,
  ContestMode,
  ContestMultiplier,
  ContestPoints,
  ContestProperty,
  ContestQtcs,
  ContestRule,
  CountedPer,
  StationConditions,
} from "./contest/rules/contest-rule.js";
export type { ExchangeFault } from "./contest/rules/exchange.js";
export type { ContestScore, FoundMultiplier, ScoreSums } from "./contest/score-sums.js";
export type { ContestStation } from "./contest/contest-station.js";
export { checkContestLog } from "./contest/log/check-contest-log.js";
export type { CheckContestLogOptions, ContestLogFinding } from "./contest/log/check-contest-log.js";
export { createExchangeHistory, type ExchangeHistory } from "./contest/log/exchange-history.js";
export { contestColumns } from "./contest/log/log-exchange.js";
export { rateSheet } from "./contest/log/rate-sheet.js";
export type { BestRate, RateHour, RateSheet, TimedContact } from "./contest/log/rate-sheet.js";
export { scoreContestLog } from "./contest/log/score-contest-log.js";
export type {
  ContestLogScore,
  ScoreContestLogOptions,
  ScoredContact,
} from "./contest/log/score-contest-log.js";
