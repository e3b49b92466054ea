import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { ACL } from "../object/ACL.ts";
import type { SaveOptions } from "../object/callOptions.ts";
import { Query } from "../query/Query.ts";
import { request } from "../transport.ts";
import { User } from "../user/User.ts";
import { askedWallet } from "./askedWallet.ts";
import { signerNow } from "./signer.ts";
import { datedText, siweText } from "./signingText.ts";
import { askPeople, type WaitOptions } from "./waiting.ts";
import { type EnableOptions, enableWeb3, withBrowserWallet } from "./wallet.ts";

const PROVIDER = "moralisEth";
const DEFAULT_MESSAGE = "Moralis Authentication";

/** What is signed to sign in or to link, and for whom. */
export interface SigningOptions extends WaitOptions {
  /** The first part of the text that the wallet shows, or a message of `requestMessage`. */
  signingMessage?: string | undefined;
  /** Has the server write the text (EIP-4361, "Sign-In with Ethereum"), with the wallet's account and chain. */
  siwe?: boolean | undefined;
  /** Handed to the server's triggers. */
  context?: JsonObject | undefined;
  /** For accounts with a second factor: its present code, or a recovery code. */
  oneTimeCode?: string | undefined;
  /** Leaves the current session only once the new one is there: who declines in the wallet stays who they were. */
  keepSession?: boolean | undefined;
  useMasterKey?: boolean | undefined;
  sessionToken?: string | undefined;
  /** `evm`; for the chains that the old client knew beside it there is an error. */
  type?: string | undefined;
}

/** Somebody who signs in has no session yet; one that has ended would be refused. */
const WITHOUT_SESSION = { sessionToken: "" };

/** What is signed where nothing else is given. */
export function getSigningData(): string {
  return DEFAULT_MESSAGE;
}

/**
 * Signs in with a wallet: ends a current session, connects the wallet, has it sign a message with the
 * application's id and the server's time (EIP-191), and logs in with that. Throws 252 for wallets that are not EVM.
 */
export async function authenticate(options: EnableOptions & SigningOptions = {}): Promise<User> {
  assertEvm(options.type);
  // Before a log-out, which puts the wallet away.
  const wallet = withBrowserWallet(options);
  const before = await User.currentAsync();
  // Read now: the same person signed in again is the same object, with the new session.
  const oldSession = before?.getSessionToken();
  if (before && !options.keepSession) await User.logOut();
  await enableWeb3(wallet);
  const { account } = await askedWallet(options);
  if (account === null) throw new Error("Cannot authenticate, no account returned from provider");
  const authData = await proveOwnership(account, "login", options);
  const { oneTimeCode } = options;
  const user = await new User(oneTimeCode ? { authData: { mfa: { token: oneTimeCode } } } : {}).linkWith(
    PROVIDER,
    { authData },
    WITHOUT_SESSION,
  );
  if (!user) throw new Error("Could not get user");
  if (options.keepSession) await endSession(oldSession);
  user.setACL(new ACL(user));
  return nowAt(user, account, options);
}

/** Of who signs in anew. It may have ended by itself already. */
async function endSession(sessionToken: string | undefined): Promise<void> {
  if (sessionToken) await request("POST", "logout", {}, { sessionToken }).catch(ifRefused);
}

function ifRefused(error: unknown): void {
  if (!(error instanceof ProtocolError)) throw error;
}

/**
 * Makes an address the current user's too; the connected wallet signs, which must have that account. Throws 208 where
 * the address is another's.
 */
export async function link(account: string, options: SigningOptions = {}): Promise<User> {
  assertEvm(options.type);
  const user = await currentUser();
  const address = account.toLowerCase();
  const known = await new Query("_EthAddress").equalTo("objectId", address).limit(1).find();
  if (known.length === 0) {
    const authData = await proveOwnership(address, "link", options);
    await user.save({ authData: { [PROVIDER]: authData } });
  }
  return nowAt(user, address, options);
}

/** Takes an address away from the current user. */
export async function unlink(account: string, options: Pick<SigningOptions, "type"> = {}): Promise<User> {
  assertEvm(options.type);
  const user = await currentUser();
  const address = account.toLowerCase();
  const [record] = await new Query("_EthAddress").equalTo("objectId", address).limit(1).find();
  if (!record) throw new Error("Address not found");
  await record.destroy();
  const accounts: unknown = user.get("accounts");
  const rest = Array.isArray(accounts) ? accounts.filter((each) => each !== address) : [];
  user.set("accounts", rest);
  if (rest.length > 0) user.set("ethAddress", rest[0]);
  else user.unset("ethAddress");
  await user._unlinkFrom(PROVIDER);
  return user;
}

/** Throws 252 for Polkadot, Elrond and Solana: their proofs are nothing that the server could check. */
export function assertEvm(type: string | undefined): void {
  if (!["dot", "polkadot", "kusama", "erd", "elrond", "sol"].includes(type ?? "")) return;
  throw new ProtocolError(
    ErrorCode.UNSUPPORTED_SERVICE,
    `Wallets of type "${type}" are not supported: sign in with an EVM wallet`,
  );
}

async function currentUser(): Promise<User> {
  const user = await User.currentAsync();
  if (!user) throw new Error("Could not get user");
  return user;
}

/** Adds the address to the user's own list of them; the server has the last word on it. */
async function nowAt(user: User, address: string, options: SigningOptions): Promise<User> {
  user.addAllUnique("accounts", [address]);
  user.set("ethAddress", address);
  const { context, useMasterKey, sessionToken } = options;
  const saving: SaveOptions = {
    ...(isJsonObject(context) && { context }),
    ...(useMasterKey !== undefined && { useMasterKey }),
    // In Node nobody is the current user: whoever has just signed in is named.
    sessionToken: sessionToken ?? user.getSessionToken(),
  };
  await user.save(null, saving);
  return user;
}

/** What the server checks: who signed, what, and that it is fresh. */
async function proveOwnership(address: string, purpose: "login" | "link", options: SigningOptions) {
  const { signal, siwe, signingMessage = DEFAULT_MESSAGE } = options;
  // Another account's signature would be refused, after people had been asked for it.
  const { chainId } =
    purpose === "link" ? await signerNow({ account: address, signal }) : await askedWallet(options);
  const asking = { ...(signal && { signal }), ...(purpose === "login" && WITHOUT_SESSION) };
  const data = siwe
    ? await siweText(address, chainId, purpose, asking)
    : await datedText(signingMessage, asking);
  const { provider, account } = await signerNow({
    signal,
    ...(purpose === "link" && { account: address }),
    // The server's text names the chain, which wallets compare with their own.
    ...(siwe && chainId !== null && { chainId }),
  });
  if (account !== address) throw new Error("The wallet's account was changed while signing in");
  const call = { method: "personal_sign", params: [hexText(data), address] };
  const signature = await askPeople(provider, call, options);
  if (typeof signature !== "string" || signature === "") throw new Error("Data not signed");
  return { id: address, signature, data };
}

function hexText(text: string): string {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
