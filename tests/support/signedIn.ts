import type { BrowserContextOptions } from "playwright-core";
import { devAccount } from "./devAccount.ts";
import { type Purse, rest } from "./purse.ts";

/** What a visit begins with. */
type StoredState = Exclude<NonNullable<BrowserContextOptions["storageState"]>, string>;

export const PASSWORD = "correct horse battery";

/**
 * What browsers store of a user who has signed in with the wallet of a development account, as `installWallet` announces it.
 * Signing in on the page would load two pages first.
 */
export async function walletState(
  purse: Purse,
  index: number,
  rdns = "test.purse.wallet",
): Promise<StoredState> {
  const account = devAccount(index);
  const id = account.address.toLowerCase();
  const data = `Moralis Authentication\n\nId: ${purse.appId}:${new Date().toISOString()}`;
  const moralisEth = { id, data, signature: await account.signMessage({ message: data }) };
  const user = await signUp(purse, { authData: { moralisEth } });
  const credentials = { sessionToken: user.sessionToken };
  const ACL = { [user.objectId]: { read: true, write: true } };
  const fields = { accounts: { __op: "AddUnique", objects: [id] }, ethAddress: id, ACL };
  const { status, body } = await rest(purse, "PUT", `/users/${user.objectId}`, fields, credentials);
  if (status !== 200) throw new Error(`Saving the address answered ${status}: ${JSON.stringify(body)}`);
  const wallet = JSON.stringify({ provider: "injected", rdns });
  return storedState(purse, user.sessionToken, { wallet }, { "purse/recent-wallet": rdns });
}

/** What browsers store of a new user, who has signed up with `PASSWORD`. */
export async function passwordState(purse: Purse, username: string): Promise<StoredState> {
  const { sessionToken } = await signUp(purse, { username, password: PASSWORD });
  return storedState(purse, sessionToken);
}

async function signUp(
  purse: Purse,
  fields: Record<string, unknown>,
): Promise<{ objectId: string; sessionToken: string }> {
  const { status, body } = await rest(purse, "POST", "/users", fields);
  if (status !== 200 && status !== 201)
    throw new Error(`Signing in answered ${status}: ${JSON.stringify(body)}`);
  return { objectId: String(body.objectId), sessionToken: String(body.sessionToken) };
}

/** The local storage with the session, with values of the client and other ones. */
async function storedState(
  purse: Purse,
  sessionToken: string,
  ofClient: Readonly<Record<string, string>> = {},
  others: Readonly<Record<string, string>> = {},
): Promise<StoredState> {
  const { body } = await rest(purse, "GET", "/users/me", undefined, { sessionToken });
  const values = { ...ofClient, currentUser: JSON.stringify({ ...body, sessionToken, className: "_User" }) };
  const own = Object.entries(values).map(([name, value]) => [`Parse/${purse.appId}/${name}`, value]);
  const localStorage = [...own, ...Object.entries(others)].map(([name = "", value = ""]) => ({
    name,
    value,
  }));
  return { cookies: [], origins: [{ origin: purse.url, localStorage }] };
}
