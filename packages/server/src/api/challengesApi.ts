import type { JsonObject } from "@purse/protocol";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Challenges } from "../auth/index.ts";
import { ANONYMOUS } from "../core/authContext.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { withBody } from "../core/http/body.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { AuthenticateDataApi } from "../core/http/moralisApi.ts";
import { guardByApiKey, jsonObjectIn, sendMessageErrors } from "../core/http/moralisApi.ts";
import { respond } from "../core/http/reply.ts";
import { missingEndpointError } from "./missingEndpointError.ts";

export interface ChallengesApiDependencies {
  challenges: Challenges;
  authenticate: AuthenticateDataApi;
  clientAddressOf: ClientAddressOf;
  /** Maximum size of a body in bytes. */
  maxBodyBytes: number;
  memory: BodyMemory;
  report(error: unknown): void;
}

const NO_PROFILES = "link() links several wallets to one user";

/** Paths of Moralis' Auth API that this server does not have. */
const MISSING = [
  { method: "GET", path: "/profile/:profileId/addresses", name: "getAddresses", reason: NO_PROFILES },
  { method: "POST", path: "/bind/request", name: "requestBind", reason: NO_PROFILES },
  { method: "POST", path: "/bind/request/verify", name: "verifyRequestBind", reason: NO_PROFILES },
  { method: "POST", path: "/bind/remove", name: "removeBind", reason: NO_PROFILES },
  { method: "POST", path: "/bind/remove/verify", name: "verifyRemoveBind", reason: NO_PROFILES },
  ...["request", "verify"].map((step) => ({
    method: "POST",
    path: `/challenge/${step}/aptos`,
    name: `${step}ChallengeAptos`,
    reason: "wallets of EVM chains and of Solana can sign in",
  })),
] as const;

/** Creates the Auth API of Moralis: with an API key as the data API, errors as `{message}`. */
export function createChallengesApi(dependencies: ChallengesApiDependencies): FastifyPluginAsync {
  const { challenges, authenticate, clientAddressOf, report } = dependencies;
  const routes: Record<string, (params: JsonObject, ip: string) => Promise<JsonObject>> = {
    "/challenge/request/evm": (params, ip) => challenges.requestEvm(params, requestFrom(ip)),
    "/challenge/verify/evm": (params, ip) => challenges.verifyEvm(params, requestFrom(ip)),
    "/challenge/request/solana": (params, ip) => challenges.requestSolana(params, requestFrom(ip)),
    "/challenge/verify/solana": (params) => challenges.verifySolana(params),
  };

  return async (app) => {
    guardByApiKey(app, authenticate);
    sendMessageErrors(app, report);
    for (const [url, run] of Object.entries(routes)) {
      app.post(url, { config: { api: "data" } }, (request, reply) => respond(reply, answer(request, run)));
    }
    for (const { method, path: url, name, reason } of MISSING) {
      app.route({
        method,
        url,
        config: { api: "data" },
        handler: async () => {
          throw missingEndpointError(name, reason);
        },
      });
    }
  };

  async function answer(
    { raw: message }: FastifyRequest,
    run: (params: JsonObject, ip: string) => Promise<JsonObject>,
  ): Promise<ApiReply> {
    const result = await withBody(
      message,
      dependencies.maxBodyBytes,
      dependencies.memory,
      jsonObjectIn,
      (params) => run(params, clientAddressOf(message)),
    );
    return { status: 201, body: JSON.stringify(result) };
  }
}

function requestFrom(ip: string) {
  return { auth: ANONYMOUS, ip };
}
