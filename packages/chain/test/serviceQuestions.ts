import type { JsonObject } from "@purse/protocol";
import { type Address, parseAbi } from "viem";
import { expect } from "vitest";
import { ENDPOINT_NAMES } from "../src/endpoints/table.ts";
import { rowsOf } from "./jsonResponses.ts";
import { lower } from "./nodeHistory.ts";
import { fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";

const abi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
]);

/** Questions about names and sources; `names` are domains with their addresses, `sources` contracts with their ABI. */
export function serviceQuestions(
  asker: Questioner,
  names: ReadonlyMap<string, Address>,
  sources: ReadonlyMap<Address, readonly JsonObject[]>,
): Questions {
  const { choice, node, tokens, run } = asker;
  return {
    async "the address of a name and the name of an address"() {
      const [domain, address] = choice.of([...names]);
      expect(await run("resolveDomain", { domain })).toEqual({ address: lower(address) });
      expect(await run("resolveAddress", { address })).toEqual({ name: domain });
    },
    async "the source of a contract"() {
      const [address, truth] = choice.of([...sources]);
      const answer = await fieldsOf(asker, "getContractSource", { address });
      expect(answer).toMatchObject({ address: lower(address), match: "full", abi: truth });
    },
    async "a refresh of the name, symbol and decimals of a token"() {
      const address = choice.of(tokens);
      const [name, symbol, decimals] = await Promise.all([
        node.client.readContract({ address, abi, functionName: "name" }),
        node.client.readContract({ address, abi, functionName: "symbol" }),
        node.client.readContract({ address, abi, functionName: "decimals" }),
      ]);
      const answer = await fieldsOf(asker, "resyncTokenMetadata", { address });
      expect(answer).toMatchObject({ address: lower(address), name, symbol, decimals: String(decimals) });
    },
    async "the version and the costs of the operations"() {
      expect(await fieldsOf(asker, "web3ApiVersion", {})).toMatchObject({ version: expect.any(String) });
      const weights = rowsOf(await run("endpointWeights", {}));
      expect(weights.length).toBeGreaterThanOrEqual(ENDPOINT_NAMES.length);
    },
  };
}
