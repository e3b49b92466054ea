import { CoreManager, Passkeys, User } from "@purse/client";
import { isJsonObject, type JsonObject } from "@purse/protocol";

/**
 * Signs in with a passkey that must belong to the user whose session has ended. Resolves with false if it is another
 * user's: then the current user stays, and the other's new session is ended.
 */
export async function signInAgain(userId: string): Promise<boolean> {
  const { options } = await post("passkeys/options", { purpose: "login" });
  const passkey = await Passkeys.getCredential(isJsonObject(options) ? options : {});
  const user = await post("users", { authData: { passkey } });
  if (user.objectId === userId) {
    await User.hydrate(user);
    return true;
  }
  await post("logout", {}, String(user.sessionToken));
  return false;
}

/** By default without the session, which the server would reject. */
async function post(path: string, body: JsonObject, sessionToken = ""): Promise<JsonObject> {
  const answer: unknown = await CoreManager.getRESTController().request("POST", path, body, { sessionToken });
  return isJsonObject(answer) ? answer : {};
}
