import { isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { Cloud } from "../cloud.ts";
import { ACL } from "../object/ACL.ts";
import { inBrowser } from "../storage.ts";
import { type RequestOptions, request } from "../transport.ts";
import { User } from "../user/User.ts";
import { timestampedMessage } from "./signingMessage.ts";
import type { SigningOptions } from "./signingOptions.ts";
import { type SolanaWallet, solanaWallets } from "./solanaWallets.ts";

const PROVIDER = "moralisSol";
/** Signing in needs no session, and an expired one would be rejected. */
const WITHOUT_SESSION = { sessionToken: "" };

/**
 * Signs in with a wallet of Solana, by a message of the server (Sign-In with Solana) or, with `signingMessage`, by that
 * text with the application's id and the server's time.
 */
export async function authenticateSolana(options: SigningOptions = {}): Promise<User> {
  const before = await User.currentAsync();
  const oldSession = before?.getSessionToken();
  if (before && !options.keepSession) await User.logOut();
  const wallet = findWallet(options);
  const authData = await proveOwnership(wallet, await wallet.connect(), "login", options);
  const { oneTimeCode, context } = options;
  const user = await new User(oneTimeCode ? { authData: { mfa: { token: oneTimeCode } } } : {}).linkWith(
    PROVIDER,
    { authData },
    WITHOUT_SESSION,
  );
  if (options.keepSession && oldSession)
    await request("POST", "logout", {}, { sessionToken: oldSession }).catch(ignoreProtocolError);
  user.setACL(new ACL(user));
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
      ? await siwsMessage(address, purpose, options)
      : await timestampedMessage(signingMessage, options);
  const signature = await wallet.sign(new TextEncoder().encode(data));
  return { id: address, signature: btoa(String.fromCharCode(...signature)), data };
}

/** Requests a message of the server. Throws 142 if the server refuses. */
async function siwsMessage(
  address: string,
  purpose: "login" | "link",
  options: RequestOptions,
): Promise<string> {
  const params = {
    address,
    networkType: "solana",
    purpose,
    // Wallets compare the domain with the page's.
    ...(inBrowser() && { domain: location.host }),
  };
  const answer = await Cloud.run("requestMessage", params, options);
  if (isJsonObject(answer) && typeof answer.message === "string") return answer.message;
  throw new Error("The server returned no message to sign");
}

async function currentUser(): Promise<User> {
  const user = await User.currentAsync();
  if (!user) throw new Error("Could not get user");
  return user;
}

function ignoreProtocolError(error: unknown): void {
  if (!(error instanceof ProtocolError)) throw error;
}
