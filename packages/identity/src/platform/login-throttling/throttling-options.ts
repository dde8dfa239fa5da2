/** Settings of the limits on failed logins. */
import { onOrOff, wholeNumber, type Options, type ValuesOf } from "../option-parsers.js";
import { addressList } from "../trusted-proxies.js";
import type { ThrottlingLimits } from "./login-throttle.js";

const failures = wholeNumber({ from: 1, to: 1_000_000 });
const windowSeconds = wholeNumber({ from: 1, to: 604_800 });

export const FAILED_LOGIN_OPTIONS = {
  isLimited: {
    name: "IDENTITY_RATE_LIMIT",
    parser: onOrOff,
    help: "limit failed logins: on or off",
    standard: "on",
  },
  failures: {
    name: "IDENTITY_LOGIN_FAILURES",
    parser: failures,
    help: "burst of failed logins allowed for one account from one network",
    standard: "10",
  },
  windowSeconds: {
    name: "IDENTITY_LOGIN_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many failures expire, one by one",
    standard: "900",
  },
  accountFailures: {
    name: "IDENTITY_LOGIN_ACCOUNT_FAILURES",
    parser: failures,
    help: "the same for one account from all networks it has not logged in from",
    standard: "300",
  },
  accountWindowSeconds: {
    name: "IDENTITY_LOGIN_ACCOUNT_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many expire",
    standard: "3600",
  },
  networkFailures: {
    name: "IDENTITY_LOGIN_NETWORK_FAILURES",
    parser: failures,
    help: "the same for one network and all accounts that have not logged in from it",
    standard: "100",
  },
  networkWindowSeconds: {
    name: "IDENTITY_LOGIN_NETWORK_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many expire",
    standard: "300",
  },
  knownFailures: {
    name: "IDENTITY_LOGIN_KNOWN_FAILURES",
    parser: failures,
    help: "the same for one account from one network it has logged in from",
    standard: "10",
  },
  knownWindowSeconds: {
    name: "IDENTITY_LOGIN_KNOWN_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many expire",
    standard: "900",
  },
  knownDays: {
    name: "IDENTITY_LOGIN_KNOWN_DAYS",
    parser: wholeNumber({ from: 0, to: 3650 }),
    help: "days for which a network stays known after a successful login of an account; 0 disables this",
    standard: "30",
  },
  providerFailures: {
    name: "IDENTITY_LOGIN_PROVIDER_FAILURES",
    parser: failures,
    help: "burst of failed logins allowed through one identity provider from one network",
    standard: "100",
  },
  providerWindowSeconds: {
    name: "IDENTITY_LOGIN_PROVIDER_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many expire",
    standard: "20",
  },
  isDashboard: {
    name: "IDENTITY_LOGIN_DASHBOARDS",
    parser: addressList,
    help: "addresses and networks of dashboards, which many users share: logins from there are limited per account alone",
    standard: "",
  },
  waitSeconds: {
    name: "IDENTITY_LOGIN_WAIT",
    parser: wholeNumber({ from: 1, to: 300 }),
    help: "maximum seconds that a login is queued for others in flight",
    standard: "20",
  },
  maxWaiting: {
    name: "IDENTITY_LOGIN_MAX_WAITING",
    parser: wholeNumber({ from: 2, to: 100_000 }),
    help: "maximum queue length of logins per process; half of it for one account",
    standard: "1024",
  },
} satisfies Options;

export type FailedLoginSettings = ValuesOf<typeof FAILED_LOGIN_OPTIONS>;

/** @param options.maxInFlight Password attempts in flight, separately for known pairs and for others. */
export function readThrottlingLimits(
  settings: FailedLoginSettings,
  { maxInFlight }: { readonly maxInFlight: number },
): ThrottlingLimits {
  return {
    pair: { failures: settings.failures, windowSeconds: settings.windowSeconds },
    account: { failures: settings.accountFailures, windowSeconds: settings.accountWindowSeconds },
    network: { failures: settings.networkFailures, windowSeconds: settings.networkWindowSeconds },
    known: { failures: settings.knownFailures, windowSeconds: settings.knownWindowSeconds },
    provider: {
      failures: settings.providerFailures,
      windowSeconds: settings.providerWindowSeconds,
    },
    knownMs: settings.knownDays * 86_400_000,
    isDashboard: settings.isDashboard,
    maxInFlight,
    maxWaiting: settings.maxWaiting,
  };
}
