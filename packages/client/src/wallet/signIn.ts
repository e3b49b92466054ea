import { ErrorCode, isJsonObject, ProtocolError } from "@purse/protocol";
import type { SaveOptions } from "../object/callOptions.ts";
import { Query } from "../query/Query.ts";
import type { User } from "../user/User.ts";
import { getActiveAccount } from "./activeAccount.ts";
import { getSigner } from "./signer.ts";
import { serverMessage, timestampedMessage } from "./signingMessage.ts";
import type { SigningOptions } from "./signingOptions.ts";
import { requestUserApproval } from "./timeouts.ts";
import { type EnableOptions, enableWeb3, withBrowserWallet } from "./wallet.ts";
import { currentUser, leaveSession, signInWith, WITHOUT_SESSION } from "./walletSession.ts";

export type { SigningOptions } from "./signingOptions.ts";

const PROVIDER = "moralisEth";
const DEFAULT_MESSAGE = "Moralis Authentication";

/** The default message. */
export function getSigningData(): string {
  return DEFAULT_MESSAGE;
}

type SignInOptions = EnableOptions & SigningOptions;

let pending: { options: SignInOptions; user: Promise<User> } | undefined;

/**
 * Signs in with a wallet: ends the current session, connects the wallet, signs a message with the
 * application's id and the server's time (EIP-191), and logs in with that. With the type `sol`, signs in with a wallet of Solana; throws 252 for other types.
 * A call with the options of one that is in progress, as by a double click, joins that one.
 */
export function authenticate(options: SignInOptions = {}): Promise<User> {
  if (pending && haveSameValues(pending.options, options)) return pending.user;
  const user = signIn(options).finally(() => {
    if (pending?.user === user) pending = undefined;
  });
  pending = { options, user };
  return user;
}

function haveSameValues(one: object, other: object): boolean {
  const entries = Object.entries(one);
  const others = new Map(Object.entries(other));
  return (
    entries.length === others.size && entries.every(([name, value]) => Object.is(others.get(name), value))
  );
}

async function signIn(options: SignInOptions): Promise<User> {
  if (options.type === "sol") return (await solana()).authenticateSolana(options);
  assertEvm(options.type);
  // Before the logout, which disconnects the wallet.
  const wallet = withBrowserWallet(options);
  const previousSession = await leaveSession(options);
  await enableWeb3(wallet);
  const { account } = await getActiveAccount(options);
  if (account === null) throw new Error("Cannot authenticate, no account returned from provider");
  const authData = await proveOwnership(account, "login", options);
  const user = await signInWith(PROVIDER, authData, previousSession, options);
  return saveAccount(user, account, options);
}

/**
 * Links an address to the current user; the connected wallet, which must have that account, signs. Throws 208 if
 * the address belongs to another user.
 */
export async function link(account: string, options: SigningOptions = {}): Promise<User> {
  if (options.type === "sol") return (await solana()).linkSolana(account, options);
  assertEvm(options.type);
  const user = await currentUser();
  const address = account.toLowerCase();
  const known = await new Query("_EthAddress").equalTo("objectId", address).limit(1).find();
  if (known.length === 0) {
    const authData = await proveOwnership(address, "link", options);
    await user.save({ authData: { [PROVIDER]: authData } });
  }
  return saveAccount(user, address, options);
}

/** Unlinks an address from the current user. */
export async function unlink(account: string, options: Pick<SigningOptions, "type"> = {}): Promise<User> {
  if (options.type === "sol") return (await solana()).unlinkSolana(account);
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

/** Loaded with the first wallet of Solana. */
const solana = () => import("./solana.ts");

/** Throws 252 for Polkadot and Elrond, whose signatures the server cannot verify. */
export function assertEvm(type: string | undefined): void {
  if (!["dot", "polkadot", "kusama", "erd", "elrond"].includes(type ?? "")) return;
  throw new ProtocolError(
    ErrorCode.UNSUPPORTED_SERVICE,
    `Wallets of type "${type}" are not supported: sign in with a wallet of an EVM chain or of Solana`,
  );
}

/** Adds the address to the user's accounts; the server decides. */
async function saveAccount(user: User, address: string, options: SigningOptions): Promise<User> {
  user.addAllUnique("accounts", [address]);
  user.set("ethAddress", address);
  const { context, useMasterKey, sessionToken } = options;
  const saveOptions: SaveOptions = {
    ...(isJsonObject(context) && { context }),
    ...(useMasterKey !== undefined && { useMasterKey }),
    // In Node there is no current user, so the new session is passed explicitly.
    sessionToken: sessionToken ?? user.getSessionToken(),
  };
  await user.save(null, saveOptions);
  return user;
}

/** Creates the auth data that the server verifies: the address, the signed text and the signature. */
async function proveOwnership(address: string, purpose: "login" | "link", options: SigningOptions) {
  const { signal, siwe, signingMessage = DEFAULT_MESSAGE } = options;
  // The server would reject another account's signature, so check the account before requesting approval.
  const { chainId } =
    purpose === "link" ? await getSigner({ account: address, signal }) : await getActiveAccount(options);
  const requestOptions = { ...(signal && { signal }), ...(purpose === "login" && WITHOUT_SESSION) };
  const data = siwe
    ? await serverMessage(
        { address, networkType: "evm", purpose, ...(chainId !== null && { chain: chainId }) },
        requestOptions,
      )
    : await timestampedMessage(signingMessage, requestOptions);
  const { provider, account } = await getSigner({
    signal,
    ...(purpose === "link" && { account: address }),
    // The server's message contains the chain id, which wallets compare with their own.
    ...(siwe && chainId !== null && { chainId }),
  });
  if (account !== address) throw new Error("The wallet's account was changed while signing in");
  const call = { method: "personal_sign", params: [hexText(data), address] };
  const signature = await requestUserApproval(provider, call, options);
  if (typeof signature !== "string" || signature === "") throw new Error("Data not signed");
  return { id: address, signature, data };
}

function hexText(text: string): string {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
