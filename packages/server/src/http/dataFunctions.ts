import { type Route, runInGroup } from "@purse/chain";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { AuthContext } from "../authContext.ts";
import { addressKey } from "./address.ts";
import type { ApiRequest } from "./api.ts";
import type { AuthorizeDataRequest } from "./dataGate.ts";

type SignedIn = Extract<AuthContext, { kind: "user" }>;

/** Functions that put something on this server: not for everybody. */
const WRITING: ReadonlySet<string> = new Set(["uploadFolder"]);

/**
 * The endpoints of the data service as server functions, under every name that clients call them by. Each call, also as
 * a part of a batch, is authorized and counted like a request to `/api/v2`.
 */
export function dataFunctions(
  routes: readonly Route[],
  userOf: (auth: SignedIn) => Promise<JsonObject | undefined>,
  authorize: AuthorizeDataRequest,
  /** Rejects where somebody may not upload files. */
  assertMayUpload: (auth: AuthContext) => Promise<void>,
): { name: string; run(request: ApiRequest): Promise<JsonValue> }[] {
  return routes.flatMap((route) =>
    [route.functionName, ...route.otherNames].map((name) => ({
      name,
      async run({ auth, params, ip, headers = {}, serverUrl, isInternal }: ApiRequest) {
        const { refusal } = await authorize({ ip, headers, serverUrl, auth, isInternal, isFromPage: true });
        if (refusal) throw refusal;
        if (WRITING.has(route.functionName)) {
          if (auth.kind === "anonymous") {
            throw new ProtocolError(
              ErrorCode.OPERATION_FORBIDDEN,
              "Only those who are signed in may upload.",
            );
          }
          await assertMayUpload(auth);
        }
        // Old clients leave the address empty where they mean that of whoever is signed in.
        const isForUser = params.address === "" && auth.kind === "user";
        const user = isForUser ? await userOf(auth) : undefined;
        const asked = { ...params, ...(user?.ethAddress && { address: user.ethAddress }) };
        return runInGroup(addressKey(ip), () => route.run(asked));
      },
    })),
  );
}

/** What old clients call to ask about Solana, whose chains are none of ours. */
const SOLANA = ["balance", "getSPL", "getNFTs", "getPortfolio", "getNFTMetadata"];

/** Functions that say so: an empty answer would look as if there were nothing. */
export function solanaFunctions(): { name: string; run(): Promise<JsonValue> }[] {
  return SOLANA.map((name) => ({
    name: `sol-${name}`,
    async run() {
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        "This server answers about EVM chains only: it follows no Solana network.",
        400,
      );
    },
  }));
}
