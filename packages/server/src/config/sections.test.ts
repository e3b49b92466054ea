import { describe, expect, it } from "vitest";
import { readSections } from "./sections.ts";

describe("sections of the config file", () => {
  it("have defaults", () => {
    const { accountLimits: _, passwordPolicy, ...others } = readSections({});
    expect(others).toEqual({
      protectedFields: {},
      userSensitiveFields: [],
      requestKeywordDenylist: [{ key: "_bsontype", value: "Code" }],
      schemas: [],
      schemaOptions: { strict: false, deleteExtraFields: false, recreateModifiedFields: false },
      auth: {},
      mail: {},
      customPages: {},
      plugins: [],
      accountLockout: { duration: 5, threshold: 10, unlockOnPasswordReset: undefined },
      rateLimits: [],
      names: { ens: {}, unstoppable: {}, gateways: [] },
      defaultAcl: undefined,
      routeAllowList: undefined,
    });
    expect(passwordPolicy).toMatchObject({
      isStrong: undefined,
      maxPasswordHistory: 0,
      resetTokenSeconds: 86_400,
    });
  });

  it("hide the sensitive fields of users in addition to the protected ones", () => {
    const protectedFields = { _User: { "*": ["phone"], "role:admin": [] }, Game: { "*": ["secret"] } };
    expect(readSections({ protectedFields, userSensitiveFields: ["ssn", "phone"] })).toMatchObject({
      protectedFields: { ...protectedFields, _User: { "*": ["phone", "ssn"], "role:admin": [] } },
    });
    expect(readSections({ userSensitiveFields: ["ssn"] }).protectedFields).toEqual({
      _User: { "*": ["ssn"] },
    });
  });

  it("accept the settings of sign-in providers under the names of Parse Server", () => {
    const { auth } = readSections({
      auth: {
        google: { clientId: "web", cacheMaxAge: 1 },
        apple: { clientId: ["a", "b"] },
        facebook: { appIds: ["1"], appSecret: "s" },
        github: { clientId: "c", clientSecret: "s" },
        spotify: { enableInsecureAuth: true },
        keycloak: { config: { "auth-server-url": "https://k.example/", realm: "r", "client-id": "c" } },
        own: { oauth2: true, tokenIntrospectionEndpointUrl: "https://own.example/introspect" },
        mfa: { enabled: true, options: ["TOTP"], digits: 6, period: 30, algorithm: "SHA1" },
      },
    });
    expect(auth).toMatchObject({
      google: { type: "oidc", issuer: "https://accounts.google.com", clientIds: ["web"] },
      apple: { type: "oidc", issuer: "https://appleid.apple.com", clientIds: ["a", "b"] },
      facebook: { type: "facebook", appIds: ["1"], appSecret: "s" },
      github: { type: "code", service: "github", options: { clientId: "c", clientSecret: "s" } },
      spotify: { type: "code", options: { enableInsecureAuth: true } },
      keycloak: { type: "keycloak", issuer: "https://k.example/realms/r", clientId: "c" },
      own: { type: "introspection", options: { useridField: "sub" } },
    });
    expect(auth).not.toHaveProperty("mfa");
  });

  it("accept valid values", async () => {
    const adapter = { validateAuthData: () => undefined };
    const { passwordPolicy, ...others } = readSections({
      auth: {
        google: { type: "oidc", issuer: "https://accounts.example", clientId: "id" },
        own: { module: import.meta.filename, audience: "app" },
        inline: adapter,
      },
      accountLockout: false,
      names: { ens: { 5: `0x${"AB".repeat(20)}` }, gateways: ["*"] },
      passwordPolicy: {
        validatorPattern: "/^.{8,}$/",
        validatorCallback: (text: string) => text !== "password",
      },
      defaultAcl: { currentUser: { read: true } },
    });
    expect(others.auth).toEqual({
      google: { type: "oidc", issuer: "https://accounts.example", clientIds: ["id"] },
      own: { type: "custom", module: import.meta.filename, options: { audience: "app" } },
      inline: { type: "custom", module: adapter, options: {} },
    });
    expect(others.accountLockout).toBeUndefined();
    expect(others.names).toEqual({ ens: { 5: `0x${"ab".repeat(20)}` }, unstoppable: {}, gateways: ["*"] });
    expect(others.defaultAcl).toEqual({ currentUser: { read: true } });
    const texts = ["short", "password", "long enough"];
    expect(await Promise.all(texts.map((text) => passwordPolicy.isStrong?.(text)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it.each<[Record<string, unknown>, string]>([
    [
      { auth: { password: { type: "oidc" } } },
      '"auth.password" of the config file: it cannot name a provider',
    ],
    [
      { auth: { google: { type: "oidc", issuer: "google", clientId: "id" } } },
      '"auth.google.issuer" of the config',
    ],
    [{ auth: { own: {} } }, '"auth.own" of the config file: it must be { type: "oidc"'],
    [{ auth: { google: {} } }, '"auth.google.clientId" of the config file: it must be the id of a client'],
    [{ auth: { github: { clientId: "id" } } }, '"auth.github" of the config file: it needs clientId and'],
    [
      { auth: { mfa: { options: ["SMS"] } } },
      '"auth.mfa.options[0]" of the config file: the second factor is TOTP',
    ],
    [{ auth: { ldap: { url: "ldap://a" } } }, '"auth.ldap" of the config file: ldap is an adapter of Parse'],
    [{ auth: { own: { oauth2: true } } }, '"auth.own.tokenIntrospectionEndpointUrl" of the config file'],
    [{ names: { gateways: ["gateway"] } }, '"names.gateways[0]" of the config file: it must be an origin'],
    [
      { names: { ens: { 1: "0x1" } } },
      '"names.ens.1" of the config file: it must be the address of a contract',
    ],
    [
      { passwordPolicy: { validatorCallback: 1 } },
      '"passwordPolicy.validatorCallback" of the config file: it must be',
    ],
    [{ passwordPolicy: { minSize: 1 } }, '"minSize"'],
    [
      { schemas: [{ className: "no class" }] },
      '"schemas[0].className" of the config file: it cannot name a class',
    ],
    [{ protectedFields: { Note: ["a"] } }, '"protectedFields.Note" of the config file'],
    [{ defaultAcl: { "*": 1 } }, '"defaultAcl" of the config file'],
    [{ plugins: "a.ts" }, '"plugins" of the config file'],
    [{ mail: { form: "a" } }, '"form"'],
    [{ accountLockout: { threshold: 0 } }, '"accountLockout.threshold" of the config file'],
  ])("are rejected with the key and the allowed values: %j", (file, message) => {
    expect(() => readSections(file)).toThrow(message);
  });
});
