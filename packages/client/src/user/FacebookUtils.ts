import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { SaveOptions } from "../object/callOptions.ts";
import type { AuthData, AuthProvider } from "./authProviders.ts";
import { User } from "./User.ts";

const PROVIDER = "facebook";

/** The global object of Facebook's own script. */
interface FacebookSdk {
  init(options: object): void;
  login(done: (response: unknown) => void, options: { scope: string | undefined }): void;
  logout(): void;
  getAuthResponse(): { userID: string } | null;
}

let initOptions: object | undefined;
let permissions: string | undefined;

const provider: AuthProvider = {
  getAuthType: () => PROVIDER,

  authenticate({ success, error }) {
    const sdk = facebook();
    if (!sdk) return error(provider, "Facebook SDK not found.");
    sdk.login(
      (response) => {
        const permissionsOrAuthData = isJsonObject(response) ? response.authResponse : undefined;
        if (isJsonObject(permissionsOrAuthData)) success(provider, authDataOf(permissionsOrAuthData));
        else error(provider, response);
      },
      { scope: permissions },
    );
  },

  restoreAuthentication(authData) {
    const sdk = facebook();
    if (authData && sdk) {
      // Another Facebook user who is logged in on the page is not the user of this application.
      const known = sdk.getAuthResponse();
      if (known && known.userID !== authData.id) sdk.logout();
      sdk.init({ ...initOptions, status: false });
    }
    return true;
  },

  deauthenticate() {
    permissions = undefined;
  },
};

/** Signs in with Facebook, for pages that load its script. */
export const FacebookUtils = {
  /** Throws if the script is not loaded. */
  init(options: { status?: boolean } = {}): Promise<void> {
    const sdk = facebook();
    if (!sdk) throw new Error("The Facebook JavaScript SDK must be loaded before calling init.");
    if (options.status)
      console.warn("FB.init: the status flag is suppressed; call FB.getLoginStatus() instead.");
    initOptions = { ...options, status: false };
    sdk.init(initOptions);
    return User._registerAuthenticationProvider(provider);
  },

  isLinked: (user: User): boolean => user._isLinked(PROVIDER),

  /** Takes the permissions to request, "email,public_profile", or auth data from Facebook. */
  async logIn(permissionsOrAuthData?: string | AuthData, options?: SaveOptions): Promise<User> {
    return User.logInWith(PROVIDER, authOptionsFor(permissionsOrAuthData, "logIn"), options);
  },

  async link(user: User, permissionsOrAuthData?: string | AuthData, options?: SaveOptions): Promise<User> {
    return user.linkWith(PROVIDER, authOptionsFor(permissionsOrAuthData, "link"), options);
  },

  async unlink(user: User, options?: SaveOptions): Promise<User> {
    if (!initOptions) throw notInitialized("unlink");
    return user._unlinkFrom(PROVIDER, options);
  },
};

function authOptionsFor(
  permissionsOrAuthData: string | AuthData | undefined,
  call: string,
): { authData?: AuthData } {
  if (permissionsOrAuthData && typeof permissionsOrAuthData !== "string")
    return { authData: permissionsOrAuthData };
  if (!initOptions) throw notInitialized(call);
  permissions = permissionsOrAuthData;
  return {};
}

function authDataOf({ userID, accessToken, expiresIn }: JsonObject): AuthData {
  return {
    id: userID ?? null,
    access_token: accessToken ?? null,
    expiration_date: new Date(Date.now() + Number(expiresIn) * 1_000).toJSON(),
  };
}

function facebook(): FacebookSdk | undefined {
  const sdk: unknown = Reflect.get(globalThis, "FB");
  return isSdk(sdk) ? sdk : undefined;
}

function isSdk(value: unknown): value is FacebookSdk {
  return typeof value === "object" && value !== null && "login" in value && "init" in value;
}

function notInitialized(call: string): Error {
  return new Error(`You must initialize FacebookUtils before calling ${call}.`);
}
