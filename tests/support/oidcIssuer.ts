import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A local OpenID Connect provider with discovery, keys and custom tokens. */
export interface OidcIssuer {
  issuer: string;
  /** Creates an ID token; `claims` override the defaults; a forged one is signed with another key. */
  token(subject: string, claims?: Record<string, unknown>, forged?: boolean): Promise<string>;
  /** The same with other headers; a header that is undefined is left out. */
  tokenWith(
    subject: string,
    header: Partial<JWTHeaderParameters>,
    claims?: Record<string, unknown>,
    key?: KeyPair["privateKey"] | Uint8Array,
  ): Promise<string>;
  /** The public key that tokens are signed with. */
  publicJwk(): JWK;
  /** Replaces the signing key. */
  rotate(kid: string): Promise<void>;
  /** Overrides the response of a path. */
  answer(path: string, answer: Answer): void;
  /** The requested paths, in order. */
  requestedPaths: string[];
  stop(): Promise<void>;
}

export async function startOidcIssuer(clientId: string): Promise<OidcIssuer> {
  let signingKey = await generateKeyPair("ES256", { extractable: true });
  let kid = "one";
  let jwk = await jwkOf(signingKey, kid);
  const foreignKey = await generateKeyPair("ES256");
  const requestedPaths: string[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    requestedPaths.push(path);
    const answer = answers.get(path);
    if (answer) return answer(request, response);
    const body = path.endsWith("/keys") ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function tokenWith(
    subject: string,
    header: Partial<JWTHeaderParameters>,
    claims: Record<string, unknown> = {},
    key: KeyPair["privateKey"] | Uint8Array = signingKey.privateKey,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const payload = { iss: issuer, aud: clientId, sub: subject, iat: now, exp: now + 300, ...claims };
    // Through JSON, which removes undefined fields.
    const plain: { alg: string } = JSON.parse(JSON.stringify({ alg: "ES256", kid, ...header }));
    return new SignJWT(JSON.parse(JSON.stringify(payload)))
      .setProtectedHeader(plain)
      .sign(key, { crit: { x: true } });
  }

  return {
    issuer,
    requestedPaths,
    tokenWith,
    token: (subject, claims = {}, forged = false) =>
      tokenWith(subject, {}, claims, forged ? foreignKey.privateKey : signingKey.privateKey),
    publicJwk: () => jwk,
    async rotate(nextKid) {
      signingKey = await generateKeyPair("ES256", { extractable: true });
      kid = nextKid;
      jwk = await jwkOf(signingKey, kid);
    },
    answer: (path, answer) => void answers.set(path, answer),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function jwkOf({ publicKey }: KeyPair, kid: string): Promise<JWK> {
  return { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" };
}
