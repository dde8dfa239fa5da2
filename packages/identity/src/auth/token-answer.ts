/** A token with what is around it, as answers show it. */
import type { TokenAnswer } from "./auth-schema.js";
import type { Token } from "../tokens/token-service.js";
import { tokenView, type Catalog, type ShownServiceProvider } from "./token-view.js";

export interface TokenAnswerDeps {
  /** The catalog of whom a token is of, and for what. */
  readonly catalogOf: (token: Token) => Promise<Catalog>;
  /** Service providers that a token shows beside its catalog. */
  readonly serviceProviders: { readonly listEnabled: () => Promise<readonly ShownServiceProvider[]> };
}

export async function answerToken(
  { catalogOf, serviceProviders }: TokenAnswerDeps,
  token: Token,
  { wantsCatalog }: { readonly wantsCatalog: boolean },
): Promise<TokenAnswer> {
  const hasCatalog = wantsCatalog && token.facts.scope.kind !== "unscoped";
  return tokenView(token, {
    catalog: hasCatalog ? await catalogOf(token) : undefined,
    serviceProviders: await serviceProviders.listEnabled(),
  });
}
