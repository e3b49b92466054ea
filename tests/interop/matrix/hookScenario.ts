import { randomUUID } from "node:crypto";
import { until } from "../../support/until.ts";
import type { Operation } from "./operation.ts";

type Untyped = ReturnType<NodeJS.Require>;

/** A rendered application: the exports of the React client, and a way to use its hooks in it. */
export interface Rendered {
  hooks: Untyped;
  /** Renders a component that calls the hook; `current` is what it returned last. */
  use(hook: () => unknown): { readonly current: Untyped };
  /** The address of the wallet, which is `window.ethereum`. */
  address: string;
}

const chain = "0x539";
const RECEIVER = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
const BALANCE_OF = [
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [{ name: "account", type: "address" }],
    outputs: [{ name: "", type: "uint256" }],
  },
];

/** Operations with the hooks of react-moralis; versions without a hook report it as absent. */
export function hookScenario({ hooks, use, address }: Rendered): Operation[] {
  const unique = randomUUID().replaceAll("-", "");
  const rows = `Row${unique}`;
  const main = use(() => hooks.useMoralis());
  /** Returns the data of a hook that fetches automatically. */
  const dataOf = async (hook: () => unknown, isThere: (data: Untyped) => unknown = Boolean) => {
    const used = use(hook);
    await until(() => Boolean(isThere(used.current.data)) || Boolean(used.current.error));
    if (used.current.error) throw used.current.error;
    return used.current.data;
  };
  return [
    [
      "start",
      async () => {
        await until(() => main.current.isInitialized);
        return [main.current.isAuthenticated, false];
      },
    ],
    [
      "signup",
      async () => {
        await main.current.signup(`ada${unique}`, "a long password", `ada${unique}@example.org`);
        await until(() => main.current.isAuthenticated);
        return [main.current.user.get("username"), `ada${unique}`];
      },
    ],
    [
      "setUserData",
      async () => {
        await main.current.setUserData({ mood: "fine" });
        await until(() => !main.current.isUserUpdating);
        return [main.current.userError ?? main.current.user.get("mood"), "fine"];
      },
    ],
    [
      "refetchUserData, then setUserData",
      async () => {
        await main.current.refetchUserData();
        await main.current.setUserData({ mood: "better" });
        await until(() => !main.current.isUserUpdating);
        return [main.current.userError ?? main.current.user.get("mood"), "better"];
      },
    ],
    [
      "useNewMoralisObject",
      async () => {
        const made = use(() => hooks.useNewMoralisObject(rows));
        for (const n of [1, 2, 3]) await made.current.save({ n });
        await until(() => made.current.object?.get("n") === 3);
        return [made.current.error, null];
      },
    ],
    [
      "useMoralisQuery",
      async () => {
        const find = () =>
          hooks.useMoralisQuery(rows, (query: Untyped) => query.greaterThan("n", 1).ascending("n"));
        const data = await dataOf(find, (found) => found?.length === 2);
        return [data.map((row: Untyped) => row.get("n")).join(), "2,3"];
      },
    ],
    [
      "useMoralisQuery, live",
      async () => {
        const live = use(() =>
          hooks.useMoralisQuery(rows, (query: Untyped) => query.ascending("n"), [], { live: true }),
        );
        await until(() => live.current.data?.length === 3);
        const made = use(() => hooks.useNewMoralisObject(rows));
        // The subscription opens in the background: objects are saved until one arrives.
        await until(() => {
          if (!made.current.isSaving) made.current.save({ n: 4 });
          return live.current.data.length > 3;
        });
        return [live.current.data.at(-1).get("n"), 4];
      },
    ],
    [
      "useMoralisCloudFunction",
      async () => {
        const call = () => hooks.useMoralisCloudFunction("hello", { name: "Ada" });
        return [(await dataOf(call)).includes("Ada"), true];
      },
    ],
    [
      "useMoralisFile",
      async () => {
        const files = use(() => hooks.useMoralisFile());
        await files.current.saveFile("a.txt", { base64: "SGk=" });
        await until(() => files.current.moralisFile || files.current.error);
        return [files.current.error ?? typeof files.current.moralisFile.url(), "string"];
      },
    ],
    [
      "useMoralisWeb3ApiCall",
      async () => {
        const call = () => {
          const api = hooks.useMoralisWeb3Api();
          return hooks.useMoralisWeb3ApiCall(api.account.getNativeBalance, { address, chain });
        };
        const used = use(call);
        await used.current.fetch();
        await until(() => used.current.data || used.current.error);
        return [used.current.error ?? /^\d+$/.test(used.current.data.balance), true];
      },
    ],
    [
      "logout",
      async () => {
        await main.current.logout();
        await until(() => !main.current.isAuthenticated);
        return [main.current.user ?? null, null];
      },
    ],
    [
      "login",
      async () => {
        await main.current.login(`ada${unique}`, "a long password");
        await until(() => main.current.isAuthenticated);
        return [main.current.user.get("mood"), "better"];
      },
    ],
    [
      "authenticate with a wallet",
      async () => {
        await main.current.logout();
        await until(() => !main.current.isAuthenticated);
        await main.current.authenticate({ signingMessage: "Hello" });
        await until(() => main.current.isAuthenticated || main.current.authError);
        return [main.current.authError ?? main.current.user.get("ethAddress"), address];
      },
    ],
    [
      "useChain",
      hooks.useChain &&
        (async () => {
          const used = use(() => hooks.useChain());
          await until(() => used.current.chainId);
          return [used.current.chainId, chain];
        }),
    ],
    ...[
      ["useNativeBalance", (data: Untyped) => data?.balance] as const,
      ["useERC20Balances", (data: Untyped) => data?.length] as const,
      ["useERC20Transfers", (data: Untyped) => data?.total !== undefined] as const,
      ["useNFTBalances", (data: Untyped) => data?.total !== undefined] as const,
      ["useNFTTransfers", (data: Untyped) => data?.total !== undefined] as const,
      ["useNativeTransactions", (data: Untyped) => data?.total !== undefined] as const,
    ].map(
      ([name, isThere]) =>
        [
          name,
          hooks[name] &&
            (async () => {
              const data = await dataOf(() => hooks[name]({ address, chain }, { autoFetch: true }), isThere);
              return [Boolean(isThere(data)), true];
            }),
        ] as const,
    ),
    [
      "useWeb3ExecuteFunction",
      async () => {
        const tokens = use(() => hooks.useMoralisWeb3Api()).current.account;
        const [{ token_address: contractAddress, balance }] = await tokens.getTokenBalances({
          address,
          chain,
        });
        const used = use(() => hooks.useWeb3ExecuteFunction());
        const params = { account: address };
        await used.current.fetch({
          params: { contractAddress, functionName: "balanceOf", abi: BALANCE_OF, params },
        });
        await until(() => used.current.data || used.current.error);
        return [used.current.error ?? used.current.data.toString(), balance];
      },
    ],
    [
      "useWeb3Transfer",
      async () => {
        const transfer = { type: "native", amount: "1000000000000000", receiver: RECEIVER };
        const used = use(() => hooks.useWeb3Transfer(transfer));
        await used.current.fetch();
        await until(() => used.current.data || used.current.error);
        const { hash, transactionHash } = Object(used.current.data);
        return [used.current.error ?? /^0x[0-9a-f]{64}$/.test(hash ?? transactionHash), true];
      },
    ],
  ];
}
