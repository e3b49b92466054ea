// The sign-in providers that the specs expect of their server.

/** A provider with one user and a password. */
export function customAuthenticator(Parse, id, password) {
  return {
    async validateAuthData(authData) {
      if (authData.id !== id || !authData.password.startsWith(password))
        throw new Parse.Error(Parse.Error.OBJECT_NOT_FOUND, "not validated");
    },
    validateAppId: async () => undefined,
  };
}

export function facebookAuthenticator(id, token) {
  const validate = async (authData) => {
    if (authData.id !== undefined && authData.id !== id) throw undefined;
    if (!authData.access_token.startsWith(token)) throw undefined;
  };
  return { validateAuthData: validate, validateAppId: (_, authData) => validate(authData) };
}

/** A provider whose token changes. */
export function shortLivedAuthenticator() {
  let valid;
  return {
    setValidAccessToken(token) {
      valid = token;
    },
    async validateAuthData({ access_token: token }) {
      if (token !== valid) throw "Invalid access token";
    },
    validateAppId: async () => undefined,
  };
}
