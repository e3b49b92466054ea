import { MISSING_ENDPOINTS, type Route, runInGroup } from "@purse/chain";
import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { AuthContext } from "../core/authContext.ts";
import type { FunctionCall } from "../core/functionCall.ts";
import { addressKey } from "../core/http/address.ts";
import type { AuthenticateDataRequest } from "../core/http/dataRequest.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { missingEndpointError } from "./missingEndpointError.ts";

type UserAuth = Extract<AuthContext, { kind: "user" }>;

/** Functions that store something on this server and require a signed-in user. */
const WRITE_FUNCTIONS: ReadonlySet<string> = new Set(["uploadFolder"]);

/**
 * The endpoints of the data API as cloud functions, under every name that clients call them by. Each call, including
 * those in a batch, is authenticated and rate limited like a request to `/api/v2`.
 */
export function createDataApiFunctions(
  routes: readonly Route[],
  userOf: (auth: UserAuth) => Promise<JsonObject | undefined>,
  authorize: AuthenticateDataRequest,
  /** Rejects if the client may not upload files. */
  assertCanUpload: (auth: AuthContext) => Promise<void>,
): { name: string; run(request: FunctionCall): Promise<JsonValue> }[] {
  return routes.flatMap((route) =>
    [route.functionName, ...route.aliases].map((name) => ({
      name,
      async run({ auth, params, ip, headers = {}, serverUrl, isInternal }: FunctionCall) {
        const { error: authError } = await authorize({
          ip,
          headers,
          serverUrl,
          auth,
          isInternal,
          allowsWithoutKey: true,
        });
        if (authError) throw authError;
        if (WRITE_FUNCTIONS.has(route.functionName)) {
          if (auth.kind !== "user" && auth.kind !== "master") {
            throw operationForbidden("Only signed-in users may upload.");
          }
          await assertCanUpload(auth);
        }
        // Old clients send an empty address to mean that of the signed-in user.
        const usesOwnAddress = params.address === "" && auth.kind === "user";
        const user = usesOwnAddress ? await userOf(auth) : undefined;
        const callParams = { ...params, ...(user?.ethAddress && { address: user.ethAddress }) };
        return runInGroup(addressKey(ip), () => route.run(callParams));
      },
    })),
  );
}

/** Cloud functions that reject with what they lack. Cloud code can define functions of these names. */
export function createMissingFunctions(): { name: string; run(): Promise<JsonValue> }[] {
  return MISSING_ENDPOINTS.map(({ name, reason }) => ({
    name,
    async run() {
      throw missingEndpointError(name, `${reason}. Cloud code can define a function of this name`);
    },
  }));
}

/** Functions of old clients for Solana, which this server does not support. */
const SOLANA_FUNCTIONS = ["balance", "getSPL", "getNFTs", "getPortfolio", "getNFTMetadata"];

/** Cloud functions that reject: an empty result would look as if the account had nothing. */
export function createSolanaFunctions(): { name: string; run(): Promise<JsonValue> }[] {
  return SOLANA_FUNCTIONS.map((name) => ({
    name: `sol-${name}`,
    async run() {
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        "This server supports EVM chains only, not Solana.",
        400,
      );
    },
  }));
}
