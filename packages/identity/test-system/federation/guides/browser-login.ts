/** Logins at the service with the provider of a guide, as a browser or a client does them. */
export interface LoginResult {
  readonly status: number;
  readonly text: string;
  readonly token: string;
}

export const authUrlOf = (serviceUrl: string, idpId: string, protocolId: string): string =>
  `${serviceUrl}/v3/OS-FEDERATION/identity_providers/${idpId}/protocols/${protocolId}/auth`;

export async function logInByOpenId(
  serviceUrl: string,
  idpId: string,
): Promise<LoginResult & { readonly redirectUri: string }> {
  const step = await goto(authUrlOf(serviceUrl, idpId, "openid"));
  const location = step.headers.get("location") ?? "";
  if (location === "") return { ...(await resultOf(step)), redirectUri: "" };
  const redirectUri = new URL(location).searchParams.get("redirect_uri") ?? "";
  const back = (await goto(location)).headers.get("location") ?? "";
  return { ...(await resultOf(await goto(back, cookieOf(step)))), redirectUri };
}

export async function logInBySaml(
  serviceUrl: string,
  idpId: string,
): Promise<LoginResult & { readonly consumerUrl: string }> {
  const step = await goto(authUrlOf(serviceUrl, idpId, "saml2"));
  const location = step.headers.get("location");
  if (location === null) return { ...(await resultOf(step)), consumerUrl: "" };
  const form = await (await goto(location)).text();
  const [, action = "", response = ""] = /action="([^"]*)".* value="([^"]*)"/.exec(form) ?? [];
  const answer = await fetch(action, {
    method: "POST",
    body: new URLSearchParams({ SAMLResponse: response }),
    headers: { cookie: cookieOf(step) },
  });
  return { ...(await resultOf(answer)), consumerUrl: action };
}

/** Login with an access token. */
export async function logInByToken(serviceUrl: string, idpId: string, token: string): Promise<LoginResult> {
  const headers = { authorization: `Bearer ${token}` };
  return resultOf(await fetch(authUrlOf(serviceUrl, idpId, "openid"), { method: "POST", headers }));
}

function goto(url: string, cookie = ""): Promise<Response> {
  return fetch(url, { redirect: "manual", headers: { cookie } });
}

function cookieOf(step: Response): string {
  return step.headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function resultOf(answer: Response): Promise<LoginResult> {
  const { status, headers } = answer;
  return { status, text: await answer.text(), token: headers.get("x-subject-token") ?? "" };
}
