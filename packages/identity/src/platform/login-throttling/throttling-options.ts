/** Settings of the limits on failed logins. */
import { wholeNumber, type Options, type ValuesOf } from "../option-parsers.js";
import { addressList } from "../trusted-proxies.js";
import type { ThrottlingLimits } from "./login-throttle.js";

const failures = wholeNumber({ from: 1, to: 1_000_000 });
const windowSeconds = wholeNumber({ from: 1, to: 604_800 });

export const THROTTLING_OPTIONS = {
  loginFailures: {
    name: "IDENTITY_LOGIN_FAILURES",
    parser: failures,
    help: "burst of failed logins allowed for one account from one network",
    standard: "10",
  },
  loginWindowSeconds: {
    name: "IDENTITY_LOGIN_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many failures expire, one by one",
    standard: "900",
  },
  loginAccountFailures: {
    name: "IDENTITY_LOGIN_ACCOUNT_FAILURES",
    parser: failures,
    help: "the same for one account from all networks it has not logged in from",
    standard: "300",
  },
  loginAccountWindowSeconds: {
    name: "IDENTITY_LOGIN_ACCOUNT_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many expire",
    standard: "3600",
  },
  loginNetworkFailures: {
    name: "IDENTITY_LOGIN_NETWORK_FAILURES",
    parser: failures,
    help: "the same for one network and all accounts that have not logged in from it",
    standard: "100",
  },
  loginNetworkWindowSeconds: {
    name: "IDENTITY_LOGIN_NETWORK_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many expire",
    standard: "300",
  },
  loginKnownFailures: {
    name: "IDENTITY_LOGIN_KNOWN_FAILURES",
    parser: failures,
    help: "the same for one account from one network it has logged in from",
    standard: "10",
  },
  loginKnownWindowSeconds: {
    name: "IDENTITY_LOGIN_KNOWN_WINDOW",
    parser: windowSeconds,
    help: "seconds in which that many expire",
    standard: "900",
  },
  loginKnownDays: {
    name: "IDENTITY_LOGIN_KNOWN_DAYS",
    parser: wholeNumber({ from: 0, to: 3650 }),
    help: "days for which a network stays known after a successful login of an account; 0 disables this",
    standard: "30",
  },
  loginProviderFailures: {
    name: "IDENTITY_LOGIN_PROVIDER_FAILURES",
    parser: failures,
    help: "burst of failed logins allowed through one identity provider from one network",
    standard: "100",
  },
  loginProviderWindowSeconds: {
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
  loginWaitSeconds: {
    name: "IDENTITY_LOGIN_WAIT",
    parser: wholeNumber({ from: 1, to: 300 }),
    help: "maximum seconds that a login is queued for others in flight",
    standard: "20",
  },
  loginMaxWaiting: {
    name: "IDENTITY_LOGIN_MAX_WAITING",
    parser: wholeNumber({ from: 2, to: 100_000 }),
    help: "maximum queue length of logins per process; half of it for one account",
    standard: "1024",
  },
} satisfies Options;

export type ThrottlingSettings = ValuesOf<typeof THROTTLING_OPTIONS>;

/** @param options.maxInFlight Password attempts in flight, separately for known pairs and for others. */
export function readThrottlingLimits(
  settings: ThrottlingSettings,
  { maxInFlight }: { readonly maxInFlight: number },
): ThrottlingLimits {
  return {
    pair: { failures: settings.loginFailures, windowSeconds: settings.loginWindowSeconds },
    account: { failures: settings.loginAccountFailures, windowSeconds: settings.loginAccountWindowSeconds },
    network: { failures: settings.loginNetworkFailures, windowSeconds: settings.loginNetworkWindowSeconds },
    known: { failures: settings.loginKnownFailures, windowSeconds: settings.loginKnownWindowSeconds },
    provider: {
      failures: settings.loginProviderFailures,
      windowSeconds: settings.loginProviderWindowSeconds,
    },
    knownMs: settings.loginKnownDays * 86_400_000,
    isDashboard: settings.isDashboard,
    maxInFlight,
    maxWaiting: settings.loginMaxWaiting,
  };
}
