import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { isProvider } from "./eip1193.ts";
import { walletLibraryLoader } from "./libraries.ts";
import { call, construct, loadSdk, member, type SdkLoader } from "./sdk.ts";

/** Options of the email-link wallet. All but `newSession` and `load` are required. */
export interface MagicLinkOptions {
  email?: string | undefined;
  /** The application's publishable key at Magic. */
  apiKey?: string | undefined;
  /** `mainnet`, `goerli` …, or `{rpcUrl, chainId}`. */
  network?: string | { rpcUrl: string; chainId?: number } | undefined;
  /** Ends an existing session first. */
  newSession?: boolean | undefined;
  load?: SdkLoader | undefined;
}

const FAILED = "Error during enable via MagicLink, please double check network and apikey";
const NOT_LOGGED_IN = "Error during enable via MagicLink, login to magic failed";

/** A wallet that is opened by a link in an email, by `magic-sdk`. */
export class MagicWeb3Connector extends AbstractWeb3Connector {
  override type = "MagicLink";
  #magic: unknown;
  #session: string | undefined;

  override async activate(options: MagicLinkOptions = {}): Promise<Activation> {
    const { email } = requireOptions(options);
    const magic = await this.#open(options);
    try {
      if (options.newSession) await call(member(magic, "user"), "logout").catch(() => undefined);
      // A user who is still signed in needs no other email.
      if (options.newSession || !(await isSignedIn(magic, email)))
        await call(member(magic, "auth"), "loginWithMagicLink", { email });
    } catch (error) {
      throw new Error(FAILED, { cause: error });
    }
    if (!(await call(member(magic, "user"), "isLoggedIn"))) throw new Error(NOT_LOGGED_IN);
    const provider = member(magic, "rpcProvider");
    if (!isProvider(provider)) throw new Error(FAILED);
    const [accounts, chainId] = await Promise.all([
      provider.request({ method: "eth_accounts" }),
      provider.request({ method: "eth_chainId" }),
    ]);
    return this.completeActivation(provider, accounts, chainId);
  }

  override async isAuthorized(options: MagicLinkOptions = {}): Promise<boolean> {
    const { email } = requireOptions(options);
    return isSignedIn(await this.#open(options), email);
  }

  override persistedOptions({ email, apiKey, network }: MagicLinkOptions = {}): Record<string, unknown> {
    return { email, apiKey, network };
  }

  override canResume(options: MagicLinkOptions = {}): boolean {
    return this.#magic !== undefined && !options.newSession && this.#session === sessionKey(options);
  }

  override async deactivate(): Promise<void> {
    const magic = this.#magic;
    this.#magic = undefined;
    this.#session = undefined;
    await super.deactivate();
    if (magic !== undefined) await call(member(magic, "user"), "logout");
  }

  async #open(options: MagicLinkOptions): Promise<unknown> {
    if (this.#magic !== undefined && this.#session === sessionKey(options)) return this.#magic;
    const Magic = await loadSdk({
      load: options.load ?? walletLibraryLoader("magic-sdk"),
      global: ["Magic"],
      name: "Magic",
      missing: 'Cannot enable via MagicLink: dependency "magic-sdk" is missing',
    });
    try {
      this.#magic = construct(Magic, options.apiKey, { network: options.network });
    } catch (error) {
      throw new Error(FAILED, { cause: error });
    }
    this.#session = sessionKey(options);
    return this.#magic;
  }
}

function requireOptions({ email, apiKey, network }: MagicLinkOptions): { email: string } {
  if (!email) throw new Error('"email" not provided, please provide Email');
  if (!apiKey) throw new Error('"apiKey" not provided, please provide Api Key');
  if (!network) throw new Error('"network" not provided, please provide network');
  return { email };
}

function sessionKey({ email, apiKey, network }: MagicLinkOptions): string {
  return JSON.stringify([email, apiKey, network]);
}

/** Whether Magic's existing session belongs to this email. */
async function isSignedIn(magic: unknown, email: string): Promise<boolean> {
  const user = member(magic, "user");
  if (!(await call(user, "isLoggedIn"))) return false;
  const info = await call(user, "getInfo");
  return String(member(info, "email")).toLowerCase() === email.toLowerCase();
}
