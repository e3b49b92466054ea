import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { type Eip1193Provider, isProvider, requireChainId } from "./eip1193.ts";
import { walletLibraryLoader } from "./libraries.ts";
import { call, construct, loadSdk, member, type SdkLoader } from "./sdk.ts";

/** Options of a social login wallet. `clientId` is required. */
export interface Web3AuthOptions {
  /** The application's client id at Web3Auth. */
  clientId?: string | undefined;
  chainId?: string | number | undefined;
  theme?: "dark" | "light" | undefined;
  /** URL of the logo in the modal. */
  appLogo?: string | undefined;
  /** As `["google", "email_passwordless"]`. */
  loginMethodsOrder?: readonly string[] | undefined;
  /** Web3Auth's own network: `sapphire_mainnet`, `sapphire_devnet` … */
  web3AuthNetwork?: string | undefined;
  newSession?: boolean | undefined;
  load?: SdkLoader | undefined;
}

const DEFAULT_CHAIN = "0x1";
const DEFAULT_THEME = "dark";
const DEFAULT_NETWORK = "sapphire_mainnet";
const FAILED = "Could not connect via Web3Auth, error";
const CLOSED = "Web3Auth: User closed login modal.";

/** A wallet with a social or email login, by the modal of `@web3auth/modal`. */
export class Web3AuthConnector extends AbstractWeb3Connector {
  override type = "web3Auth";
  #web3auth: unknown;
  #clientId: string | undefined;

  override async activate(options: Web3AuthOptions = {}): Promise<Activation> {
    const web3auth = await this.#open(options);
    if (options.newSession && isConnected(web3auth)) await call(web3auth, "logout");
    if (!isConnected(web3auth)) await logIn(web3auth);
    const provider = providerOf(web3auth);
    if (!provider) throw new Error(`${FAILED} in connecting to provider`);
    const [accounts, chainId] = await readAccountAndChain(provider);
    return this.completeActivation(provider, accounts, chainId);
  }

  override async isAuthorized(options: Web3AuthOptions = {}): Promise<boolean> {
    return isConnected(await this.#open(options));
  }

  override persistedOptions(options: Web3AuthOptions = {}): Record<string, unknown> {
    const { clientId, chainId, theme, appLogo, loginMethodsOrder, web3AuthNetwork } = options;
    return { clientId, chainId, theme, appLogo, loginMethodsOrder, web3AuthNetwork };
  }

  override canResume({ clientId, newSession }: Web3AuthOptions = {}): boolean {
    return this.#web3auth !== undefined && this.#clientId === clientId && !newSession;
  }

  override async deactivate(): Promise<void> {
    const web3auth = this.#web3auth;
    this.#web3auth = undefined;
    await super.deactivate();
    if (isConnected(web3auth)) await call(web3auth, "logout");
  }

  async #open(options: Web3AuthOptions): Promise<unknown> {
    const { clientId } = options;
    if (this.#web3auth !== undefined && this.#clientId === clientId) return this.#web3auth;
    if (!clientId) throw new Error('"clientId" not provided, please provide clientId');
    const Web3Auth = await loadSdk({
      load: options.load ?? walletLibraryLoader("@web3auth/modal"),
      global: ["Modal", "Web3Auth"],
      name: "Web3Auth",
      missing: '"@web3auth/modal" not installed, please install',
    });
    const settings = settingsOf(options);
    let web3auth: unknown;
    try {
      web3auth = construct(Web3Auth, settings);
    } catch (error) {
      throw new Error(`${FAILED} during initializing Web3Auth`, { cause: error });
    }
    // Up to version 9 the modal had its own init method.
    await call(web3auth, typeof member(web3auth, "initModal") === "function" ? "initModal" : "init");
    this.#web3auth = web3auth;
    this.#clientId = clientId;
    return web3auth;
  }
}

function settingsOf(options: Web3AuthOptions): object {
  const { clientId, theme = DEFAULT_THEME, appLogo, loginMethodsOrder } = options;
  const chainId = requireChainId(options.chainId ?? DEFAULT_CHAIN);
  return {
    clientId,
    web3AuthNetwork: options.web3AuthNetwork ?? DEFAULT_NETWORK,
    // The chain settings of newer and of older versions.
    defaultChainId: chainId,
    chainConfig: { chainNamespace: "eip155", chainId },
    uiConfig: {
      mode: theme,
      theme,
      ...(appLogo !== undefined && { appLogo, logoDark: appLogo, logoLight: appLogo }),
      ...(loginMethodsOrder && { loginMethodsOrder }),
    },
  };
}

function isConnected(web3auth: unknown): boolean {
  return member(web3auth, "connected") === true;
}

/** The provider after the login; since version 11 it is part of the connection. */
function providerOf(web3auth: unknown): Eip1193Provider | undefined {
  const provider = member(member(web3auth, "connection"), "ethereumProvider") ?? member(web3auth, "provider");
  return isProvider(provider) ? provider : undefined;
}

/** Shows the modal. Rejects as soon as it is closed: some versions never settle then. */
async function logIn(web3auth: unknown): Promise<void> {
  let stop = () => {};
  const closed = new Promise<never>((_resolve, reject) => {
    const modal = member(web3auth, "loginModal");
    // The modal also closes after a login, which the library may register a moment later.
    const onVisibility = (visible: unknown) => {
      if (visible === false) setTimeout(() => isConnected(web3auth) || reject(new Error(CLOSED)));
    };
    const on = member(modal, "on");
    if (typeof on !== "function") return;
    Reflect.apply(on, modal, ["MODAL_VISIBILITY", onVisibility]);
    stop = () => void call(modal, "removeListener", "MODAL_VISIBILITY", onVisibility).catch(() => undefined);
  });
  try {
    await Promise.race([call(web3auth, "connect"), closed]);
  } catch (error) {
    if (/closed the (login )?modal|popup.*closed/i.test(String(member(error, "message"))))
      throw new Error(CLOSED, { cause: error });
    throw error;
  } finally {
    stop();
  }
}

async function readAccountAndChain(
  provider: Eip1193Provider,
): Promise<[accounts: unknown, chainId: unknown]> {
  try {
    return await Promise.all([
      provider.request({ method: "eth_accounts" }),
      provider.request({ method: "eth_chainId" }),
    ]);
  } catch (error) {
    throw new Error(`${FAILED} while authenticating`, { cause: error });
  }
}
