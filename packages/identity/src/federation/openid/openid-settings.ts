/** The settings of a protocol by which users come in with OpenID Connect. */
import type { OpenedSettings } from "../../identity-providers/protocol-settings.js";

export type OpenIdSettings = Extract<OpenedSettings, { readonly type: "openid" }>;

/** Whom access tokens may be meant for. */
export function audiencesOf({ client_id, audiences = [] }: OpenIdSettings): string[] {
  return [client_id, ...audiences];
}

/** What a browser asks for. */
export function scopeOf({ scopes = ["profile", "email"] }: OpenIdSettings): string {
  return [...new Set(["openid", ...scopes])].join(" ");
}
