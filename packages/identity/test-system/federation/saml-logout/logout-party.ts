/** Programs of third parties, as the provider of a single logout. */
import { logoutMetadata } from "../../../test/federation/logout/saml-logout-service.js";
import { ISSUER, PROVIDER } from "../../../test/federation/saml/test-provider.js";
import { askPython } from "../../python.js";

export type LogoutBinding = "redirect" | "post";

/** A message as it travels: the query of a redirect, or the fields of a form. */
export type LogoutMessage =
  | { readonly query: string }
  | { readonly fields: Readonly<Record<string, string>> };

export interface LogoutSession {
  readonly nameId: string;
  readonly index: string;
}

export interface LogoutParty {
  /** Its LogoutRequest, signed. */
  request(session: LogoutSession): Promise<LogoutMessage>;
  /** Verifies the service's LogoutResponse. @returns Its issuer and status. @throws It is not accepted. */
  finish(response: LogoutMessage): Promise<{ readonly issuer: string; readonly status: string }>;
  /** Verifies the service's LogoutRequest, and answers it. @throws It is not accepted. */
  answer(request: LogoutMessage, relayState: string): Promise<LoggedOutSession>;
}

export interface LoggedOutSession extends LogoutSession {
  readonly response: LogoutMessage;
}

export interface LogoutPartyOptions {
  readonly binding: LogoutBinding;
  /** Of the service, with its endpoint for logouts. */
  readonly metadata: string;
}

export type StartLogoutParty = (options: LogoutPartyOptions) => LogoutParty;

export const providerMetadata = (binding: LogoutBinding): string =>
  logoutMetadata({ bindings: [binding === "post" ? "HTTP-POST" : "HTTP-Redirect"] });

/** In PEM. */
export const providerKey = (): string =>
  PROVIDER.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

/** A party in Python. @param script In this folder. */
export function pythonParty(script: string): StartLogoutParty {
  return ({ binding, metadata }) => {
    const ask = (question: object) =>
      askPython(`federation/saml-logout/${script}`, {
        binding,
        metadata,
        own: providerMetadata(binding),
        entityId: ISSUER,
        key: providerKey(),
        certificate: PROVIDER.certificate,
        ...question,
      });
    return {
      request: async (session) => ask({ do: "request", ...session }) as LogoutMessage,
      finish: async (response) =>
        ask({ do: "finish", ...response }) as { readonly issuer: string; readonly status: string },
      async answer(request, relayState) {
        const { nameId, index, ...response } = ask({
          do: "answer",
          ...request,
          relayState,
        }) as LogoutMessage & LogoutSession;
        return { nameId, index, response };
      },
    };
  };
}
