import { ErrorCode, type JsonObject } from "@purse/protocol";
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { ANONYMOUS, internalRequest } from "../../core/authContext.ts";
import type { AuthAdapter, AuthCheck } from "./adapter.ts";
import { codeServiceAdapter } from "./codeService.ts";
import { facebookAdapter } from "./facebook.ts";
import type { FetchJson, ServiceRequest } from "./fetchJson.ts";
import { introspectionAdapter } from "./introspection.ts";
import { keycloakAdapter } from "./keycloak.ts";
import { oidcAdapter } from "./oidc.ts";

const CHECK: AuthCheck = { request: internalRequest(ANONYMOUS), user: undefined, isSignedIn: false };
const REFUSED = { code: ErrorCode.OBJECT_NOT_FOUND };

/** A service that answers by the beginning of the URL, and keeps what it was queried. */
function service(answers: Record<string, JsonObject>): { request: FetchJson; queried: ServiceRequest[] } {
  const queried: ServiceRequest[] = [];
  const request: FetchJson = async (sent) => {
    queried.push(sent);
    const found = Object.entries(answers).find(([start]) => sent.url.startsWith(start));
    if (!found) throw new Error("404");
    return found[1];
  };
  return { request, queried };
}

const verify = (adapter: AuthAdapter, authData: JsonObject) => adapter.validateAuthData(authData, CHECK);
const identify = async (adapter: AuthAdapter, authData: JsonObject) => adapter.identify?.(authData);

/** The keys of an issuer, and a function that issues tokens. */
async function issuerOf(issuer: string) {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const keys = createLocalJWKSet({ keys: [await exportJWK(publicKey)] });
  const issue = (claims: JsonObject, issuedBy = issuer) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256" })
      .setIssuer(issuedBy)
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(privateKey);
  return { keysOf: async () => keys, issue };
}

describe("an authorization code", () => {
  const OPTIONS = {
    clientId: "client",
    clientSecret: "secret",
    redirectUri: undefined,
    enableInsecureAuth: false,
  };
  const github = () =>
    service({ "https://github.com/login": { access_token: "token" }, "https://api.github.com": { id: 7 } });

  it("is exchanged with the secret of the client for the id of the user, which alone is stored", async () => {
    const { request, queried } = github();
    const adapter = codeServiceAdapter("github", OPTIONS, request);
    expect(await identify(adapter, { code: "c" })).toEqual({ id: "7" });
    expect(JSON.parse(queried[0]?.body ?? "")).toMatchObject({ client_secret: "secret", code: "c" });
    expect(queried[1]?.headers).toEqual({ authorization: "Bearer token" });
    expect(await verify(adapter, { id: "7" })).toEqual({ stored: { id: "7" } });
  });

  it("is refused if the service refuses it, for another user, or if it is missing", async () => {
    const adapter = codeServiceAdapter("github", OPTIONS, github().request);
    const closed = codeServiceAdapter("github", OPTIONS, service({}).request);
    await expect(identify(closed, { code: "c" })).rejects.toMatchObject(REFUSED);
    await expect(identify(adapter, { code: "c", id: "8" })).rejects.toMatchObject(REFUSED);
    const unproven: JsonObject[] = [{}, { id: "7" }, { id: "7", access_token: "token" }, { code: 1 }];
    for (const authData of unproven) await expect(identify(adapter, authData)).rejects.toMatchObject(REFUSED);
    const nameless = service({ "https://github.com/login": {}, "https://api.github.com": { id: 7 } });
    const other = codeServiceAdapter("github", OPTIONS, nameless.request);
    await expect(identify(other, { code: "c" })).rejects.toMatchObject(REFUSED);
  });

  it("of other services is sent as a form, with the redirect URI of the sign-in or the settings", async () => {
    const line = service({
      "https://api.line.me/oauth2": { access_token: "t" },
      "https://api.line.me/v2": { userId: "u" },
    });
    const lineAdapter = codeServiceAdapter("line", OPTIONS, line.request);
    const sent = { code: "c", redirect_uri: "https://a.example/", code_verifier: "v" };
    expect(await identify(lineAdapter, sent)).toEqual({ id: "u" });
    expect(Object.fromEntries(new URLSearchParams(line.queried[0]?.body))).toMatchObject(sent);

    const instagram = service({
      "https://api.instagram.com": { access_token: "t" },
      "https://graph.instagram.com": { id: "i" },
    });
    const options = { ...OPTIONS, redirectUri: "https://b.example/" };
    expect(await identify(codeServiceAdapter("instagram", options, instagram.request), sent)).toEqual({
      id: "i",
    });
    expect(instagram.queried[0]?.body).toContain(encodeURIComponent("https://b.example/"));
    expect(instagram.queried[1]?.url).toBe("https://graph.instagram.com/me?fields=id&access_token=t");
  });

  it("may be an access token instead only if the settings say so", async () => {
    const adapter = codeServiceAdapter("github", { ...OPTIONS, enableInsecureAuth: true }, github().request);
    expect(await identify(adapter, { id: "7", access_token: "token" })).toEqual({ id: "7" });
  });
});

describe("a token of Facebook", () => {
  const graph = (app: string) =>
    service({ "https://graph.facebook.com/app": { id: app }, "https://graph.facebook.com/me": { id: "u" } });
  const options = { appIds: ["app"], appSecret: "secret" };

  it("signs in its user if it is that of one of the apps, with the proof of the secret", async () => {
    const { request, queried } = graph("app");
    const sent = { id: "u", access_token: "t" };
    expect(await verify(facebookAdapter(options, request), sent)).toEqual({ stored: { id: "u" } });
    for (const { url } of queried)
      expect(new URL(url).searchParams.get("appsecret_proof")).toMatch(/^[0-9a-f]{64}$/);
    for (const [app, id] of [
      ["other", "u"],
      ["app", "other"],
    ] as const) {
      const adapter = facebookAdapter(options, graph(app).request);
      await expect(verify(adapter, { ...sent, id })).rejects.toMatchObject(REFUSED);
    }
  });

  it("of a limited login is an ID token", async () => {
    const { keysOf, issue } = await issuerOf("https://www.facebook.com");
    const limited = oidcAdapter({ issuer: "https://www.facebook.com", clientIds: ["app"] }, keysOf);
    const adapter = facebookAdapter(options, service({}).request, limited);
    expect(await verify(adapter, { id: "u", token: await issue({ sub: "u", aud: "app" }) })).toEqual({
      stored: { id: "u" },
    });
    const other = await issue({ sub: "u", aud: "other" });
    await expect(verify(adapter, { id: "u", token: other })).rejects.toMatchObject(REFUSED);
  });
});

describe("an ID token", () => {
  const GOOGLE = "https://accounts.google.com";

  it("is accepted as id_token or token, from the issuer in all its spellings", async () => {
    const { keysOf, issue } = await issuerOf(GOOGLE);
    const options = { issuer: GOOGLE, otherIssuers: ["accounts.google.com"], clientIds: ["web"] };
    const adapter = oidcAdapter(options, keysOf);
    for (const issuer of [GOOGLE, "accounts.google.com"]) {
      const token = await issue({ sub: "u", aud: "web" }, issuer);
      for (const name of ["id_token", "token"])
        expect(await verify(adapter, { id: "u", [name]: token })).toEqual({ stored: { id: "u" } });
    }
    const foreign = await issue({ sub: "u", aud: "web" }, "https://other.example");
    await expect(verify(adapter, { id: "u", token: foreign })).rejects.toMatchObject(REFUSED);
  });

  it("of another app of the project is accepted only with the setting of Google", async () => {
    const { keysOf, issue } = await issuerOf(GOOGLE);
    const token = await issue({ sub: "u", aud: "web", azp: "android" });
    const options = { issuer: GOOGLE, clientIds: ["web"] };
    await expect(verify(oidcAdapter(options, keysOf), { id: "u", token })).rejects.toMatchObject(REFUSED);
    const google = oidcAdapter({ ...options, acceptsOtherParties: true }, keysOf);
    expect(await verify(google, { id: "u", token })).toEqual({ stored: { id: "u" } });
  });
});

it("an access token of Keycloak signs in its user for its client, with its roles", async () => {
  const issuer = "https://keycloak.example/realms/app";
  const { keysOf, issue } = await issuerOf(issuer);
  const adapter = keycloakAdapter({ issuer, clientId: "client" }, keysOf);
  const token = await issue({ sub: "u", azp: "client", roles: ["a", "b"] });
  expect(await verify(adapter, { id: "u", access_token: token, roles: ["b", "a"] })).toEqual({
    stored: { id: "u", roles: ["b", "a"] },
  });
  const changes: JsonObject[] = [{ id: "other" }, { roles: ["admin"] }, { access_token: `${token}x` }];
  for (const change of changes) {
    const sent: JsonObject = { id: "u", access_token: token, ...change };
    await expect(verify(adapter, sent)).rejects.toMatchObject(REFUSED);
  }
  const foreign = await issue({ sub: "u", azp: "other" });
  await expect(verify(adapter, { id: "u", access_token: foreign })).rejects.toMatchObject(REFUSED);
});

it("an access token that its server confirms signs in the user that it names", async () => {
  const options = {
    tokenIntrospectionEndpointUrl: "https://auth.example/introspect",
    useridField: "sub",
    appidField: "aud",
    appIds: ["app"],
    authorizationHeader: "Basic x",
  };
  const answer = (fields: JsonObject) => service({ "https://auth.example": { active: true, ...fields } });
  const { request, queried } = answer({ sub: "u", aud: ["app"] });
  const sent = { id: "u", access_token: "t" };
  expect(await verify(introspectionAdapter(options, request), sent)).toEqual({ stored: { id: "u" } });
  expect(queried[0]).toMatchObject({ body: "token=t", headers: { authorization: "Basic x" } });
  const refused: JsonObject[] = [
    { active: false },
    { sub: "other", aud: "app" },
    { sub: "u", aud: "other" },
    { sub: "u" },
  ];
  for (const fields of refused) {
    const adapter = introspectionAdapter(options, answer(fields).request);
    await expect(verify(adapter, sent)).rejects.toMatchObject(REFUSED);
  }
});
