import { Cloud } from "../cloud.ts";
import { connection } from "../connection.ts";
import { ACL } from "../object/ACL.ts";
import { Query } from "../query/Query.ts";
import { User } from "../user/User.ts";
import { firstAccount } from "./eip1193.ts";
import { type EnableOptions, enabledWallet, enableWeb3, walletState } from "./wallet.ts";

const PROVIDER = "moralisEth";
const DEFAULT_MESSAGE = "Moralis Authentication";

export interface SigningOptions {
  /** The first part of the text that the wallet shows. */
  signingMessage?: string | undefined;
}

/**
 * Signs in with a wallet: ends a current session, connects the wallet, has it sign a message with the
 * application's id and the server's time (EIP-191), and logs in with that.
 */
export async function authenticate(options: EnableOptions & SigningOptions = {}): Promise<User> {
  if (await User.currentAsync()) await User.logOut();
  await enableWeb3(options);
  const account = await currentAccount();
  if (account === null) throw new Error("Cannot authenticate, no account returned from provider");
  const authData = await proveOwnership(account, options);
  const user = await User.logInWith(PROVIDER, { authData });
  if (!user) throw new Error("Could not get user");
  user.setACL(new ACL(user));
  user.addAllUnique("accounts", [account]);
  user.set("ethAddress", account);
  await user.save();
  return user;
}

/** Makes an address the current user's too; the connected wallet signs. Throws 208 where it is another's. */
export async function link(account: string, options: SigningOptions = {}): Promise<User> {
  const user = await currentUser();
  const address = account.toLowerCase();
  const known = await new Query("_EthAddress").equalTo("objectId", address).limit(1).find();
  if (known.length === 0) {
    const authData = await proveOwnership(address, options);
    await user.save({ authData: { [PROVIDER]: authData } });
  }
  user.addAllUnique("accounts", [address]);
  user.set("ethAddress", address);
  await user.save();
  return user;
}

/** Takes an address away from the current user. */
export async function unlink(account: string): Promise<User> {
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

async function currentUser(): Promise<User> {
  const user = await User.currentAsync();
  if (!user) throw new Error("Could not get user");
  return user;
}

/** The wallet's account as it is now: asked again, since people switch it meanwhile. */
async function currentAccount(): Promise<string | null> {
  const { provider, account } = enabledWallet();
  const now = await provider.request({ method: "eth_accounts" }).catch(() => undefined);
  return firstAccount(now) ?? account;
}

/** What the server checks: who signed, what, and that it is fresh. */
async function proveOwnership(account: string, { signingMessage = DEFAULT_MESSAGE }: SigningOptions) {
  const { provider } = enabledWallet();
  const time: unknown = await Cloud.run("getServerTime");
  const dateTime = isRecord(time) && typeof time.dateTime === "string" ? time.dateTime : undefined;
  const data = dateTime
    ? `${signingMessage}\n\nId: ${connection().applicationId}:${dateTime}`
    : signingMessage;
  const signature = await provider.request({ method: "personal_sign", params: [hexText(data), account] });
  if (typeof signature !== "string" || signature === "") throw new Error("Data not signed");
  return { id: account, signature, data };
}

function hexText(text: string): string {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a wallet is enabled. */
export function isWeb3Enabled(): boolean {
  return walletState().status === "enabled";
}
