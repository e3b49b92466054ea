import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** A local OpenID Connect provider: discovery, keys, and tokens as they are asked for. */
export interface OidcIssuer {
  issuer: string;
  /** An ID token; `claims` replace the usual ones, `key` another key signs. */
  token(subject: string, claims?: Record<string, unknown>, forged?: boolean): Promise<string>;
  stop(): Promise<void>;
}

export async function startOidcIssuer(clientId: string): Promise<OidcIssuer> {
  const own = await generateKeyPair("ES256");
  const other = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "one", alg: "ES256", use: "sig" };
  const server = createServer((request, response) => {
    const body = request.url?.endsWith("/keys") ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    token: (subject, claims = {}, forged = false) =>
      new SignJWT({ iss: issuer, aud: clientId, sub: subject, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .setIssuedAt()
        .setExpirationTime("5m")
        .sign(forged ? other.privateKey : own.privateKey),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
