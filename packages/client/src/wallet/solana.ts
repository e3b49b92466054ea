import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { User } from "../user/User.ts";
import { serverMessage, timestampedMessage } from "./signingMessage.ts";
import type { SigningOptions } from "./signingOptions.ts";
import { type SolanaWallet, solanaWallets } from "./solanaWallets.ts";
import { currentUser, leaveSession, signInWith, WITHOUT_SESSION } from "./walletSession.ts";

const PROVIDER = "moralisSol";

/**
 * Signs in with a wallet of Solana, by a message of the server (Sign-In with Solana) or, with `signingMessage`, by that
 * text with the application's id and the server's time.
 */
export async function authenticateSolana(options: SigningOptions = {}): Promise<User> {
  const previousSession = await leaveSession(options);
  const wallet = findWallet(options);
  const authData = await proveOwnership(wallet, await wallet.connect(), "login", options);
  const user = await signInWith(PROVIDER, authData, previousSession, options);
  const { context } = options;
  await user.save(null, {
    ...(isJsonObject(context) && { context }),
    // In Node there is no current user, so the new session is passed explicitly.
    sessionToken: user.getSessionToken() ?? "",
  });
  return user;
}

/** Links the wallet to the current user; it must have this account. Throws 208 if it belongs to another user. */
export async function linkSolana(account: string, options: SigningOptions = {}): Promise<User> {
  const user = await currentUser();
  const wallet = findWallet(options);
  if ((await wallet.connect()) !== account) throw new Error("The wallet has another account");
  const authData = await proveOwnership(wallet, account, "link", options);
  return user.linkWith(PROVIDER, { authData });
}

/** Unlinks the wallet from the current user. */
export async function unlinkSolana(account: string): Promise<User> {
  const user = await currentUser();
  const authData: unknown = user.get("authData");
  const linked = isJsonObject(authData) ? authData[PROVIDER] : undefined;
  if (!isJsonObject(linked) || linked.id !== account) throw new Error("Address not found");
  return user._unlinkFrom(PROVIDER);
}

function findWallet({ solanaWallet: name }: SigningOptions): SolanaWallet {
  const wallet = solanaWallets().find((each) => name === undefined || each.name === name);
  if (wallet) return wallet;
  throw new Error("No wallet of Solana is installed in this browser");
}

/** Creates the auth data that the server verifies: the address, the signed text and the signature. */
async function proveOwnership(
  wallet: SolanaWallet,
  address: string,
  purpose: "login" | "link",
  { signal, signingMessage }: SigningOptions,
): Promise<JsonObject> {
  const options = { ...(signal && { signal }), ...(purpose === "login" && WITHOUT_SESSION) };
  const data =
    signingMessage === undefined
      ? await serverMessage({ address, networkType: "solana", purpose }, options)
      : await timestampedMessage(signingMessage, options);
  const signature = await wallet.sign(new TextEncoder().encode(data));
  return { id: address, signature: btoa(String.fromCharCode(...signature)), data };
}
